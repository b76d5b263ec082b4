// SPDX-License-Identifier: BSD-3-Clause
// Which of several schedules of one sequence runs next: that of the model, which is measured; then
// it is compared now and then with the one that should be the best of the others. Pure: a function
// of agreed numbers and of the count of flushes, so that all ranks decide alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace op2::sched {

struct ChoiceRules {
  int settling = 2;          ///< executions that are not timed: with halos of another schedule, and
                             ///< without tiles
  int executions = 3;        ///< then so many are; the shortest counts
  double hysteresis = 0.02;  ///< so much faster must another schedule be
  int first_comparison = 8;  ///< flush from which on the choice is compared with another one,
  int next_comparison = 2;   ///< then after so many times as many flushes
  double budget = 0.01;      ///< of the time so far, for the extra cost of a comparison
  int early = 100;           ///< flush from which on the budget does not count for one that
  double early_within = 1.1;  ///< should take at most so many times as long as the choice,
  double early_plans = 8;     ///< and its plans at most so many flushes
};

/// Seconds that a choice must count with besides those of flushes; uniform.
struct ExtraCosts {
  double plans = 0;      ///< of a schedule that has not run yet
  double agreement = 0;  ///< of the ranks on a measurement
};

class Choice {
 public:
  /// @param predicted  seconds of a flush in each schedule, of which the first has run; uniform,
  ///                   not empty
  Choice(std::vector<double> predicted, const ExtraCosts& extra, const ChoiceRules& rules = {});

  struct Turn {
    std::size_t schedule;
    bool timed;  ///< the caller gives the time of this flush to `add`
  };
  /// What runs in the next flush. Not before the ranks have agreed on complete times.
  Turn next();
  /// Local: seconds of the flush that was to be timed.
  void add(double seconds) { times_.push_back(seconds); }

  /// Times of this rank on which the ranks must agree before the next flush; empty: none, or not
  /// complete. Their number is uniform.
  std::span<const double> to_agree() const;
  /// Whether they are the first ones of the choice.
  bool is_first_measurement() const { return !other_; }
  /// The greatest of all ranks, for each of `to_agree`. Then the model says what it expects now of
  /// the same schedules, and maybe of some more. Uniform.
  void agree(std::span<const double> agreed);
  void expect(std::vector<double> predicted);

  std::size_t choice() const { return choice_; }
  /// Seconds of a flush as measured last; nothing before.
  std::optional<double> measured(std::size_t schedule) const;
  /// The flush in which a comparison has changed the choice last; 0: it is the model's.
  std::int64_t changed_at() const { return changed_at_; }

 private:
  void begin_measurement();
  bool is_affordable(std::size_t schedule) const;
  void measure(std::size_t schedule);
  double estimate(std::size_t schedule) const;
  bool is_faster(std::size_t schedule) const;

  const ChoiceRules rules_;
  const ExtraCosts extra_;
  std::vector<double> predicted_;
  std::vector<double> measured_;  ///< negative: not yet
  std::vector<char> has_run_;     ///< then its plans are made
  std::size_t choice_;
  std::vector<Turn> turns_;           ///< of the measurement, the last first
  std::optional<std::size_t> other_;  ///< that the choice is compared with; it runs first
  std::vector<double> times_;
  std::int64_t flushes_ = 0, not_before_, changed_at_ = 0;
  double time_ = 0;  ///< so far
};

}  // namespace op2::sched
