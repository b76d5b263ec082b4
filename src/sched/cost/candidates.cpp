// SPDX-License-Identifier: BSD-3-Clause
#include <sched/cost/candidates.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/text.hpp>

namespace op2::sched {
namespace {

using Ranges = std::vector<RecordRange>;

/// Groups of the loops before some position, and what they have led to.
struct Partial {
  Ranges groups;
  std::vector<core::Level> valid;
  double seconds = 0;
};

/// Dynamic programming over the positions between loops: at each the best few ways to group the
/// loops before it. One is not enough, because what follows depends on the halos that it leaves.
class GroupSearch {
 public:
  explicit GroupSearch(const CandidateInputs& inputs) : in_(inputs) {
    for (const RecordRange& chain : cut_for(in_.queue, {Schedule::Kind::cuts, {}}, in_.limits)) {
      const Ranges loops = loops_of(in_.queue, chain);
      loops_.insert(loops_.end(), loops.begin(), loops.end());
      ends_.resize(loops_.size(), loops_.size());
    }
    longest_ =
        std::max<std::size_t>(2, most_analyses / (kept * std::max<std::size_t>(1, loops_.size())));
  }

  /// The best groups of all loops, by ascending time.
  std::vector<Ranges> run() {
    std::vector<std::vector<Partial>> best(loops_.size() + 1);
    best.front().push_back({{}, in_.halos.valid, 0});
    for (std::size_t k = 0; k < loops_.size(); ++k)
      for (const Partial& before : best[k]) extend(before, k, best);
    std::vector<Ranges> found;
    for (Partial& all : best.back()) found.push_back(std::move(all.groups));
    return found;
  }

 private:
  static constexpr std::size_t kept = most_cuts + 2;  // off and on may be among them

  void extend(const Partial& before, std::size_t k, std::vector<std::vector<Partial>>& best) const {
    for (std::size_t end = k + 1; end <= std::min(ends_[k], k + longest_); ++end) {
      const RecordRange group{loops_[k].begin, loops_[end - 1].end};
      const Analysis made =
          analyse(in_.queue, {group}, before.valid, {Halos::per_chain, in_.limits.keep_all});
      if (end > k + 1 && made.rows > in_.limits.rows) return;
      Partial after{before.groups, made.valid_after, before.seconds};
      after.groups.push_back(group);
      after.seconds += predicted_seconds(work_of(in_.queue, made, in_.sizes, in_.tiles), in_.costs);
      keep(std::move(after), best[end]);
    }
  }

  static void keep(Partial partial, std::vector<Partial>& best) {
    const auto same = [&](const Partial& other) {  // groups that change nothing
      return other.seconds == partial.seconds && other.valid == partial.valid;
    };
    if (std::ranges::any_of(best, same)) return;
    const auto place = std::ranges::upper_bound(best, partial.seconds, {}, &Partial::seconds);
    best.insert(place, std::move(partial));
    if (best.size() > kept) best.pop_back();
  }

  /// So that the search costs about as much as a plan.
  static constexpr std::size_t most_analyses = 2000;

