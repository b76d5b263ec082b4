// SPDX-License-Identifier: BSD-3-Clause
// A ring of nodes and edges, as programs declare it.
#pragma once

#include <vector>

#include <op2/op2.hpp>

namespace op2::test {

/// Edge e joins nodes e and e + 1.
struct Ring {
  op_set nodes{}, edges{};
  op_map ends_of_edge{};

  void declare(int size) {
    nodes = op_decl_set(size, "nodes");
    edges = op_decl_set(size, "edges");
    std::vector<int> ends;
    for (int edge = 0; edge < size; ++edge) ends.insert(ends.end(), {edge, (edge + 1) % size});
    ends_of_edge = op_decl_map(edges, nodes, 2, ends.data(), "ends_of_edge");
  }
};

/// Of a dat of one double per element.
inline std::vector<double> values_of(op_dat dat) {
  std::vector<double> values(static_cast<std::size_t>(op_get_size(dat->set)));
  op_fetch_data(dat, values.data());
  return values;
}

}  // namespace op2::test
