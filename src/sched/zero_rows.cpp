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
      if (arg.modifies_dat() && std::ranges::find(dats, arg.dat) == dats.end())
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

/// The next step behind `s` that accesses a dat, or null.
Step* next_user(Steps& steps, std::size_t s, const core::Dat* dat) {
  for (std::size_t next = s + 1; next < steps.all.size(); ++next)
    if (steps.all[next].runs() && accesses(steps.all[next].args, dat)) return &steps.all[next];
  return nullptr;
}

/// Whether a step may take the sums that an earlier one has left at zero for that unseen: it runs
/// on no other rows. What an exchange between them brings of these rows is not looked at.
bool starts_from_zero(const Step& step, const Step& earlier, const core::Dat* dat) {
  const std::vector<const core::Dat*> sums = sums_of(step);
  return std::ranges::find(sums, dat) != sums.end() && step.levels.extent <= earlier.levels.extent;
}

}  // namespace

void leave_out_zeros(Steps& steps, const LeavesZero& leaves_zero) {
  for (std::size_t s = 0; s < steps.all.size(); ++s) {
    Step& step = steps.all[s];
    if (!step.gathers()) continue;
    for (const core::Dat* dat : sums_of(step)) {
      if (!ends_with_zeros(step, dat, leaves_zero)) continue;
      Step* next = next_user(steps, s, dat);
      if (next == nullptr || !starts_from_zero(*next, step, dat)) continue;
      step.not_kept.push_back(dat);
      next->from_zero.push_back(dat);
    }
  }
}

}  // namespace op2::sched
