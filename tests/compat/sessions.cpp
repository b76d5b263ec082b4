// SPDX-License-Identifier: BSD-3-Clause
// Two sessions: variables and lists are of the one that runs, also if both have as many sets and
// nobody asks in between, which would let the library forget the first.
#include "expect.h"

#include "op_lib_mpi.h"

namespace {

void session(int argc, char** argv, int size) {
  op_init(argc, argv, 1);
  const op_set cells = op_decl_set(size, "cells");
  int* targets = static_cast<int*>(calloc(static_cast<std::size_t>(size), sizeof(int)));
  const op_map map = op_decl_map(cells, cells, 1, targets, "map");
  free(targets);
  expect("set", OP_set_list[0] == cells && OP_set_list[0]->size == size, 1);
  expect("map", OP_map_list[0] == map, 1);
  expect("set of a part", OP_part_list[0]->set == cells, 1);
  expect("last row", static_cast<double>(OP_part_list[0]->g_index[size - 1]), size - 1);
  op_exit();
}

}  // namespace

int main(int argc, char** argv) {
  session(argc, argv, 10);
  session(argc, argv, 20);
  expect("after op_exit", OP_set_index + OP_map_index + OP_part_index, 0);
  return faults == 0 ? 0 : 1;
}
