// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/trials.hpp>

#include <algorithm>
#include <utility>

namespace op2::sched {

Trials::Trials(std::vector<double> predicted, double plan_seconds, const TrialRules& rules)
    : rules_(rules),
      predicted_(std::move(predicted)),
      measured_(predicted_.size(), -1),
      runs_(predicted_.size(), 0),
      revised_(predicted_.size(), 0),
      wins_(predicted_.size(), 0),
      wait_(predicted_.size(), rules.first_wait),
      not_before_(predicted_.size(), 0),
      plan_seconds_(plan_seconds),
      choice_(static_cast<std::size_t>(std::ranges::min_element(predicted_) - predicted_.begin())),
      early_at_(rules.early_at) {
  runs_.front() = 1;
}

Trials::Turn Trials::next() {
  ++flushes_;
  if (!window_) open_window();
  if (!window_ || awaits_) {
    time_ += estimate(choice_);
    ++runs_[choice_];
    return {choice_, false};
  }
  time_ += estimate(window_->schedule);
  ++runs_[window_->schedule];
  const bool timed = window_->untimed == 0;
  --(timed ? window_->timed : window_->untimed);
  return {window_->schedule, timed};
}

bool Trials::is_to_be_revised() const {
  return awaits_ && window_->purpose == Purpose::baseline && !contender_ && revised_[choice_] == 0;
}

void Trials::revise(std::vector<double> predicted) {
  predict(std::move(predicted));
  revised_[choice_] = 1;
  choose_expected();
}

void Trials::expect(std::vector<double> predicted) {
  predicted_ = std::move(predicted);
}

void Trials::begin_anew(std::vector<double> predicted) {
  predict(std::move(predicted));
  std::ranges::fill(measured_, -1);
  std::ranges::fill(revised_, 0);
  std::ranges::fill(wins_, 0);
  std::ranges::fill(not_before_, 0);
  std::ranges::fill(wait_, rules_.first_wait);
  probed_ = false;
  begun_ = flushes_;
  early_at_ = flushes_ + rules_.early_at;
  changed_at_ = 0;
  choose_expected();
}

/// Of the schedules that there are, and of new ones.
void Trials::predict(std::vector<double> predicted) {
  predicted_ = std::move(predicted);
  const std::size_t count = predicted_.size();
  measured_.resize(count, -1);
  for (std::vector<std::int64_t>* of : {&runs_, &wins_, &not_before_}) of->resize(count, 0);
  wait_.resize(count, rules_.first_wait);
  revised_.resize(count, 0);
}

/// The schedule that should be the fastest, if it is faster than the choice.
void Trials::choose_expected() {
  std::size_t best = choice_;
  for (std::size_t k = 0; k < predicted_.size(); ++k)
    if (estimate(k) < estimate(best)) best = k;
  if (is_faster(best)) choice_ = best;
}

void Trials::add(double seconds) {
  times_.push_back(seconds);
  awaits_ = window_->timed == 0;
  if (awaits_) times_.push_back(std::exchange(preparing_, 0));
}

void Trials::prepared(double seconds) {
  preparing_ += seconds;
}

std::span<const double> Trials::to_agree() const {
  return awaits_ ? std::span(times_) : std::span<const double>();
}

void Trials::agree(std::span<const double> agreed, double reduction) {
  const std::span<const double> greatest = agreed.first(agreed.size() - 1);
  const Window ended = *window_;
  window_.reset();
  awaits_ = false;
  times_.clear();
  reduction_ = reduction;
  measured_[ended.schedule] = std::ranges::min(greatest);
  // Also of the choice, after a trial: it may need plans for the halos that the other one has left.
  if (ended.purpose != Purpose::baseline || contender_)
    spent_ += agreed.back() - ended.reserved + reduction;
  if (ended.purpose == Purpose::baseline) {
    if (contender_) compare();
    return;
  }
  spent_ += excess(ended.schedule) * (static_cast<double>(greatest.size()) + rules_.settling);
  if (ended.purpose == Purpose::trial) contender_ = ended.schedule;
}

std::optional<double> Trials::measured(std::size_t schedule) const {
  if (measured_[schedule] < 0) return std::nullopt;
  return measured_[schedule];
}

/// The choice, whose time is fresh, against what was tried just before.
void Trials::compare() {
  const std::size_t other = *std::exchange(contender_, std::nullopt);
  if (is_faster(other)) {
    if (++wins_[other] < rules_.wins) return;
    choice_ = other;
    changed_at_ = flushes_;
    std::ranges::fill(wins_, 0);
  } else {
    wins_[other] = 0;
    not_before_[other] = flushes_ + wait_[other];
    wait_[other] *= rules_.longer_wait;
  }
}

void Trials::open_window() {
  if (predicted_.size() == 1) return;
  if (measured_[choice_] < 0 || contender_) {
    window_ = {Purpose::baseline, choice_, rules_.settling, rules_.executions, 0};
    return;
  }
  if (!open_probe() && !open_early_trial()) open_trial();
}

/// Of the schedules but the choice that are possible the one with the least rank, the first if
/// several have it.
template <class IsPossible, class Rank>
std::optional<std::size_t> Trials::best_of(const IsPossible& is_possible, const Rank& rank) const {
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < predicted_.size(); ++k)
    if (k != choice_ && is_possible(k) && (!best || rank(k) < rank(*best))) best = k;
  return best;
}

