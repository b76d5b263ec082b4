// SPDX-License-Identifier: BSD-3-Clause
// Which of several schedules of one sequence runs next: that of the model first, then what trials
// with a budget show. Pure: a function of agreed numbers and of the count of flushes, so that all
// ranks decide alike. The promise: trials take less than `budget` of the time, but for a free
// probe, a single early trial, the second trial after a won one, and those that should gain what
// they cost in as many flushes as there have been, up to `most_budget`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace op2::sched {

struct TrialRules {
  double budget = 0.01;          ///< of the time so far, for all extra costs of trials
  double most_budget = 0.1;      ///< the same if what has never run should pay back its cost
  double safety = 2;             ///< factor on the cost that is expected of a trial
  double hysteresis = 0.02;      ///< so much faster must a schedule be
  int wins = 2;                  ///< trials in which it must be
  int executions = 3;            ///< that are timed in a trial; the shortest counts
  int settling = 2;              ///< before them: with halos of another schedule, and without tiles
  int probe_at = 8;              ///< flush from which on another is tried,
  int probe_executions = 2;      ///< timed so often,
  double probe_within = 2;       ///< if it is expected to take at most so many times as long;
  double revised_within = 1.25;  ///< the same once the model knows what the choice has taken
  int early_at = 100;            ///< flush from which on one that has never run is tried once,
  double early_within = 1.1;     ///< if it is expected to take at most so many times as long,
  double early_plans = 8;        ///< and its plans at most so many flushes
  int first_wait = 16;           ///< flushes after a lost trial,
  int longer_wait = 4;           ///< and so many times as many after the next
};

class Trials {
 public:
  /// @param predicted     seconds of a flush in each schedule, of which the first has run; uniform,
  ///                      not empty
  /// @param plan_seconds  what a schedule costs that has not run yet: its plans; uniform
  Trials(std::vector<double> predicted, double plan_seconds, const TrialRules& rules = {});

  struct Turn {
    std::size_t schedule;
    bool timed;  ///< the caller gives the time of this flush to `add`
  };
  /// What runs in the next flush.
  Turn next();

  /// Whether the model should say again what it expects when the ranks have agreed on these times,
  /// since they are the first of a choice that is its own. Once for each schedule.
  bool is_to_be_revised() const;
  /// What it expects now, of the same schedules, and maybe of some more; after `agree`. Uniform.
  void revise(std::vector<double> predicted);

  /// What the model expects of the same schedules, as far as they have not run. Uniform.
  void expect(std::vector<double> predicted);

  /// Whether nothing is being measured.
  bool is_idle() const { return !window_ && !contender_; }
  /// When conditions have changed, so that no time counts any more, while nothing is being
  /// measured.
  /// @param predicted  of the same schedules, and maybe of some more; uniform
  void begin_anew(std::vector<double> predicted);

  /// Local: seconds that plans have taken in a flush, before `add`.
  void prepared(double seconds);
  /// Local: seconds of the flush that was to be timed.
  void add(double seconds);

  /// Times of this rank that the ranks have not agreed on yet, of the timed flushes and last of all
  /// plans; empty: none, or still incomplete.
  std::span<const double> to_agree() const;
  /// The greatest of all ranks, for each of `to_agree`; at the same flush on all ranks.
  /// @param reduction  seconds of the reduction that was made for it; uniform. 0: it travelled with
  ///                   one of the program
  void agree(std::span<const double> agreed, double reduction = 0);

  std::size_t choice() const { return choice_; }
  /// Seconds of a flush as measured last; nothing before.
  std::optional<double> measured(std::size_t schedule) const;
  /// The flush in which the choice was last changed; 0: it is the model's.
  std::int64_t changed_at() const { return changed_at_; }

 private:
  enum class Purpose { baseline, probe, trial };
  /// Executions of a schedule in a row, of which the first are not timed.
  struct Window {
    Purpose purpose;
    std::size_t schedule;
    int untimed, timed;  ///< that are left
    double reserved;     ///< of the budget, for its plans
  };
  void open_window();
  template <class IsPossible, class Rank>
  std::optional<std::size_t> best_of(const IsPossible& is_possible, const Rank& rank) const;
  bool open_probe();
  bool open_early_trial();
  bool open_trial();
  bool is_affordable(std::size_t schedule) const;
  void open(Purpose purpose, std::size_t schedule, int executions);
  void compare();
  void predict(std::vector<double> predicted);
  void choose_expected();
  double estimate(std::size_t schedule) const;
  bool is_faster(std::size_t schedule) const;
  double extra_cost(std::size_t schedule, int executions) const;
  double cost_of_plan(std::size_t schedule) const;
  double excess(std::size_t schedule) const;

  const TrialRules rules_;
  std::vector<double> predicted_;
  std::vector<double> measured_;    ///< negative: not yet
  std::vector<std::int64_t> runs_;  ///< how often it has run; if ever, its plan is made
  std::vector<char> revised_;       ///< the model has been asked again when it was the choice
  std::vector<std::int64_t> wins_, wait_, not_before_;
  const double plan_seconds_;
  std::size_t choice_;
  std::optional<Window> window_;
  bool awaits_ = false;  ///< the times of `window_` are complete, not agreed
  std::vector<double> times_;
  double preparing_ = 0;                  ///< seconds of plans since the last window was complete
  double reduction_ = 0;                  ///< of the last agreement
  std::optional<std::size_t> contender_;  ///< was tried; the choice is timed again to compare
  bool probed_ = false;
  std::optional<std::int64_t> early_at_;  ///< flush from which on there may be an early trial
  double time_ = 0, spent_ = 0;           ///< so far, and of that on trials
  std::int64_t flushes_ = 0, changed_at_ = 0;
  std::int64_t begun_ = 0;  ///< flushes before the conditions were those of today
};

}  // namespace op2::sched
