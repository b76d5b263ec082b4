// SPDX-License-Identifier: BSD-3-Clause
// The part of a mesh that one process has, by local indices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace op2::comm {

/// A map between elements of this process, which are numbered from 0.
struct MapView {
  static constexpr std::int32_t remote = -1;
  int from, to;
  int arity;
  std::span<const std::int32_t> targets;  ///< shape [elements of `from` x arity], or remote
};

/// Sets and maps as far as this process has them.
struct LocalMesh {
  std::vector<std::int32_t> sizes;   ///< of each set
  std::vector<std::int64_t> weight;  ///< of each set: bytes of data on it
  std::vector<MapView> maps;
};

}  // namespace op2::comm
