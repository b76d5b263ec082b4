// SPDX-License-Identifier: BSD-3-Clause
// Levels: the one axis on which halos, cores, extents and validity are measured. For one rank and
// one set, W_h is a nested family of elements: W_0 the owned ones, W_1 and W_2 the first
// executable and readable halo layer (layer k is level 2k), W_-1 the core, and so on both ways. And
// a chain of loops as input of the halo analysis, and its result.
#pragma once

#include <cstdint>
#include <vector>

#include <op2/types.hpp>

namespace op2::core {

using Level = std::int32_t;

/// No level: a value that is not needed, a loop that need not run, an empty interior. Below every
/// level that occurs, and far enough from the limits of the type for arithmetic.
inline constexpr Level no_level = -1'000'000;

/// Above every level that occurs: no limit.
inline constexpr Level every_level = 1'000'000;

/// The even level at or below h, also for negative h.
constexpr Level even_floor(Level h) {
  return h & ~Level{1};
}

/// Targets of an extent: all that W_h accesses through maps lies in W_up(h).
constexpr Level up(Level h) {
  return even_floor(h) + 2;
}

/// Extent that completes increments: all iterations with a target in W_j lie in W_need_exec(j).
constexpr Level need_exec(Level j) {
  return even_floor(j + 1) + 1;
}

/// Completion: after W_h has run, no target in W_cov(h) lacks a contribution.
constexpr Level cov(Level h) {
  return even_floor(h - 1);
}

/// Extent that a readable level permits: all targets of W_inside(h) through maps lie in W_h.
constexpr Level inside(Level h) {
  return even_floor(h) - 1;
}

/// For a set with a local map (ChainLoop::local_map): W_h of it is exactly what leads to
/// W_local_targets(h). So that is both what executing W_h accesses and what it completes.
constexpr Level local_targets(Level h) {
  if (h == 0) return 0;
  return h > 0 ? even_floor(h + 1) - 2 : even_floor(h + 2);
}

/// The same as `inside` through a local map: the largest g with local_targets(g) <= h.
constexpr Level local_inside(Level h) {
  return h < 0 ? inside(h) : even_floor(h + 2);
}

/// Access of a loop to a dat. Only arguments that are switched on belong here.
struct ChainArg {
  std::int32_t dat;  ///< number of the dat
  std::int32_t map;  ///< number of the map; -1: direct
  op_access access;  ///< direct: none of OP_MIN and OP_MAX, which count as OP_RW there

  bool is_direct() const { return map < 0; }
  bool modifies() const { return access != OP_READ; }
};

struct ChainLoop {
  std::vector<ChainArg> args;
  bool reduction;  ///< reduces a global, so its owned elements must always run
  /// W_h of its set counts as empty below this level, see Layout::deepest.
  Level deepest = no_level;
  /// Its set has a single map, which leads each element to one element of the same rank, on every
  /// rank; no map leads to the set.
  bool local_map = false;
  std::int32_t set = 0;  ///< its number
};

/// Everything about the execution of a chain with halos that follows from its descriptors. The same
/// on every rank.
struct ChainLevels {
  std::vector<Level> extent;  ///< per loop: it runs on W_extent; no_level: dead, need not run
  std::vector<Level> need;    ///< per dat: validity required before the chain; no_level: none
  /// Per loop: W_interior may run before the halos arrive; no_level: nothing.
  std::vector<Level> interior{};
  std::vector<Level> valid{};  ///< per dat: validity after the chain; no_level: stale
  Level rows = no_level;       ///< sets must have rows up to this level; no_level: nothing runs
};

}  // namespace op2::core
