// SPDX-License-Identifier: BSD-3-Clause
#include "hand_airfoil.hpp"

#include <cmath>
#include <thread>

namespace bench {

namespace {

/// What a state does at an edge (dx, dy): its pressure and the volume it carries across.
struct AtEdge {
  double pressure, speed;
  AtEdge(const double* q, double dx, double dy) {
    const double volume = 1 / q[0];
    pressure = gm1 * (q[3] - 0.5 * volume * (q[1] * q[1] + q[2] * q[2]));
    speed = volume * (q[1] * dy - q[2] * dx);
  }
};

struct Flux {
  double f[4];
};

inline Flux flux_between(const double* q1, const double* q2, double dx, double dy, double mu) {
  const AtEdge a(q1, dx, dy), b(q2, dx, dy);
  const double p = a.pressure + b.pressure;
  return {{0.5 * (a.speed * q1[0] + b.speed * q2[0]) + mu * (q1[0] - q2[0]),
           0.5 * (a.speed * q1[1] + b.speed * q2[1] + p * dy) + mu * (q1[1] - q2[1]),
           0.5 * (a.speed * q1[2] + b.speed * q2[2] - p * dx) + mu * (q1[2] - q2[2]),
           0.5 * (a.speed * (q1[3] + a.pressure) + b.speed * (q2[3] + b.pressure)) +
               mu * (q1[3] - q2[3])}};
}

}  // namespace

void adt_calc(Range cells, const int* __restrict cell_nodes, const double* __restrict x,
              const double* __restrict q, double* __restrict adt) {
  for (int c = cells.begin; c < cells.end; ++c) {
    const double* state = q + 4 * c;
    const double volume = 1 / state[0], u = volume * state[1], v = volume * state[2];
    const double sound = std::sqrt(gam * gm1 * (volume * state[3] - 0.5 * (u * u + v * v)));
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      const double* a = x + 2 * cell_nodes[4 * c + k];
      const double* b = x + 2 * cell_nodes[4 * c + (k + 1) % 4];
      const double dx = b[0] - a[0], dy = b[1] - a[1];
      sum += std::fabs(u * dy - v * dx) + sound * std::sqrt(dx * dx + dy * dy);
    }
    adt[c] = sum / cfl;
  }
}

template <bool adds_to_first, bool adds_to_second>
void res_calc(const HandEdge* __restrict begin, const HandEdge* end, const double* __restrict x,
              const double* __restrict q, const double* __restrict adt, double* __restrict res) {
  for (const HandEdge* edge = begin; edge != end; ++edge) {
    const double *x1 = x + 2 * edge->node[0], *x2 = x + 2 * edge->node[1];
    const int c1 = edge->cell[0], c2 = edge->cell[1];
    const double mu = 0.5 * eps * (adt[c1] + adt[c2]);
    const Flux flux = flux_between(q + 4 * c1, q + 4 * c2, x1[0] - x2[0], x1[1] - x2[1], mu);
    if (adds_to_first)
      for (int n = 0; n < 4; ++n) res[4 * c1 + n] += flux.f[n];
    if (adds_to_second)
      for (int n = 0; n < 4; ++n) res[4 * c2 + n] -= flux.f[n];
  }
}

template void res_calc<true, true>(const HandEdge*, const HandEdge*, const double*, const double*,
                                   const double*, double*);
template void res_calc<true, false>(const HandEdge*, const HandEdge*, const double*, const double*,
                                    const double*, double*);
template void res_calc<false, true>(const HandEdge*, const HandEdge*, const double*, const double*,
                                    const double*, double*);

void bres_calc(const std::vector<HandBoundaryEdge>& bedges, const double* __restrict x,
               const double* __restrict q, const double* __restrict adt, double* __restrict res) {
  for (const HandBoundaryEdge& bedge : bedges) {
    const double *x1 = x + 2 * bedge.node[0], *x2 = x + 2 * bedge.node[1];
    const double dx = x1[0] - x2[0], dy = x1[1] - x2[1];
    const double* state = q + 4 * bedge.cell;
    double* sum = res + 4 * bedge.cell;
    if (bedge.bound == airfoil::wall) {
      const double pressure = AtEdge(state, dx, dy).pressure;
      sum[1] += pressure * dy;
      sum[2] -= pressure * dx;
    } else {
      const Flux flux = flux_between(state, qinf, dx, dy, eps * adt[bedge.cell]);
      for (int n = 0; n < 4; ++n) sum[n] += flux.f[n];
    }
  }
}