/// A model that is wrong makes trials look too dear: so the best alternative whose plan is made, or
/// cheap by now, runs early, even if no budget is there yet.
bool Trials::open_probe() {
  if (probed_ || flushes_ < rules_.probe_at) return false;
  const auto best = best_of(
      [&](std::size_t k) { return measured_[k] < 0 && cost_of_plan(k) <= rules_.budget * time_; },
      [&](std::size_t k) { return estimate(k); });
  if (!best) return false;
  probed_ = true;
  const double within = revised_[choice_] != 0 ? rules_.revised_within : rules_.probe_within;
  if (estimate(*best) > within * estimate(choice_)) return false;
  open(Purpose::probe, *best, rules_.probe_executions);
  return true;
}

/// Between two schedules that should be equally fast the model has not decided anything. To make
/// the plans of one that has never run takes few flushes, which are little of a thousand; the wrong
/// one may cost more in all of them, until there is a budget.
bool Trials::open_early_trial() {
  if (!early_at_ || flushes_ < *early_at_) return false;
  const auto best = best_of([&](std::size_t k) { return measured_[k] < 0; },
                            [&](std::size_t k) { return estimate(k); });
  if (!best || estimate(*best) > rules_.early_within * estimate(choice_) ||
      cost_of_plan(*best) > rules_.early_plans * estimate(choice_))
    return false;
  early_at_.reset();
  open(Purpose::trial, *best, rules_.executions);
  return true;
}

/// The schedule that is expected to be the fastest of those that may be tried now; first those that
/// were faster when they ran last, then those that have never run, or the cheap ones would use up
/// the budget again and again. What has just been faster is tried once more whatever the budget: it
/// should gain.
bool Trials::open_trial() {
  const auto best = best_of(
      [&](std::size_t k) { return flushes_ >= not_before_[k]; },
      [&](std::size_t k) {
        const bool gains = measured_[k] >= 0 && is_faster(k);
        return std::pair(wins_[k] > 0 ? 0 : gains ? 1 : measured_[k] < 0 ? 2 : 3, estimate(k));
      });
  if (!best || (wins_[*best] == 0 && !is_affordable(*best))) return false;
  open(Purpose::trial, *best, rules_.executions);
  return true;
}

bool Trials::is_affordable(std::size_t schedule) const {
  constexpr int agreements = 2;  // on what is tried, and on the choice that follows
  const double cost =
      extra_cost(schedule, rules_.executions + rules_.settling) + agreements * reduction_;
  const double gain = estimate(choice_) - estimate(schedule);  // of a flush
  const double gained = is_faster(schedule) ? gain * static_cast<double>(flushes_ - begun_) : 0;
  const bool is_bounded = measured_[schedule] >= 0 || spent_ <= rules_.most_budget * time_;
  if (cost <= gained && is_bounded) return true;
  return spent_ + rules_.safety * cost <= rules_.budget * time_;
}

/// Of a schedule that is not the choice.
void Trials::open(Purpose purpose, std::size_t schedule, int executions) {
  const double plans = cost_of_plan(schedule);
  spent_ += plans;
  window_ = {purpose, schedule, rules_.settling, executions, plans};
}

double Trials::estimate(std::size_t schedule) const {
  if (measured_[schedule] >= 0) return measured_[schedule];
  const double scale = measured_[choice_] >= 0 && predicted_[choice_] > 0
                           ? measured_[choice_] / predicted_[choice_]
                           : 1;
  return scale * predicted_[schedule];
}

/// Than the choice, as measured or expected, by more than the hysteresis.
bool Trials::is_faster(std::size_t schedule) const {
  return estimate(schedule) < (1 - rules_.hysteresis) * estimate(choice_);
}

/// By how much a flush takes longer than with the choice.
double Trials::excess(std::size_t schedule) const {
  return std::max(0.0, estimate(schedule) - estimate(choice_));
}

double Trials::extra_cost(std::size_t schedule, int executions) const {
  return excess(schedule) * executions + cost_of_plan(schedule);
}

double Trials::cost_of_plan(std::size_t schedule) const {
  return runs_[schedule] != 0 ? 0 : plan_seconds_;
}

}  // namespace op2::sched
