// SPDX-License-Identifier: BSD-3-Clause
// Without a partitioner, the owned rows of a set that no map starts from have the order in which
// this rank declared them; a chain of loops over that set and through the map is right all the
// same.
#include "expect.h"

#include <vector>

namespace {

const int per_rank = 40, shift = 5;
int all = 0;  ///< points, and springs, of a ring

void pull(const double* left, const double* right, double* to_left, double* to_right) {
  *to_left += *right - *left;
  *to_right += *left - *right;
}
void move(const double* force, double* position) {
  *position += 0.25 * *force;
}
void clear(double* force) {
  *force = 0;
}

/// What the points are after so many steps, computed without the library.
std::vector<double> moved(int steps) {
  std::vector<double> at(all), force(all);
  for (int p = 0; p < all; ++p) at[p] = (p * 7) % 13;
  for (int step = 0; step < steps; ++step) {
    for (int p = 0; p < all; ++p)
      force[p] = at[(p + 1) % all] + at[(p + all - 1) % all] - 2 * at[p];
    for (int p = 0; p < all; ++p) at[p] += 0.25 * force[p];
  }
  return at;
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 0);
  int rank = 0;
  op_rank(&rank);
  all = per_rank * static_cast<int>(op_get_size(op_decl_set(1, "ranks")));
  const int first = per_rank * rank;
  std::vector<int> ends;
  std::vector<double> start;
  for (int k = first; k < first + per_rank; ++k) {
    ends.push_back((k + shift) % all);  // springs of points, a few of which others have
    ends.push_back((k + shift + 1) % all);
    start.push_back((k * 7) % 13);
  }
  op_set points = op_decl_set(per_rank, "points"), springs = op_decl_set(per_rank, "springs");
  op_map of_spring = op_decl_map(springs, points, 2, ends.data(), "ends");
  op_dat position = op_decl_dat(points, 1, "double", start.data(), "position");
  op_dat force = op_decl_dat(points, 1, "double", static_cast<double*>(NULL), "force");
  op_partition("", "", NULL, NULL, NULL);
  for (int k = 0; k < per_rank; ++k)
    expect("row before the loops", reinterpret_cast<double*>(position->data)[k], start[k]);
  for (int step = 0; step < 4; ++step) {
    op_par_loop(clear, "clear", points, op_arg_dat(force, -1, OP_ID, 1, "double", OP_WRITE));
    op_par_loop(pull, "pull", springs, op_arg_dat(position, 0, of_spring, 1, "double", OP_READ),
                op_arg_dat(position, 1, of_spring, 1, "double", OP_READ),
                op_arg_dat(force, 0, of_spring, 1, "double", OP_INC),
                op_arg_dat(force, 1, of_spring, 1, "double", OP_INC));
    op_par_loop(move, "move", points, op_arg_dat(force, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(position, -1, OP_ID, 1, "double", OP_RW));
  }
  std::vector<double> fetched(per_rank);
  op_fetch_data(position, fetched.data());
  const std::vector<double> expected = moved(4);
  for (int k = 0; k < per_rank; ++k) {
    expect("fetched row", fetched[k], expected[first + k]);
    expect("row of data", reinterpret_cast<double*>(position->data)[k], fetched[k]);
  }
  op_exit();
  return faults == 0 ? 0 : 1;
}
