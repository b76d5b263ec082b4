// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/choice.hpp>

#include <algorithm>

namespace op2::sched {

Choice::Choice(std::vector<double> predicted, const ExtraCosts& extra, const ChoiceRules& rules)
    : rules_(rules),
      extra_(extra),
      predicted_(std::move(predicted)),
      measured_(predicted_.size(), -1),
      has_run_(predicted_.size(), 0),
      choice_(static_cast<std::size_t>(std::ranges::min_element(predicted_) - predicted_.begin())),
      not_before_(rules.first_comparison) {
  has_run_.front() = 1;
}

Choice::Turn Choice::next() {
  ++flushes_;
  if (turns_.empty()) begin_measurement();
  Turn turn{choice_, false};
  if (!turns_.empty()) {
    turn = turns_.back();
    turns_.pop_back();
  }
  time_ += estimate(turn.schedule);
  has_run_[turn.schedule] = 1;
  return turn;
}

std::span<const double> Choice::to_agree() const {
  return turns_.empty() ? std::span(times_) : std::span<const double>();
}

void Choice::agree(std::span<const double> agreed) {
  const auto count = static_cast<std::size_t>(rules_.executions);
  if (other_) measured_[*other_] = std::ranges::min(agreed.first(count));
  measured_[choice_] = std::ranges::min(agreed.last(count));
  if (other_ && is_faster(*other_)) {
    choice_ = *other_;
    changed_at_ = flushes_;
  }
  other_.reset();
  times_.clear();
}

void Choice::expect(std::vector<double> predicted) {
  predicted_ = std::move(predicted);
  measured_.resize(predicted_.size(), -1);
  has_run_.resize(predicted_.size(), 0);
  std::size_t best = choice_;
  for (std::size_t k = 0; k < predicted_.size(); ++k)
    if (estimate(k) < estimate(best)) best = k;
  if (is_faster(best)) choice_ = best;
}

std::optional<double> Choice::measured(std::size_t schedule) const {
  if (measured_[schedule] < 0) return std::nullopt;
  return measured_[schedule];
}

/// First of the choice; later a comparison with the schedule that should be the fastest of the
/// others, those that were slower when they ran last of all.
void Choice::begin_measurement() {
  if (predicted_.size() == 1) return;
  if (measured_[choice_] < 0) return measure(choice_);
  if (flushes_ < not_before_) return;
  const auto rank = [&](std::size_t k) {
    return std::pair(measured_[k] >= 0 && !is_faster(k), estimate(k));
  };
  for (std::size_t k = 0; k < predicted_.size(); ++k)
    if (k != choice_ && is_affordable(k) && (!other_ || rank(k) < rank(*other_))) other_ = k;
  if (!other_) return;
  not_before_ = rules_.next_comparison * flushes_;
  measure(choice_);
  measure(*other_);
}

/// The budget keeps short runs from comparisons that they cannot gain by. But between schedules
/// that should take about as long the model has not decided anything, and the wrong one may cost
/// more in all flushes until there is a budget.
bool Choice::is_affordable(std::size_t schedule) const {
  const double chosen = estimate(choice_), other = estimate(schedule);
  const double plans = has_run_[schedule] != 0 ? 0 : extra_.plans;
  const double cost = std::max(0.0, other - chosen) * (rules_.settling + rules_.executions) +
                      plans + extra_.agreement;
  if (cost <= rules_.budget * time_) return true;
  return measured_[schedule] < 0 && flushes_ >= rules_.early &&
         other <= rules_.early_within * chosen && plans <= rules_.early_plans * chosen;
}

/// Before what is to be measured already.
void Choice::measure(std::size_t schedule) {
  turns_.insert(turns_.end(), static_cast<std::size_t>(rules_.executions), {schedule, true});
  turns_.insert(turns_.end(), static_cast<std::size_t>(rules_.settling), {schedule, false});
}

/// As measured; what has not run, as the model sees it beside the choice.
double Choice::estimate(std::size_t schedule) const {
  if (measured_[schedule] >= 0) return measured_[schedule];
  const double scale = measured_[choice_] >= 0 && predicted_[choice_] > 0
                           ? measured_[choice_] / predicted_[choice_]
                           : 1;
  return scale * predicted_[schedule];
}

bool Choice::is_faster(std::size_t schedule) const {
  return estimate(schedule) < (1 - rules_.hysteresis) * estimate(choice_);
}

}  // namespace op2::sched
