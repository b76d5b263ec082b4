// SPDX-License-Identifier: BSD-3-Clause
// Seconds of an iteration of each loop, by the way in which it is executed and the bytes of the
// part of a rank.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <core/measurements/run_record.hpp>
#include <sched/cost/flush_cost.hpp>

#include "machine.hpp"

namespace op2::model {

/// Bytes between memory and core for an iteration, if each dat and map of the loop is moved once,
/// and what it modifies twice; at least 1.
double traffic_of(const core::RunRecord& record, const std::string& loop);

/// Bytes of the dats and maps that loops use which were executed more than once: what a rank goes
/// through again and again.
/// @param elements  of each set, on the rank
double working_bytes(const core::RunRecord& record, std::span<const double> elements);
/// Of the mean of so many ranks.
double mean_working_bytes(const core::RunRecord& record, int ranks);

/// Measured points, by the working bytes of a rank.
class CostCurve {
 public:
  void add(double bytes, double seconds);
  /// Between points the longer of the smaller one's seconds and those of the loop's bytes, which
  /// are the larger one's times the machine's seconds of a byte here against there. Linear in the
  /// seconds of a byte where the loop grows more than they do, or falls; in the logarithm of the
  /// size where they do not grow, or are not known; constant beyond the points. Several points of
  /// one size count as their mean: means can be added up, medians of seconds that scatter cannot.
  double at(double bytes, const Machine& machine) const;
  /// Distance of the nearest point, in the logarithm.
  double distance(double bytes) const;
  /// The size of the nearest point; none: 0.
  double nearest(double bytes) const;
  /// Whether there are points on both sides.
  bool spans(double bytes) const;
  bool empty() const { return points_.empty(); }

 private:
  struct Point {
    double bytes = 0;
    double sum = 0;  ///< seconds
    int count = 0;
    double mean() const { return sum / count; }
  };
  std::vector<Point> points_;  ///< ascending
};

class Costs {
 public:
  /// @param records  of one program, the first for the sequences
  /// @param scale    all costs are multiplied by it
  /// @throws Failure  a record is that of another program
  Costs(std::span<const core::RunRecord> records, const Machine& machine, double scale);

  /// Of an iteration on a rank with so many working bytes; in tiles if a run of about this size had
  /// tiles.
  sched::LoopCost loop_cost(const std::string& loop, double bytes) const;

  /// Seconds between two flushes, of which the second is this sequence, and in its flush beside the
  /// iterations: those of records of one rank that have it, else as many per loop as the others; 0
  /// if not known.
  double host(const core::RecordedSequence& sequence) const;

  /// Loops whose time was only measured as part of a fused step, and was divided by bytes.
  const std::set<std::string>& divided() const { return divided_; }
  /// Loops without any time.
  std::set<std::string> unknown(const core::RunRecord& record) const;
  /// By which factor, at least 1, the time of a byte changes where a rank has so many working
  /// bytes: from half of them to twice as many, if smaller and larger sizes were recorded, else
  /// from the nearest size. 1: a size was recorded that differs by less than a quarter, or the
  /// caches are not known.
  double steepness(double bytes) const;

 private:
  struct Curves {
    CostCurve alone, tiled, fused;
  };
  void add(const core::RecordedCost& cost, const std::string& loop, double share, double bytes);
  void divide(const core::RunRecord& record, const core::RecordedCost& cost, double bytes);
  void add_host(const core::RunRecord& record);

  std::map<std::string, Curves> curves_;  ///< by loop
  std::vector<std::pair<core::RecordedSequence, core::RecordedHost>> host_;
  std::set<std::string> divided_;
  Machine machine_;
  double scale_;
};

}  // namespace op2::model
