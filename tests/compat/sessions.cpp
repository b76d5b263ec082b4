// SPDX-License-Identifier: BSD-3-Clause
// Two sessions: variables and lists are of the one that runs, also if both have as many sets.
#include "expect.h"

#include "op_lib_mpi.h"

namespace {

void session(int argc, char** argv, int size) {
  op_init(argc, argv, 1);
  const Ring ring(size);
  expect("sets", OP_set_list[0] == ring.edges && OP_set_list[1] == ring.cells, 1);
  expect("map", OP_map_list[0] == ring.ends, 1);
  expect("set of a part", OP_part_list[1]->set == ring.cells, 1);
  expect("last row", static_cast<double>(OP_part_list[1]->g_index[size - 1]), size - 1);
  op_exit();  // asking for a variable here would let the library forget the session's lists
}

}  // namespace

int main(int argc, char** argv) {
  session(argc, argv, 10);
  session(argc, argv, 20);
  expect("after op_exit", OP_set_index + OP_map_index + OP_part_index, 0);
  return faults == 0 ? 0 : 1;
}
