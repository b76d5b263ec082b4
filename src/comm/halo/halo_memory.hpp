// SPDX-License-Identifier: BSD-3-Clause
// What the halos of a mesh cost in memory.
#pragma once

#include <cstdint>

#include <comm/halo/halo_plan.hpp>
#include <core/mesh.hpp>

namespace op2::comm {

/// In bytes, on this rank.
struct HaloMemory {
  std::int64_t rows;   ///< halo rows of dats and maps, with their global indices and owners
  std::int64_t lists;  ///< what maintains them: global indices for kernels, export lists, import
                       ///< ranges, references from other ranks, memory reserved and not used
};

/// No rows without neighbours. Local; cost O(lists).
HaloMemory halo_memory(const HaloPlan& plan, const core::Mesh& mesh);

}  // namespace op2::comm
