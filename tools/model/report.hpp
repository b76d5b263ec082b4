// SPDX-License-Identifier: BSD-3-Clause
// Predictions as text and as a table of values.
#pragma once

#include <string>
#include <vector>

#include "walk.hpp"

namespace op2::model {

/// Seconds of a prediction that have one cause. Causes overlap: their sum is not that of the run.
struct Cause {
  const char* what;
  double seconds;
};

/// Seconds that a program takes before its first time step on so many ranks: an estimate.
struct StartUp {
  double partition = 0;  ///< owners and halos
  double code = 0;       ///< one rank compiles or loads; the others receive
  double plans = 0;
  double all() const { return partition + code + plans; }
};

/// The three ways of OP2_CHAIN for one cut.
struct Comparison {
  Prediction off, on, automatic;
  std::vector<Schedule> chosen;  ///< of each sequence, in `automatic`
  StartUp start;
  std::vector<Cause> causes = {};  ///< of `automatic`, the greatest first
};

/// A line per cut.
std::string summary_of(const std::vector<Comparison>& all);
/// Flushes and loops of one cut.
std::string details_of(const core::RunRecord& record, const Comparison& comparison);
/// Columns ranks, chain, kind, name, times, seconds, redundant: a row for each total, flush, loop,
/// overhead and part of the start.
std::string csv_of(const core::RunRecord& record, const std::vector<Comparison>& all);

}  // namespace op2::model
