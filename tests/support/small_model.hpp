// SPDX-License-Identifier: BSD-3-Clause
// A mesh on two ranks, and a chain of loops that goes through all parts of the engine.
#pragma once

#include <support/halo_model.hpp>

namespace op2::test {

/// A ring: 12 edges join 12 cells. Dats: two on cells, one on edges.
inline ModelMesh small_mesh() {
  ModelMesh mesh{{12, 12}, {{1, 0, {}, false}}, {0, 0, 1}, {}, 2};
  for (int edge = 0; edge < 12; ++edge) mesh.maps[0].targets.push_back({edge, (edge + 1) % 12});
  mesh.owner.assign(2, {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  return mesh;
}

/// A flux with a sum, an update, and a loop that reads what both have done.
inline ModelChain small_chain() {
  return {
      {1, {{0, 0, 0, OP_READ}, {0, 0, 1, OP_READ}, {1, 0, 0, OP_INC}, {1, 0, 1, OP_INC}}, 1, true},
      {0, {{1, -1, 0, OP_READ}, {0, -1, 0, OP_RW}}, 2, false},
      {1, {{0, 0, 0, OP_READ}, {0, 0, 1, OP_READ}, {2, -1, 0, OP_INC}}, 3, false}};
}

}  // namespace op2::test
