// SPDX-License-Identifier: BSD-3-Clause
// Buffers of the program, and loops over them that write rows by number. On several ranks each
// writes the first of its own rows.
#include "expect.h"

#include <vector>

namespace {

void store(float* value, float* own) {
  *own = 3 * *value;
}
void spread(const double* pair, double* first, double* second, const double* factor, int* calls) {
  *first += *factor * pair[0];
  *second += *factor * pair[1];
  ++*calls;
}
void twice(const float* own, float* doubled) {
  *doubled = 2 * *own;
}
void add(const float* left, const float* right, double* sum) {
  *sum = *left + *right;
}

/// Every row of the own cells in reverse order, between loops that read them.
void reversed(const Ring& ring, int cells) {
  std::vector<float> zeros(static_cast<std::size_t>(op_is_root() ? cells : 0));
  op_dat own = op_decl_dat(ring.cells, 1, "float", zeros.data(), "own");
  op_dat sum = op_decl_dat(ring.edges, 1, "double", (double*)NULL, "sum");
  op_partition("PTSCOTCH", "KWAY", ring.cells, ring.ends, NULL);
  op_halo_create();
  const int mine = ring.cells->size;
  op_buff values = op_create_buff("values", "float", mine, 1);
  op_buff rows = op_create_buff("rows", "int", mine, 1);
  for (int k = 0; k < mine; ++k) {
    ((float*)values->data)[k] = (float)(k + 1);
    ((int*)rows->data)[k] = mine - 1 - k;
  }
  for (int step = 0; step < 2; ++step) {
    op_par_scatter(values, rows, store, "store", op_arg_dat(own, 0, OP_ID, 1, "float", OP_WRITE));
    op_par_loop(twice, "twice", ring.cells, op_arg_dat(own, -1, OP_ID, 1, "float", OP_READ),
                op_arg_dat(own, -1, OP_ID, 1, "float", OP_WRITE));
    op_par_loop(add, "add", ring.edges, op_arg_dat(own, 0, ring.ends, 1, "float", OP_READ),
                op_arg_dat(own, 1, ring.ends, 1, "float", OP_READ),
                op_arg_dat(sum, -1, OP_ID, 1, "double", OP_WRITE));
  }
  op_download_dat(own);
  for (int k = 0; k < mine; ++k) expect("row", ((float*)own->data)[mine - 1 - k], 2 * 3 * (k + 1));
  std::vector<float> all((std::size_t)cells);
  std::vector<double> sums((std::size_t)cells);
  op_fetch_data_idx(own, all.data(), 0, cells - 1);
  op_fetch_data_idx(sum, sums.data(), 0, cells - 1);
  for (int e = 0; e < cells; ++e)
    expect("sum", sums[(std::size_t)e], all[(std::size_t)e] + all[(std::size_t)((e + 1) % cells)]);
  op_free_buff(values);
  op_free_buff(rows);
}

/// Two columns of numbers, increments, and globals; before any loop has run.
void columns(const Ring& ring) {
  std::vector<double> start(ring.cells->size, 1);
  op_dat first = op_decl_dat(ring.cells, 1, "double", start.data(), "first");
  op_dat second = op_decl_dat(ring.cells, 1, "double", start.data(), "second");
  op_buff pairs = op_create_buff("pairs", "double", 3, 2), rows = op_create_buff("n", "int", 4, 2);
  const double values[] = {1, 2, 3, 4, 5, 6};
  const int numbers[] = {0, 2, 1, 2, 0, 1, -7, -7};
  memcpy(pairs->data, values, sizeof(values));
  memcpy(rows->data, numbers, sizeof(numbers));
  double factor = 10;
  int calls = 0;
  op_par_scatter(pairs, rows, spread, "spread", op_arg_dat(first, 0, OP_ID, 1, "double", OP_INC),
                 op_arg_dat(second, 1, OP_ID, 1, "double", OP_INC),
                 op_arg_gbl(&factor, 1, "double", OP_READ), op_arg_gbl(&calls, 1, "int", OP_INC));
  const double wanted[] = {61, 31, 1, 1, 61, 61};
  double found[6];
  op_fetch_data_idx(first, found, 0, 2);
  op_fetch_data_idx(second, found + 3, 0, 2);
  for (int k = 0; k < 6; ++k) expect("increment", found[k], wanted[k]);
  expect("calls", calls, 3);
  expect("buffer", pairs->size + 10 * pairs->dim + 100 * pairs->elem_size, 823);
  expect("names", strcmp(pairs->name, "pairs") + strcmp(pairs->type, "double"), 0);
  op_free_buff(pairs);
  op_free_buff(rows);
  op_free_buff(NULL);
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  const int cells = 20;
  const Ring ring(cells);
  if (argc > 1) columns(ring);  // on one rank
  reversed(ring, cells);
  op_exit();
  return faults == 0 ? 0 : 1;
}
