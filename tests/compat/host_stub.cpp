// SPDX-License-Identifier: BSD-3-Clause
// Loops that a program runs by itself between loops of the library, as translated programs do.
#include "expect.h"

namespace {

void spread(const double* number, double* left, double* right) {
  *left += *number;
  *right += *number;
}

/// Like `spread`, hand-written: each edge adds the number of its first cell to both.
void spread_in_stub(const Ring& ring, op_dat number, op_dat sum) {
  op_arg args[] = {op_arg_dat(number, 0, ring.ends, 1, "double", OP_READ),
                   op_arg_dat(sum, 0, ring.ends, 1, "double", OP_INC),
                   op_arg_dat(sum, 1, ring.ends, 1, "double", OP_INC)};
  const int count = op_mpi_halo_exchanges(ring.edges, 3, args);
  expect("range", count, ring.edges->size + ring.edges->exec_size);
  op_mpi_test_all(3, args);
  op_mpi_wait_all(3, args);
  const double* from = (const double*)args[0].data;
  double* to = (double*)args[1].data;
  for (int e = 0; e < count; ++e) {
    const int* ends = args[1].map_data + 2 * e;
    to[ends[0]] += from[ends[0]];
    to[ends[1]] += from[ends[0]];
  }
  op_mpi_set_dirtybit(3, args);
}

/// Sums over owned cells, hand-written.
void totals(const Ring& ring, op_dat sum, double* total, double* greatest, int* cells) {
  op_arg args[] = {op_arg_dat(sum, -1, OP_ID, 1, "double", OP_READ),
                   op_arg_gbl(total, 1, "double", OP_INC),
                   op_arg_gbl(greatest, 1, "double", OP_MAX), op_arg_gbl(cells, 1, "int", OP_INC)};
  const int count = op_mpi_halo_exchanges_grouped(ring.cells, 4, args, 1);
  expect("direct range", count, ring.cells->size);
  op_mpi_wait_all_grouped(4, args, 1);
  const double* value = (const double*)args[0].data;
  for (int c = 0; c < count; ++c) {
    *total += value[c];
    *greatest = MAX(*greatest, value[c]);
    ++*cells;
  }
  op_mpi_reduce_combined(args, 4);
  op_mpi_set_dirtybit_cuda(4, args);
}

void add_both(const double* left, const double* right, double* sum) {
  *sum += *left + *right;
}

/// Halos of what a loop has written, exchanged outside of any loop.
void exchanged(const Ring& ring, op_dat number) {
  op_dat doubled = op_decl_dat_temp(ring.cells, 1, "double", (double*)NULL, "doubled");
  op_arg left = op_arg_dat(doubled, 0, ring.ends, 1, "double", OP_READ);
  op_arg right = op_arg_dat(doubled, 1, ring.ends, 1, "double", OP_READ);
  for (int round = 1; round <= 2; ++round) {
    op_par_loop(add_both, "add", ring.cells, op_arg_dat(number, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(number, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(doubled, -1, OP_ID, 1, "double", OP_INC));
    if (round == 1)
      op_trigger_halo_exchanges(1, "both", ring.edges, left, right);
    else
      op_trigger_halo_exchanges(1, "left", ring.edges, 1, &left);
    const double* values = (const double*)doubled->data;
    const double wrap = 2 * round * ((double)op_get_size(ring.cells) - 1);
    for (int e = 0; e < ring.edges->size; ++e) {
      const int* ends = ring.ends->map + 2 * e;
      const double step = fabs(values[ends[1]] - values[ends[0]]);
      expect("step", step == wrap ? 2 * round : step, 2 * round);
    }
  }
  op_free_dat_temp(doubled);
}

void reductions() {
  int rank = 0;
  op_rank(&rank);
  float least = (float)rank;
  bool any = rank == 0;
  ll wide = rank == 0 ? 5 : 0;
  op_arg args[] = {op_arg_gbl(&least, 1, "float", OP_MIN), op_arg_gbl(&any, 1, "bool", OP_MAX),
                   op_arg_gbl(&wide, 1, "ll", OP_WRITE)};
  op_mpi_reduce_float(&args[0], &least);
  op_mpi_reduce_bool(&args[1], &any);
  op_mpi_reduce(&args[2], &wide);
  expect("reductions", least + any + (double)wide, 6);
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  const int size = 60;
  const Ring ring(size);
  op_dat sum = op_decl_dat_temp(ring.cells, 1, "double", (double*)NULL, "sum");
  op_dat again = op_decl_dat_temp(ring.edges, 1, "double", (double*)NULL, "again");
  op_partition("PTSCOTCH", "KWAY", ring.cells, ring.ends, NULL);
  op_par_loop(spread, "spread", ring.edges,
              op_arg_dat(ring.number, 0, ring.ends, 1, "double", OP_READ),
              op_arg_dat(sum, 0, ring.ends, 1, "double", OP_INC),
              op_arg_dat(sum, 1, ring.ends, 1, "double", OP_INC));
  spread_in_stub(ring, ring.number, sum);
  double total = 0, greatest = -1;
  int cells = 0;
  totals(ring, sum, &total, &greatest, &cells);
  expect("total", total, 2 * 2 * size * (size - 1) / 2);
  expect("greatest", greatest, 2 * (2 * size - 3));
  expect("cells", cells, size);
  // Halos of dats that the stub has modified are exchanged.
  op_par_loop(add_both, "add_both", ring.edges, op_arg_dat(sum, 0, ring.ends, 1, "double", OP_READ),
              op_arg_dat(sum, 1, ring.ends, 1, "double", OP_READ),
              op_arg_dat(again, -1, OP_ID, 1, "double", OP_INC));
  double two[2];
  op_fetch_data_idx(again, two, 3, 4);
  expect("edge 3", two[0], 2 * (5 + 7));
  expect("edge 4", two[1], 2 * (7 + 9));
  op_arg arg = op_arg_dat(sum, 0, ring.ends, 1, "double", OP_READ);
  expect("rows", getSetSizeFromOpArg(&arg), op_get_size_local_full(ring.cells));
  op_arg_check(ring.edges, 0, arg, &cells, "spread");
  op_mpi_reset_halos(1, &arg);
  op_mpi_halo_exchanges_cuda(ring.edges, 1, &arg);
  op_mpi_wait_all_cuda(1, &arg);
  op_mpi_test_all_grouped(1, &arg, 1);
  op_mpi_perf_time("host stub", 0.25);
  exchanged(ring, ring.number);
  reductions();
  op_exit();
  return faults == 0 ? 0 : 1;
}
