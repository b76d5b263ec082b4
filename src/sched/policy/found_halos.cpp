// SPDX-License-Identifier: BSD-3-Clause
#include <sched/policy/found_halos.hpp>

#include <cstddef>

namespace op2::sched {

std::vector<core::Level> FoundHalos::after(std::vector<core::Level> left) const {
  for (std::size_t dat = 0; dat < is_others.size(); ++dat)
    if (is_others[dat] != 0) left[dat] = valid[dat];
  return left;
}

bool FoundHalos::differ_by_others(const FoundHalos& before) const {
  if (is_others != before.is_others) return true;
  for (std::size_t dat = 0; dat < is_others.size(); ++dat)
    if (is_others[dat] != 0 && valid[dat] != before.valid[dat]) return true;
  return false;
}

void HaloHistory::begin(const core::Queue& queue, const std::vector<core::Level>& valid,
                        FoundHalos& found) {
  const std::size_t dats = valid.size();
  changed_.resize(dats, flush_);
  valid_.resize(dats, 0);
  found.is_others.assign(dats, 0);
  for (std::size_t dat = 0; dat < dats; ++dat) {
    if (valid[dat] != valid_[dat]) changed_[dat] = flush_;
    if (changed_[dat] > found.flush) found.is_others[dat] = 1;
  }
  valid_ = found.valid = valid;
  found.flush = ++flush_;
  for (const core::LoopArg& arg : queue.args())
    if (arg.is_active_dat() && arg.modifies())
      changed_[static_cast<std::size_t>(arg.dat->index)] = flush_;
}

}  // namespace op2::sched
