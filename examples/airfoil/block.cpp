// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "mesh.hpp"

namespace airfoil {

Mesh block_of(const Mesh& whole, int rank, int ranks) {
  const auto rows = [&](const auto& values, int dim) {
    const auto count = static_cast<std::int64_t>(values.size()) / dim;
    const auto begin = values.begin() + count * rank / ranks * dim;
    const auto end = values.begin() + count * (rank + 1) / ranks * dim;
    return std::vector(begin, end);
  };
  Mesh block;
  block.x = rows(whole.x, 2);
  block.cell_nodes = rows(whole.cell_nodes, 4);
  block.edge_nodes = rows(whole.edge_nodes, 2);
  block.edge_cells = rows(whole.edge_cells, 2);
  block.bedge_nodes = rows(whole.bedge_nodes, 2);
  block.bedge_cell = rows(whole.bedge_cell, 1);
  block.bound = rows(whole.bound, 1);
  return block;
}

}  // namespace airfoil
