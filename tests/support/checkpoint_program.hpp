// SPDX-License-Identifier: BSD-3-Clause
// A small time loop whose whole state is in a checkpoint: a graph with a flow along its edges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <op2/checkpoint.hpp>
#include <op2/op2.hpp>

namespace op2::test {

OP_KERNEL(flow, (const double* const* u, double* const* change), {
  const double along = 0.3 * (*u[0] - *u[1]);
  *change[0] -= along;
  *change[1] += along;
});
OP_KERNEL(advance, (double* u, double* change, float* last, int* visits, double* total), {
  *u += *change;
  *last = static_cast<float>(*change);
  *change = 0;
  ++*visits;
  *total += *u;
});

/// In a running session; each rank declares its block. Bits do not depend on the number of ranks
/// with OP2_REPRODUCIBLE=on.
class CheckpointProgram {
 public:
  static constexpr int points = 500, edges = 1300;

  CheckpointProgram() {
    const auto [first, last] = block(points);
    std::vector<double> u(static_cast<std::size_t>(last - first));
    for (int k = first; k < last; ++k) u[static_cast<std::size_t>(k - first)] = 1.0 / (k + 3);
    set_ = op_decl_set(last - first, "points");
    const auto [first_edge, last_edge] = block(edges);
    const op_set lines = op_decl_set(last_edge - first_edge, "edges");
    std::vector<int> ends;
    for (int k = first_edge; k < last_edge; ++k)
      ends.insert(ends.end(), {k * 7 % points, (k * 31 + 1) % points});
    ends_ = op_decl_map(lines, set_, 2, ends.data(), "ends");
    u_ = op_decl_dat(set_, 1, u.data(), "u");
    change_ = op_decl_dat(set_, 1, "double", static_cast<double*>(nullptr), "change");
    last_ = op_decl_dat(set_, 1, "float", static_cast<float*>(nullptr), "last");
    visits_ = op_decl_dat(set_, 1, "int", static_cast<int*>(nullptr), "visits");
    total_ = op_decl_global(1, &zero_, "total");
    op_keep("step", &step);
    op_keep("pair", pair, 2);
  }

  void advance_one_step() {
    op_par_loop(flow, "flow", ends_->from, op_arg_dat(u_, -2, ends_, 1, "double", OP_READ),
                op_arg_dat(change_, -2, ends_, 1, "double", OP_INC));
    op_par_loop(advance, "advance", set_, op_arg_dat(u_, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(change_, -1, OP_ID, 1, "double", OP_RW),
                op_arg_dat(last_, -1, OP_ID, 1, "float", OP_WRITE),
                op_arg_dat(visits_, -1, OP_ID, 1, "int", OP_RW), op_arg_gbl(total_, OP_INC));
    ++step;
    pair[0] += 0.5;
    pair[1] = -pair[0];
  }

  /// All that a checkpoint must bring back; equal on all ranks.
  struct State {
    std::vector<double> u, change;
    std::vector<float> last;
    std::vector<int> visits;
    double total = 0;
    std::int64_t step = 0;
    std::vector<double> pair;
    bool operator==(const State&) const = default;
  };
  State state() const {
    State all{std::vector<double>(points),
              std::vector<double>(points),
              std::vector<float>(points),
              std::vector<int>(points),
              0,
              step,
              {pair[0], pair[1]}};
    op_fetch_data_idx(u_, all.u, 0, points - 1);
    op_fetch_data_idx(change_, all.change, 0, points - 1);
    op_fetch_data_idx(last_, all.last, 0, points - 1);
    op_fetch_data_idx(visits_, all.visits, 0, points - 1);
    op_fetch_global(total_, &all.total);
    return all;
  }

  std::int64_t step = 0;
  double pair[2] = {0.25, -0.25};

 private:
  static std::pair<int, int> block(int size) {
    return {size * op_rank() / op_ranks(), size * (op_rank() + 1) / op_ranks()};
  }

  const double zero_ = 0;
  op_set set_;
  op_map ends_;
  op_dat u_, change_, last_, visits_;
  op_global total_;
};

}  // namespace op2::test
