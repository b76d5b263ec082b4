// SPDX-License-Identifier: BSD-3-Clause
#include <sched/widen.hpp>

#include <algorithm>

namespace op2::sched {

using core::ChainArg;
using core::ChainLoop;
using core::Level;

namespace {

bool is_direct(const ChainArg& arg) {
  return arg.map < 0;
}

bool share_rows(const ChainLoop& a, const ChainLoop& b) {
  return std::ranges::any_of(a.args, [&](const ChainArg& first) {
    return is_direct(first) && std::ranges::any_of(b.args, [&](const ChainArg& second) {
             return is_direct(second) && second.dat == first.dat;
           });
  });
}

class Widening {
 public:
  Widening(std::span<const ChainLoop> chain, const ChainDemand& demand,
           std::span<const Level> valid)
      : chain_(chain), demanded_(demand.extent), wider_(demand), valid_(valid) {}

  std::vector<Level> extents() {
    for (std::size_t begin = 0, end = 0; begin < chain_.size(); begin = end) {
      for (end = begin + 1; end < chain_.size() && are_neighbours(end - 1, end);) ++end;
      widen(begin, end);
    }
    return std::move(wider_.extent);
  }

 private:
  bool are_neighbours(std::size_t k, std::size_t next) const {
    return chain_[k].set == chain_[next].set && demanded_[k] != core::no_level &&
           demanded_[next] != core::no_level && share_rows(chain_[k], chain_[next]);
  }

  /// What runs as far as its predecessor goes on doing so.
  void widen(std::size_t begin, std::size_t end) {
    const Level furthest = *std::max_element(demanded_.begin() + static_cast<std::ptrdiff_t>(begin),
                                             demanded_.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t k = begin; k < end; ++k) {
      const bool follows = k > begin && demanded_[k] == demanded_[k - 1];
      const Level extent = follows ? wider_.extent[k - 1] : furthest;
      if (extent > demanded_[k] && may_run_on(extent, k)) wider_.extent[k] = extent;
    }
  }

  bool may_run_on(Level extent, std::size_t k) const {
    const ChainLoop& loop = chain_[k];
    if (loop.reduction || !std::ranges::all_of(loop.args, is_direct)) return false;
    const std::vector<Level> now = validity_after(chain_.first(k), wider_, valid_);
    return std::ranges::all_of(loop.args, [&](const ChainArg& arg) {
      return arg.access == OP_WRITE || now[arg.dat] >= extent;
    });
  }

  std::span<const ChainLoop> chain_;
  const std::vector<Level>& demanded_;
  ChainDemand wider_;
  std::span<const Level> valid_;
};

}  // namespace

std::vector<Level> widened_extents(std::span<const ChainLoop> chain, const ChainDemand& demand,
                                   std::span<const Level> valid) {
  return Widening(chain, demand, valid).extents();
}

}  // namespace op2::sched
