// SPDX-License-Identifier: BSD-3-Clause
// A chain of loops as input of the halo analysis, and its result.
#pragma once

#include <cstdint>
#include <vector>

#include <op2/types.hpp>

#include <core/levels.hpp>

namespace op2::core {

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
  std::vector<Level> extent;    ///< per loop: it runs on W_extent; no_level: dead, need not run
  std::vector<Level> need;      ///< per dat: validity required before the chain; no_level: none
  std::vector<Level> interior;  ///< per loop: W_interior may run before the halos arrive; no_level:
                                ///< nothing
  std::vector<Level> valid;     ///< per dat: validity after the chain; no_level: stale
  Level rows;                   ///< sets must have rows up to this level; no_level: nothing runs
};

}  // namespace op2::core
