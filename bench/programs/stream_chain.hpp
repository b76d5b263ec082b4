// SPDX-License-Identifier: BSD-3-Clause
// A chain of direct loops in which each reads what the one before wrote: loop by loop, memory
// limits it; hand-written it can be one loop, the library executes it tile by tile.
#pragma once

namespace bench {

struct ChainSettings {
  int size;    ///< elements
  int rounds;  ///< measurements; the minimum counts
  int threads;
  int steps;         ///< that the library sees as one chain, of four loops each
  const char* tile;  ///< OP2_TILE
};

/// Prints a line of JSON. Starts the library and ends it.
/// @throws std::runtime_error unless all ways give the same
void measure_chain(const ChainSettings& settings);

}  // namespace bench