double update(Range cells, const double* __restrict qold, const double* __restrict adt,
              double* __restrict q, double* __restrict res) {
  double rms = 0;
#pragma omp simd reduction(+ : rms)
  for (int c = cells.begin; c < cells.end; ++c) {
    const double step = 1 / adt[c];
    for (int n = 4 * c; n < 4 * c + 4; ++n) {
      const double change = step * res[n];
      q[n] = qold[n] - change;
      res[n] = 0;
      rms += change * change;
    }
  }
  return rms;
}

namespace {

std::vector<Slab> slabs_of(const airfoil::Mesh& mesh, const HugeVector<HandEdge>& edges,
                           int threads) {
  const auto first_cell = [&](long thread) {
    return static_cast<int>(thread * mesh.cells() / threads);
  };
  std::vector<Slab> slabs(threads);
  std::vector<int> owner(mesh.cells());
  for (int t = 0; t < threads; ++t) {
    slabs[t].cells = {first_cell(t), first_cell(t + 1)};
    std::fill(owner.begin() + slabs[t].cells.begin, owner.begin() + slabs[t].cells.end, t);
  }
  for (int e = 0; e < mesh.edges(); ++e) {
    Slab &first = slabs[owner[edges[e].cell[0]]], &second = slabs[owner[edges[e].cell[1]]];
    auto& inner = first.inner_edges;
    if (&first != &second) {
      first.left.push_back(edges[e]);
      second.right.push_back(edges[e]);
    } else if (!inner.empty() && inner.back().end == e) {
      ++inner.back().end;
    } else {
      inner.push_back({e, e + 1});
    }
  }
  for (int b = 0; b < mesh.bedges(); ++b) {
    const int cell = mesh.bedge_cell[b];
    slabs[owner[cell]].bedges.push_back(
        {{mesh.bedge_nodes[2 * b], mesh.bedge_nodes[2 * b + 1]}, cell, mesh.bound[b]});
  }
  return slabs;
}

}  // namespace

HandAirfoil::HandAirfoil(const airfoil::Mesh& mesh, int threads)
    : x_(mesh.x.begin(), mesh.x.end()),
      q_(4 * mesh.cells()),
      qold_(q_.size()),
      res_(q_.size(), 0),
      adt_(mesh.cells()),
      cell_nodes_(mesh.cell_nodes.begin(), mesh.cell_nodes.end()) {
  for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = qinf[i % 4];
  edges_.reserve(mesh.edges());
  for (int e = 0; e < mesh.edges(); ++e) {
    edges_.push_back({{mesh.edge_nodes[2 * e], mesh.edge_nodes[2 * e + 1]},
                      {mesh.edge_cells[2 * e], mesh.edge_cells[2 * e + 1]}});
  }
  slabs_ = slabs_of(mesh, edges_, threads);
}

void HandAirfoil::work(const Slab& slab, int iterations, std::barrier<>& all_threads, double& rms) {
  const auto [begin, end] = slab.cells;
  const double* x = x_.data();
  const double* adt = adt_.data();
  double* __restrict q = q_.data();
  double* __restrict qold = qold_.data();
  double* res = res_.data();
  for (int iteration = 0; iteration < iterations; ++iteration) {
    for (int i = 4 * begin; i < 4 * end; ++i) qold[i] = q[i];
    for (int half = 0; half < 2; ++half) {
      adt_calc(slab.cells, cell_nodes_.data(), x, q, adt_.data());
      all_threads.arrive_and_wait();  // edges need the neighbours' adt and q
      const HandEdge* edges = edges_.data();
      for (const Range& run : slab.inner_edges) {
        res_calc<true, true>(edges + run.begin, edges + run.end, x, q, adt, res);
      }
      res_calc<true, false>(slab.left.data(), slab.left.data() + slab.left.size(), x, q, adt, res);
      res_calc<false, true>(slab.right.data(), slab.right.data() + slab.right.size(), x, q, adt,
                            res);
      bres_calc(slab.bedges, x, q, adt, res);
      all_threads.arrive_and_wait();  // nobody needs my old q any longer
      rms = update(slab.cells, qold, adt, q, res);
    }
  }
}

double HandAirfoil::iterate(int iterations) {
  std::vector<double> rms(slabs_.size(), 0);
  std::barrier<> all_threads(static_cast<std::ptrdiff_t>(slabs_.size()));
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < slabs_.size(); ++t) {
    others.emplace_back([&, t] { work(slabs_[t], iterations, all_threads, rms[t]); });
  }
  work(slabs_[0], iterations, all_threads, rms[0]);
  others.clear();  // joins
  double sum = 0;
  for (const double part : rms) sum += part;
  return std::sqrt(sum / static_cast<double>(adt_.size()));
}

}  // namespace bench
