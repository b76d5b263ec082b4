// SPDX-License-Identifier: BSD-3-Clause
// A program for OP2's developer headers: a ring of cells and the edges between them. Each result is
// compared with hand-written code; prints what differs and fails then.
#include "op_seq.h"

namespace {

int faults = 0;

void expect(const char* what, double found, double wanted) {
  if (found == wanted) return;
  op_printf("%s: %g instead of %g\n", what, found, wanted);
  ++faults;
}

double factor = 2;

void spread(const double* weight, double* left, double* right) {
  *left += factor * *weight;
  *right += *weight;
}
void spread_all(double** ends, const double* weight) {
  ends[0][0] += *weight;
  ends[1][0] += *weight;
}
void total(double* value, double* sum, double* least, double* greatest) {  // READ without const
  *sum += *value;
  *least = MIN(*least, *value);
  *greatest = MAX(*greatest, *value);
}
void number(const int* own, const int* first, int* sum) {
  *sum += *own + *first;
}
void maybe(const double* value, double* other, double* own) {
  *own = other == NULL ? *value : *value + 1;
}
void lowest(const double* value, const int* own, double* least, int* where) {
  if (*value < *least) {
    *least = *value;
    *where = *own;
  }
}

const int size = 100;

struct Ring {
  op_set edges, cells;
  op_map edge_cells;
  op_dat weight, value;
};

/// Edge e goes from cell e to the next one and weighs e. The first rank declares all of it.
Ring declare() {
  const int mine = op_is_root() ? size : 0;
  int* ends = static_cast<int*>(op_malloc(2 * size * sizeof(int)));
  double* weights = static_cast<double*>(op_malloc(size * sizeof(double)));
  for (int e = 0; e < size; ++e) {
    ends[2 * e] = e;
    ends[2 * e + 1] = (e + 1) % size;
    weights[e] = e;
  }
  Ring ring;
  ring.edges = op_decl_set(mine, "edges");
  ring.cells = op_decl_set(mine, "cells");
  ring.edge_cells = op_decl_map(ring.edges, ring.cells, 2, ends, "edge_cells");
  ring.weight = op_decl_dat(ring.edges, 1, "double", weights, "weight");
  ring.value = op_decl_dat(ring.cells, 1, "double:soa", static_cast<double*>(NULL), "value");
  free(ends);
  free(weights);
  return ring;
}

void sums(const Ring& ring) {
  op_par_loop(spread, "spread", ring.edges,
              op_arg_dat(ring.weight, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(ring.value, 0, ring.edge_cells, 1, "double", OP_INC),
              op_arg_dat(ring.value, 1, ring.edge_cells, 1, "double", OP_INC));
  factor = 5;  // after the call: it must not matter
  op_par_loop(spread_all, "spread_all", ring.edges,
              op_arg_dat(ring.value, -2, ring.edge_cells, 1, "double", OP_INC),
              op_arg_dat(ring.weight, -1, OP_ID, 1, "double", OP_READ));
  double sum = 0, least = 1e9, greatest = -1;
  op_par_loop(total, "total", ring.cells, op_arg_dat(ring.value, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC), op_arg_gbl(&least, 1, "double", OP_MIN),
              op_arg_gbl(&greatest, 1, "double", OP_MAX));
  expect("sum", sum, 5 * 4950);
  expect("least", least, 3);  // cell 1
  expect("greatest", greatest, 3 * 99 + 2 * 98);
}

void indices(const Ring& ring) {
  int numbers = 0;
  op_par_loop(number, "number", ring.edges, op_arg_idx(-1, OP_ID), op_arg_idx(0, ring.edge_cells),
              op_arg_gbl(&numbers, 1, "int", OP_INC));
  expect("numbers", numbers, 2 * 4950);
  double smallest = 1e9;
  int where = -1;
  op_par_loop(lowest, "lowest", ring.cells, op_arg_dat(ring.value, -1, OP_ID, 1, "double", OP_READ),
              op_arg_idx(-1, OP_ID), op_arg_gbl(&smallest, 1, "double", OP_MIN),
              op_arg_info(&where, 1, "int", 2));
  expect("smallest", smallest, 3);
  expect("where", where, 1);
}

void optional(const Ring& ring) {
  op_dat copy = op_decl_dat_temp(ring.cells, 1, "double", static_cast<double*>(NULL), "copy");
  for (int flag = 0; flag < 2; ++flag)
    op_par_loop(maybe, "maybe", ring.cells, op_arg_dat(ring.value, -1, OP_ID, 1, "double", OP_READ),
                op_opt_arg_dat(flag, ring.value, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(copy, -1, OP_ID, 1, "double", OP_WRITE));
  double some[2];
  op_fetch_data_idx(copy, some, 0, 1);
  expect("copy of cell 0", some[0], 2 * 99 + 1);
  expect("copy of cell 1", some[1], 3 * 1 + 2 * 0 + 1);
  if (op_free_dat_temp(copy) < 0) ++faults;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  const Ring ring = declare();
  op_decl_const(1, "double", &factor);
  op_diagnostic_output();
  op_partition("PTSCOTCH", "KWAY", ring.cells, ring.edge_cells, NULL);
  sums(ring);
  indices(ring);
  optional(ring);
  double values[size];
  op_fetch_data(ring.value, values);
  if (op_is_root()) expect("value of cell 2", values[2], 3 * 2 + 2 * 1);
  expect("size", static_cast<double>(op_get_size(ring.cells)), size);
  double cpu, wall;
  op_timers(&cpu, &wall);
  op_timing_output();
  op_exit();
  return faults == 0 ? 0 : 1;
}
