// SPDX-License-Identifier: BSD-3-Clause
#include <sched/cost/found_halos.hpp>

#include <algorithm>
#include <cstddef>

namespace op2::sched {

std::vector<core::Level> FoundHalos::after(std::vector<core::Level> left) const {
  for (std::size_t dat = 0; dat < changes.size(); ++dat) {
    if (changes[dat] == Change::written) left[dat] = valid[dat];
    if (changes[dat] == Change::exchanged) left[dat] = std::max(left[dat], valid[dat]);
  }
  return left;
}

bool FoundHalos::differ_by_others(const FoundHalos& before) const {
  for (std::size_t dat = 0; dat < changes.size(); ++dat) {
    const bool was = dat < before.changes.size() && before.changes[dat] == Change::written;
    const bool is = changes[dat] == Change::written;
    if (is != was || (is && valid[dat] != before.valid[dat])) return true;
  }
  return false;
}

void HaloHistory::begin(const core::Queue& queue, const std::vector<core::Level>& valid,
                        FoundHalos& found) {
  const std::size_t dats = valid.size();
  written_.resize(dats, 0);
  changed_.resize(dats, 0);
  valid_.resize(dats, 0);
  for (std::size_t dat = 0; dat < dats; ++dat)
    if (valid[dat] != valid_[dat]) changed_[dat] = flush_;
  found.changes.assign(dats, FoundHalos::Change::none);
  for (const core::LoopArg& arg : queue.args()) {
    if (!arg.is_active_dat()) continue;
    const auto dat = static_cast<std::size_t>(arg.dat->index);
    if (changed_[dat] > found.flush) found.changes[dat] = FoundHalos::Change::exchanged;
    if (written_[dat] > found.flush) found.changes[dat] = FoundHalos::Change::written;
  }
  valid_ = found.valid = valid;
  found.flush = ++flush_;
  for (const core::LoopArg& arg : queue.args())
    if (arg.modifies_dat()) written_[arg.dat->index] = flush_;
}

}  // namespace op2::sched
