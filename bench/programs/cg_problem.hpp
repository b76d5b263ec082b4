// SPDX-License-Identifier: BSD-3-Clause
// A finite element problem for conjugate gradients: -div(c grad u) = f on a square of
// quadrilaterals with 4 nodes, u = 0 on its boundary. The matrix is kept as one 4 x 4 matrix per
// cell.
#pragma once

#include <vector>

namespace bench {

struct CgProblem {
  explicit CgProblem(int width);

  int nodes, cells;
  std::vector<int> cell_nodes;     ///< counter-clockwise, [cells x 4]
  std::vector<double> matrix;      ///< of each cell, row by row, [cells x 16]
  std::vector<double> inside;      ///< 0 on the boundary, else 1, [nodes]
  std::vector<double> right_side;  ///< [nodes]
};

/// The same in hand-written plain loops.
class HandCg {
 public:
  HandCg(const CgProblem& problem, int threads);

  /// Begins at u = 0.
  /// @return the squared residual after `iterations`
  double solve(int iterations);

 private:
  struct Share;  ///< what a thread does
  const CgProblem& problem_;
  int threads_;
  std::vector<double> u_, p_, r_, v_;
};

}  // namespace bench
