// SPDX-License-Identifier: BSD-3-Clause
// Dats of a structure, and of ints that take eight bytes: rows that only the program can read.
#define OP_USER_DATATYPES
#include "expect.h"

#include <vector>

namespace {

void fill(point* own, const double* number) {
  own->x = *number;
  own->weight = static_cast<float>(2 * *number);
}
void gather(const point* left, const point* right, double* sum) {
  *sum += left->x + right->weight;
}
void check_empty(point* own) {
  if (own->x != 0) ++faults;
  own->x = 1;
}

/// Rows of a freed temporary dat are taken again, with zeros.
void reuse(const Ring& ring) {
  int records = 0;
  for (int step = 0; step < 3; ++step) {
    op_dat again = op_decl_dat_temp(ring.cells, 1, "point", (point*)NULL, "again");
    op_par_loop(check_empty, "check_empty", ring.cells,
                op_arg_dat(again, -1, OP_ID, 1, "point", OP_RW));
    op_free_dat_temp(again);
    if (step == 0) records = OP_dat_index;
  }
  expect("records of dats", OP_dat_index, records);
}

void wide(ll* own, const double* number) {
  *own = static_cast<ll>(1e15) + static_cast<ll>(*number);
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  const int size = 40;
  const Ring ring(size);
  op_dat points = op_decl_dat(ring.cells, 1, "point", (point*)NULL, "points");
  op_dat twice = op_decl_dat_char(ring.cells, 1, "int", 8, NULL, "twice");
  op_dat temp = op_decl_dat_temp(ring.cells, 2, "point", (point*)NULL, "temp");
  op_dat sum = op_decl_dat(ring.edges, 1, "double", (double*)NULL, "sum");
  expect("sizes", points->size + twice->size, sizeof(point) + 8);
  expect("dims", points->dim + twice->dim + temp->dim, 4);
  expect("type", strcmp(points->type, "point"), 0);
  op_partition("PTSCOTCH", "KWAY", ring.cells, ring.ends, NULL);
  op_par_loop(fill, "fill", ring.cells, op_arg_dat(points, -1, OP_ID, 1, "point", OP_WRITE),
              op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ));
  op_par_loop(wide, "wide", ring.cells, op_arg_dat(twice, -1, OP_ID, 1, "int", OP_WRITE),
              op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ));
  op_par_loop(gather, "gather", ring.edges, op_arg_dat(points, 0, ring.ends, 1, "point", OP_READ),
              op_arg_dat(points, 1, ring.ends, 1, "point", OP_READ),
              op_arg_dat(sum, -1, OP_ID, 1, "double", OP_INC));
  double sums[2];
  op_fetch_data_idx(sum, sums, 7, 8);
  expect("edge 7", sums[0], 7 + 2 * 8);
  expect("edge 8", sums[1], 8 + 2 * 9);
  ll value;
  op_fetch_data_idx(twice, &value, 9, 9);
  expect("cell 9", static_cast<double>(value), 1e15 + 9);
  std::vector<point> all(op_is_root() ? size : 0);
  op_fetch_data(points, all.data());
  if (op_is_root()) expect("point 5", all[5].x + all[5].weight, 15);
  expect("freed", op_free_dat_temp(temp), 1);
  reuse(ring);
  op_exit();
  return faults == 0 ? 0 : 1;
}
