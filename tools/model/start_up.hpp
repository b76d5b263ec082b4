// SPDX-License-Identifier: BSD-3-Clause
// What a program takes before its first time step on so many ranks: an estimate.
#pragma once

#include "cut_file.hpp"
#include "machine_file.hpp"

namespace op2::model {

struct StartUp {
  double partition = 0;  ///< owners and halos
  double code = 0;       ///< one rank compiles or loads; the others receive
  double plans = 0;
  double all() const { return partition + code + plans; }
};

/// The partition as the serial cut, divided evenly, in log2(ranks) rounds; code as in the recorded
/// run, and a broadcast of each kernel; plans as there, which smaller parts can only shorten.
StartUp start_up(const core::RunRecord& record, const Cut& cut, const Machine& machine);

}  // namespace op2::model
