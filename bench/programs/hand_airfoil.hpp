// SPDX-License-Identifier: BSD-3-Clause
// Hand-written Airfoil for one machine: the reference for the speed of the library.
#pragma once

#include <barrier>
#include <cmath>
#include <vector>

#include <airfoil/mesh.hpp>

#include "huge_pages.hpp"

namespace bench {

constexpr double gam = 1.4f, gm1 = gam - 1, cfl = 0.9f, eps = 0.05f, mach = 0.4f;
inline const double uinf = std::sqrt(gam) * mach;
inline const double qinf[4] = {1, uinf, 0, 1 / gm1 + 0.5 * uinf* uinf};

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

/// The loops, element by element. Arrays as in HandAirfoil.
void adt_calc(Range cells, const int* cell_nodes, const double* x, const double* q, double* adt);
/// @tparam adds_to_first,adds_to_second  whether the flux is added to that cell
template <bool adds_to_first, bool adds_to_second>
void res_calc(const HandEdge* begin, const HandEdge* end, const double* x, const double* q,
              const double* adt, double* res);
void bres_calc(const std::vector<HandBoundaryEdge>& bedges, const double* x, const double* q,
               const double* adt, double* res);
/// @return  the sum of the squares of the changes
double update(Range cells, const double* qold, const double* adt, double* q, double* res);

class HandAirfoil {
 public:
  HandAirfoil(const airfoil::Mesh& mesh, int threads);
  virtual ~HandAirfoil() = default;

  /// Goes on from where the last call ended. Its threads live as long as the call.
  /// @return the residual sqrt(rms / cells) of the last half step
  double iterate(int iterations);

 protected:
  /// What one thread does.
  /// @param rms  result: the sum of the squares of the changes of the last half step
  virtual void work(const Slab& slab, int iterations, std::barrier<>& all_threads, double& rms);

  HugeVector<double> x_;               ///< [nodes x 2]
  HugeVector<double> q_, qold_, res_;  ///< [cells x 4]
  HugeVector<double> adt_;             ///< [cells]
  HugeVector<int> cell_nodes_;         ///< [cells x 4]
  HugeVector<HandEdge> edges_;

 private:
  std::vector<Slab> slabs_;
};

}  // namespace bench
