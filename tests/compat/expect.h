// SPDX-License-Identifier: BSD-3-Clause
// What the programs of these tests share: values that are compared, and a ring of cells and edges,
// all of them declared by the first rank.
#pragma once

#include "op_seq.h"

namespace {

int faults = 0;

inline void expect(const char* what, double found, double wanted) {
  if (found == wanted) return;
  printf("%s: %g instead of %g\n", what, found, wanted);
  ++faults;
}

/// `size` edges, edge e between cells e and e + 1, each cell with its number as value.
struct Ring {
  op_set edges, cells;
  op_map ends;
  op_dat number;

  explicit Ring(int size) {
    const int mine = op_is_root() ? size : 0;
    int* pairs = static_cast<int*>(op_malloc(2 * sizeof(int) * static_cast<std::size_t>(size)));
    double* numbers =
        static_cast<double*>(op_malloc(sizeof(double) * static_cast<std::size_t>(size)));
    for (int e = 0; e < size; ++e) {
      pairs[2 * e] = e + OP_maps_base_index;
      pairs[2 * e + 1] = (e + 1) % size + OP_maps_base_index;
      numbers[e] = e;
    }
    edges = op_decl_set(mine, "edges");
    cells = op_decl_set(mine, "cells");
    ends = op_decl_map(edges, cells, 2, pairs, "ends");
    number = op_decl_dat(cells, 1, "double", numbers, "number");
    free(pairs);
    free(numbers);
  }
};

}  // namespace
