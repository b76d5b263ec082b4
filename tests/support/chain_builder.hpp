// SPDX-License-Identifier: BSD-3-Clause
// Chains in words: chain_of(loop().read(x, e2n).inc(sum, e2n), loop().reduce().read(sum)).
#pragma once

#include <vector>

#include <core/levels.hpp>

namespace op2::test {

/// The map of a direct argument.
inline constexpr int direct = -1;

class LoopBuilder {
 public:
  LoopBuilder& read(int dat, int map = direct) { return add(dat, map, OP_READ); }
  LoopBuilder& write(int dat, int map = direct) { return add(dat, map, OP_WRITE); }
  LoopBuilder& rw(int dat, int map = direct) { return add(dat, map, OP_RW); }
  LoopBuilder& inc(int dat, int map = direct) { return add(dat, map, OP_INC); }
  LoopBuilder& reduce() {
    loop_.reduction = true;
    return *this;
  }
  /// Its set has a local map, see core::ChainLoop.
  LoopBuilder& local_map() {
    loop_.local_map = true;
    return *this;
  }
  LoopBuilder& on(int set) {
    loop_.set = set;
    return *this;
  }
  operator core::ChainLoop() const { return loop_; }

 private:
  LoopBuilder& add(int dat, int map, op_access access) {
    loop_.args.push_back({dat, map, access});
    return *this;
  }
  core::ChainLoop loop_{{}, false};
};

inline LoopBuilder loop() {
  return {};
}

using Chain = std::vector<core::ChainLoop>;

template <class... Loops>
Chain chain_of(const Loops&... loops) {
  return {loops...};
}

/// The chain `times` times in a row.
inline Chain repeat(const Chain& chain, int times) {
  Chain all;
  for (int k = 0; k < times; ++k) all.insert(all.end(), chain.begin(), chain.end());
  return all;
}

}  // namespace op2::test
