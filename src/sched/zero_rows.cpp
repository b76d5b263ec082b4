// SPDX-License-Identifier: BSD-3-Clause
#include <sched/zero_rows.hpp>

#include <algorithm>

namespace op2::sched {
namespace {

using LeavesZero = std::function<bool(const ArgSource&)>;

bool accesses(std::span<const core::LoopArg> args, const core::Dat* dat) {
  return std::ranges::any_of(
      args, [&](const core::LoopArg& arg) { return arg.is_active_dat() && arg.dat == dat; });
}

/// The dats that other loops add to and a step gathers.
std::vector<const core::Dat*> sums_of(const Step& step) {
  std::vector<const core::Dat*> dats;
  std::vector<SetArgs> loops = step.accesses();
  loops.pop_back();
  for (const SetArgs& loop : loops)
    for (const core::LoopArg& arg : loop.args)
      if (arg.is_active_dat() && arg.modifies() && std::ranges::find(dats, arg.dat) == dats.end())
        dats.push_back(arg.dat);
  return dats;
}

/// Whether the last kernel that accesses a sum does so by one argument, which leaves zeros.
bool ends_with_zeros(const Step& step, const core::Dat* dat, const LeavesZero& leaves_zero) {
  for (std::size_t n = step.kernels.size(); n-- > step.gathered.size();) {
    const KernelUse& use = step.kernels[n];
    int count = 0;
    std::size_t last = 0;
    for (std::size_t k = 0; k < use.args.size(); ++k) {
      const core::LoopArg& arg = step.args[static_cast<std::size_t>(use.args[k].position)];
      if (!arg.is_active_dat() || arg.dat != dat) continue;
      last = k;
      ++count;
    }
    if (count > 0) return count == 1 && leaves_zero({use.record, last});
  }
  return false;
}

/// Whether an exchange sends rows of a dat between two steps.
bool sends_between(const Steps& steps, const std::vector<Chain>& chains, std::size_t first,
                   std::size_t last, const core::Dat* dat) {
  for (std::size_t chain = 0; chain < chains.size(); ++chain) {
    const bool is_between = first < steps.begin[chain] && steps.begin[chain] <= last;
    if (is_between && std::ranges::find(chains[chain].exchanged, dat, &comm::DatLayers::dat) !=
                          chains[chain].exchanged.end())
      return true;
  }
  return false;
}

/// The next step behind `s` that accesses a dat, or the number of steps.
std::size_t next_user(const Steps& steps, std::size_t s, const core::Dat* dat) {
  std::size_t next = s + 1;
  while (next < steps.all.size() &&
         !(steps.all[next].runs() && accesses(steps.all[next].args, dat)))
    ++next;
  return next;
}

/// Whether the next user of rows that step `s` leaves at zero may take them for that unseen.
bool starts_from_zero(const Steps& steps, const std::vector<Chain>& chains, std::size_t s,
                      std::size_t next, const core::Dat* dat) {
  if (next == steps.all.size() || sends_between(steps, chains, s, next, dat)) return false;
  const std::vector<const core::Dat*> sums = sums_of(steps.all[next]);
  return std::ranges::find(sums, dat) != sums.end() &&
         steps.all[next].levels.extent <= steps.all[s].levels.extent;
}

}  // namespace

void leave_out_zeros(Steps& steps, const std::vector<Chain>& chains,
                     const LeavesZero& leaves_zero) {
  for (std::size_t s = 0; s < steps.all.size(); ++s) {
    Step& step = steps.all[s];
    if (!step.gathers()) continue;
    for (const core::Dat* dat : sums_of(step)) {
      if (!ends_with_zeros(step, dat, leaves_zero)) continue;
      const std::size_t next = next_user(steps, s, dat);
      if (!starts_from_zero(steps, chains, s, next, dat)) continue;
      step.not_kept.push_back(dat);
      steps.all[next].from_zero.push_back(dat);
    }
  }
}

}  // namespace op2::sched
