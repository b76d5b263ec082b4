// SPDX-License-Identifier: BSD-3-Clause
// What a program finds behind `dat->data` after a loop, if it asks for the dat or not.
//   pointers fetch|download|nothing current|old     what it does, and what it must find
// and what a loop finds that follows if the program writes there:
//   pointers upload|forget ...                      whether it says so
#include <string.h>

#include "expect.h"

namespace {

void twice(double* number) {
  *number *= 2;
}
void total(const double* number, double* sum) {
  *sum += *number;
}

const int size = 100;

/// Rows on this rank that have twice their number.
int doubled_rows(op_dat number, op_dat same) {
  int count = 0;
  for (int k = 0; k < number->set->size; ++k)
    count +=
        reinterpret_cast<double*>(number->data)[k] == 2 * reinterpret_cast<double*>(same->data)[k];
  return count;
}

/// Sets all rows of a dat on this rank to 1.
void set_rows(op_dat number) {
  double* rows = reinterpret_cast<double*>(number->data);
  for (int k = 0; k < number->set->size; ++k) rows[k] = 1;
}

double total_of(const Ring& ring, op_dat number) {
  double sum = 0;
  op_par_loop(total, "total", ring.cells, op_arg_dat(number, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  if (argc < 3) return 2;
  const Ring ring(size);
  double numbers[size];
  for (int k = 0; k < size; ++k) numbers[k] = k + 1;
  op_dat same = op_decl_dat(ring.cells, 1, "double", numbers, "same"),
         number = op_decl_dat(ring.cells, 1, "double", numbers, "number");
  op_partition("RANDOM", "", ring.cells, NULL, NULL);
  op_par_loop(twice, "twice", ring.cells, op_arg_dat(number, -1, OP_ID, 1, "double", OP_RW));
  double values[size];
  expect("sum", total_of(ring, number), size * (size + 1));
  if (strcmp(argv[1], "fetch") == 0) op_fetch_data(number, values);
  if (strcmp(argv[1], "download") == 0) op_download_dat(number);
  expect("doubled rows", doubled_rows(number, same),
         strcmp(argv[2], "current") == 0 ? ring.cells->size : 0);
  if (strcmp(argv[1], "upload") == 0 || strcmp(argv[1], "forget") == 0) {
    op_download_dat(number);
    set_rows(number);
    if (strcmp(argv[1], "upload") == 0) op_upload_dat(number);
    const bool is_seen = strcmp(argv[1], "upload") == 0;
    for (int k = 0; k < 2; ++k)
      expect("sum of what was written", total_of(ring, number), is_seen ? size : size * (size + 1));
  }
  op_exit();
  return faults == 0 ? 0 : 1;
}