  const CandidateInputs& in_;
  std::size_t longest_;            ///< loops of a group; longer chains are what `on` is for
  Ranges loops_;                   ///< each with the assignments before it
  std::vector<std::size_t> ends_;  ///< per loop: one past the last of its chain
};

/// Whether two schedules lead to the same work, so that one of them is enough.
bool same_work(const FlushWork& a, const FlushWork& b) {
  const auto same_loops = [](const LoopWork& x, const LoopWork& y) {
    return x.loop == y.loop && x.interior.iterations == y.interior.iterations &&
           x.boundary.iterations == y.boundary.iterations;
  };
  return std::ranges::equal(a.chains, b.chains,
                            [&](const ChainWork& x, const ChainWork& y) {
                              return x.exchange.has_value() == y.exchange.has_value() &&
                                     std::ranges::equal(x.loops, y.loops, same_loops);
                            }) &&
         a.bytes() == b.bytes();
}

void add_if_different(Candidate made, std::vector<Candidate>& all) {
  const auto known = [&](const Candidate& other) { return same_work(other.work, made.work); };
  if (std::ranges::none_of(all, known)) all.push_back(std::move(made));
}

/// Seconds of all iterations, in the ways of the schedule or all alone.
double seconds_of_loops(const FlushWork& work, const Costs& costs, bool alone) {
  double seconds = 0;
  for (const ChainWork& chain : work.chains) {
    if (!alone)
      for (const auto phase : {&LoopWork::interior, &LoopWork::boundary})
        seconds += seconds_of(chain, phase, costs.loops);
    else
      for (const LoopWork& loop : chain.loops)
        seconds += loop.iterations() * costs.loops[loop.loop].in(Way::alone);
  }
  return seconds;
}

}  // namespace

Ranges cut_for(const core::Queue& queue, const Schedule& schedule, const ChainLimits& limits) {
  if (schedule.kind == Schedule::Kind::on) return cut_chains(queue, limits);
  return cut_chains(queue, {core::every_level, limits.keep_all});
}

Analysis analyse_for(const core::Queue& queue, const Schedule& schedule, const Ranges& cut,
                     const std::vector<core::Level>& valid, AnalysisOptions options) {
  if (options.halos != Halos::none)
    options.halos = schedule.kind == Schedule::Kind::off ? Halos::per_loop : Halos::per_chain;
  return analyse(queue, cut, valid, options, schedule.groups);
}

Candidate candidate_of(Schedule schedule, const CandidateInputs& in) {
  const Ranges cut = cut_for(in.queue, schedule, in.limits);
  const auto analyse_from = [&](const std::vector<core::Level>& valid) {
    return analyse_for(in.queue, schedule, cut, valid, {Halos::per_chain, in.limits.keep_all});
  };
  const Analysis again = analyse_from(in.halos.after(analyse_from(in.halos.valid).valid_after));
  Candidate made{std::move(schedule), work_of(in.queue, again, in.sizes, in.tiles), 0};
  made.seconds = expected_seconds(made.work, in.costs);
  return made;
}

std::vector<Candidate> find_candidates(const CandidateInputs& inputs) {
  std::vector<Candidate> all{candidate_of({Schedule::Kind::off, {}}, inputs)};
  const auto add = [&](Candidate made) { add_if_different(std::move(made), all); };
  add(candidate_of({Schedule::Kind::on, {}}, inputs));
  std::vector<Candidate> cuts;
  for (Ranges& groups : GroupSearch(inputs).run())
    cuts.push_back(candidate_of({Schedule::Kind::cuts, std::move(groups)}, inputs));
  std::ranges::stable_sort(cuts, {}, &Candidate::seconds);
  const std::size_t most = all.size() + most_cuts;
  for (Candidate& made : cuts)
    if (all.size() < most) add(std::move(made));
  return all;
}

void reevaluate(std::vector<Candidate>& candidates, const CandidateInputs& inputs) {
  for (Candidate& known : candidates)
    if (known.schedule.single_rows)
      known.seconds = expected_seconds(known.work, inputs.costs);
    else
      known = candidate_of(std::move(known.schedule), inputs);
}

void append_new(std::vector<Candidate>& candidates, const CandidateInputs& inputs) {
  constexpr std::size_t most = 2 + 2 * most_cuts;
  for (Candidate& found : find_candidates(inputs))
    if (candidates.size() < most &&
        std::ranges::find(candidates, found.schedule, &Candidate::schedule) == candidates.end())
      add_if_different(std::move(found), candidates);
}

std::string explain(const core::Queue& queue, const Candidate& chosen, const Candidate& off,
                    const Costs& costs) {
  std::vector<std::string> chained;
  for (const ChainWork& chain : chosen.work.chains)
    if (chain.loops.size() > 1)
      chained.push_back(fmt::format("{}..{}", chain.loops.front().loop, chain.loops.back().loop));
  const char* const rows = chosen.schedule.single_rows ? ", single rows of halos" : "";
  if (chosen.schedule.kind == Schedule::Kind::off || chained.empty())
    return core::counted(queue.size(), "loop") + ", an exchange for each that needs one" + rows;
  const double tiled = seconds_of_loops(chosen.work, costs, false);
  const double gain = tiled > 0 ? seconds_of_loops(chosen.work, costs, true) / tiled : 1;
  const double of_off = off.work.iterations();
  const double more = of_off > 0 ? chosen.work.iterations() / of_off - 1 : 0;
  return fmt::format(
      "loops {} chained: saves {}, {:+.1f} % iterations, tiles {:.2f}x{}", fmt::join(chained, ", "),
      core::counted(std::llround(off.work.exchanges() - chosen.work.exchanges()), "exchange"),
      100 * more, gain, rows);
}

}  // namespace op2::sched
