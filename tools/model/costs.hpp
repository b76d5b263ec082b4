// SPDX-License-Identifier: BSD-3-Clause
// Seconds of an iteration of each loop, by the way in which it is executed and the size of the
// part.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <core/run_record.hpp>

namespace op2::model {

/// Bytes between memory and core for an iteration, if each dat and map of the loop is moved once,
/// and what it modifies twice; at least 1.
double traffic_of(const core::RunRecord& record, const std::string& loop);

/// Measured points, by the logarithm of the iterations of a rank.
class CostCurve {
 public:
  void add(double iterations, double seconds);
  /// Linear between points, constant beyond them; several points of one size count as their mean.
  double at(double iterations) const;
  /// Distance of the nearest point, in the logarithm.
  double distance(double iterations) const;
  bool empty() const { return points_.empty(); }

 private:
  struct Point {
    double seconds = 0;
    int count = 0;
    double mean() const { return seconds / count; }
  };
  std::map<double, Point> points_;
};

/// Loops that are executed as one: their names.
using LoopNames = std::vector<std::string>;

class Costs {
 public:
  /// @param records  of one program, the first for the sequences
  /// @param scale    all costs are multiplied by it
  /// @throws Failure  a record is that of another program
  Costs(std::span<const core::RunRecord> records, double scale);

  /// Whether these loops were ever fused.
  bool knows(const LoopNames& loops) const { return curves_.contains(loops); }
  /// The most loops that were fused.
  std::size_t longest() const { return longest_; }

  /// Seconds of an iteration on a rank with so many: in tiles if `grouped` and a run of about this
  /// size had tiles.
  /// @param grouped  other loops are executed in the same phase
  double of(const LoopNames& loops, bool grouped, double iterations) const;

  /// Loops whose time was only measured as part of a fused step, and was divided by bytes.
  const std::set<std::string>& divided() const { return divided_; }
  /// Loops without any time.
  std::set<std::string> unknown(const core::RunRecord& record) const;

 private:
  struct Curves {
    CostCurve alone, tiles;
  };
  void add(const core::RecordedCost& cost);
  void divide(const core::RunRecord& record, const core::RecordedCost& cost);

  std::map<LoopNames, Curves> curves_;
  std::size_t longest_ = 1;
  std::set<std::string> divided_;
  double scale_;
};

}  // namespace op2::model
