// SPDX-License-Identifier: BSD-3-Clause
// Airfoil as one would write it by hand for one machine: the yardstick for the library's speed.
#pragma once

#include <barrier>
#include <vector>

#include <airfoil/mesh.hpp>

#include "huge_pages.hpp"

namespace bench {

struct HandEdge {
  int node[2], cell[2];
};

struct HandBoundaryEdge {
  int node[2], cell, bound;
};

struct Range {
  int begin, end;
};

/// What one thread does: a contiguous slab of cells and all edges that touch it. An edge between
/// two slabs is computed by both threads, each of which adds to its own cell; so nothing is shared.
struct Slab {
  Range cells;
  std::vector<Range> inner_edges;     ///< both cells are mine
  std::vector<HandEdge> left, right;  ///< only cell 0, only cell 1 is mine
  std::vector<HandBoundaryEdge> bedges;
};

class HandAirfoil {
 public:
  HandAirfoil(const airfoil::Mesh& mesh, int threads);

  /// Goes on from where the last call ended. Its threads live as long as the call.
  /// @return the residual sqrt(rms / cells) of the last half step
  double iterate(int iterations);

 private:
  void work(const Slab& slab, int iterations, std::barrier<>& all_threads, double& rms);

  HugeVector<double> x_, q_, qold_, res_, adt_;
  HugeVector<int> cell_nodes_;
  HugeVector<HandEdge> edges_;
  std::vector<Slab> slabs_;
};

}  // namespace bench
