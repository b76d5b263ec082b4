// SPDX-License-Identifier: BSD-3-Clause
#include "hand_airfoil_simd.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

namespace bench {
namespace {

#if defined(__AVX512F__)
constexpr int lanes = 8;
#elif defined(__AVX__)
constexpr int lanes = 4;
#else
constexpr int lanes = 2;
#endif

// A row of a dat, [2] or [4], and a column: one component of `lanes` elements, element e in lane e.
using Pair = double __attribute__((vector_size(2 * sizeof(double))));
using Row = double __attribute__((vector_size(4 * sizeof(double))));
using Column = double __attribute__((vector_size(lanes * sizeof(double))));
using Lanes = std::make_index_sequence<lanes>;

template <class Vector>
inline Vector load(const double* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

template <class Vector>
inline void store(double* to, Vector vector) {
  std::memcpy(to, &vector, sizeof vector);
}

/// The lanes of `low`, then those of `high`.
inline Row joined(Pair low, Pair high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}
inline auto joined(Row low, Row high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/// pair_of(first), pair_of(first + 2), ... side by side.
template <class PairOf>
inline Column every_second(int first, const PairOf& pair_of) {
  const auto two = [&](int k) { return joined(pair_of(k), pair_of(k + 2)); };
  if constexpr (lanes == 2)
    return pair_of(first);
  else if constexpr (lanes == 4)
    return two(first);
  else
    return joined(two(first), two(first + 4));
}

/// Lanes 0, 2, ... of `a` (of `odd`: 1, 3, ...), each followed by the same lane of `b`.
template <int odd, std::size_t... lane>
inline Column interleaved(Column a, Column b, std::index_sequence<lane...>) {
  return __builtin_shufflevector(a, b, (lane % 2 == 0 ? lane + odd : lane - 1 + odd + lanes)...);
}
template <int odd>
inline Column interleaved(Column a, Column b) {
  return interleaved<odd>(a, b, Lanes());
}

/// Two columns of the rows pair_of(0), ..., pair_of(lanes - 1). Pairs are loaded to where they
/// belong, which leaves two shuffles.
template <class PairOf>
inline void transpose(const PairOf& pair_of, Column& first, Column& second) {
  const Column even = every_second(0, pair_of), odd = every_second(1, pair_of);
  first = interleaved<0>(even, odd);
  second = interleaved<1>(even, odd);
}

/// Four columns of the rows at row_of(0), ..., row_of(lanes - 1).
template <class RowOf>
inline void transpose_rows(const RowOf& row_of, Column* columns) {
  for (int half = 0; half < 2; ++half)
    transpose([&](int e) { return load<Pair>(row_of(e) + 2 * half); }, columns[2 * half],
              columns[2 * half + 1]);
}

/// Four columns back to rows: calls use(e, row) for each element in ascending order.
template <class Use, std::size_t... e>
inline void for_rows(const Column* columns, const Use& use, std::index_sequence<e...>) {
  const Column low[] = {interleaved<0>(columns[0], columns[1]),
                        interleaved<1>(columns[0], columns[1])},
               high[] = {interleaved<0>(columns[2], columns[3]),
                         interleaved<1>(columns[2], columns[3])};
  (use(int{e}, Row(__builtin_shufflevector(low[e % 2], high[e % 2], e / 2 * 2, e / 2 * 2 + 1,
                                           e / 2 * 2 + lanes, e / 2 * 2 + 1 + lanes))),
   ...);
}

inline Column root(Column value) {
  for (int e = 0; e < lanes; ++e) value[e] = std::sqrt(value[e]);
  return value;
}

inline Column absolute(Column value) {
  using Bits = std::int64_t __attribute__((vector_size(sizeof(Column))));
  return Column(Bits(value) & std::int64_t{INT64_MAX});
}

/// Where row `row` of an array [rows x dim] begins.
template <int dim, class Number>
inline Number* at(Number* array, std::ptrdiff_t row) {
  return array + dim * row;
}

/// @param nodes  of the block's cells, [lanes x 4]
/// @param q      of the block's cells, [lanes x 4]
inline Column adt_of(const int* nodes, const double* x, const double* q) {
  Column state[4], corner_x[4], corner_y[4];
  transpose_rows([=](int e) { return q + 4 * e; }, state);
  for (int k = 0; k < 4; ++k)
    transpose([=](int e) { return load<Pair>(at<2>(x, nodes[4 * e + k])); }, corner_x[k],
              corner_y[k]);
  const Column volume = 1 / state[0], u = volume * state[1], v = volume * state[2];
  const Column sound = root(gam * gm1 * (volume * state[3] - 0.5 * (u * u + v * v)));
  Column flow{}, length{};
  for (int k = 0; k < 4; ++k) {
    const Column dx = corner_x[(k + 1) % 4] - corner_x[k], dy = corner_y[(k + 1) % 4] - corner_y[k];
    flow += absolute(u * dy - v * dx);
    length += root(dx * dx + dy * dy);
  }
  return (flow + sound * length) * (1 / cfl);
}

/// What loops over cells work on.
struct Cells {
  const int* nodes;
  const double* x;
  double *q, *qold, *res, *adt;
};

/// @param changes  squares are added to it; of each row in a separate accumulator, [lanes]
template <bool saves>
inline void update_block(const Cells& cells, int first, Row* changes) {
  const Column step = 1 / load<Column>(cells.adt + first);
  for (int e = 0; e < lanes; ++e) {
    const int row = 4 * (first + e);
    const Row change = step[e] * load<Row>(cells.res + row);
    const Row next = load<Row>(cells.qold + row) - change;
    store(cells.q + row, next);
    if (saves) store(cells.qold + row, next);
    store(cells.res + row, Row{});
    changes[e] += change * change;
  }
}

/// What a sweep over cells does with each block of them.
struct Sweep {
  bool updates = false, saves = false, computes_adt = false;
};

/// @return  the sum of the squares of the changes
template <Sweep sweep>
double sweep_cells(Range range, const Cells& cells) {
  Row changes[lanes] = {};
  int cell = range.begin;
  for (; cell + lanes <= range.end; cell += lanes) {
    if (sweep.updates)
      update_block<sweep.saves>(cells, cell, changes);
    else if (sweep.saves)
      for (int e = 0; e < lanes; ++e)
        store(cells.qold + 4 * (cell + e), load<Row>(cells.q + 4 * (cell + e)));
    if (sweep.computes_adt)
      store(cells.adt + cell, adt_of(cells.nodes + 4 * cell, cells.x, cells.q + 4 * cell));
  }
  const Range rest{cell, range.end};
  double rms = sweep.updates ? update(rest, cells.qold, cells.adt, cells.q, cells.res) : 0;
  if (sweep.saves) std::copy(cells.q + 4 * cell, cells.q + 4 * range.end, cells.qold + 4 * cell);
  if (sweep.computes_adt) adt_calc(rest, cells.nodes, cells.x, cells.q, cells.adt);
  for (const Row& row : changes)
    for (int k = 0; k < 4; ++k) rms += row[k];
  return rms;
}

/// A state at edges (dx, dy): its pressure, and half the volume that it carries across. Halves,
/// because the flux is the mean of both sides.
struct AtEdges {
  Column pressure, half_speed;
  AtEdges(const Column* q, Column dx, Column dy) {
    const Column half_volume = 0.5 / q[0];
    pressure = gm1 * (q[3] - half_volume * (q[1] * q[1] + q[2] * q[2]));
    half_speed = half_volume * (q[1] * dy - q[2] * dx);
  }
};

/// @param flux  result, four columns
inline void flux_between(const Column* q1, const Column* q2, Column dx, Column dy, Column mu,
                         Column* flux) {
  const AtEdges a(q1, dx, dy), b(q2, dx, dy);
  const Column half_pressure = 0.5 * (a.pressure + b.pressure);
  for (int n = 0; n < 4; ++n)
    flux[n] = a.half_speed * q1[n] + b.half_speed * q2[n] + mu * (q1[n] - q2[n]);
  flux[1] += half_pressure * dy;
  flux[2] -= half_pressure * dx;
  flux[3] += a.half_speed * a.pressure + b.half_speed * b.pressure;
}

template <bool adds_to_first, bool adds_to_second>
void res_calc_simd(const HandEdge* begin, const HandEdge* end, const double* __restrict x,
                   const double* __restrict q, const double* __restrict adt,
                   double* __restrict res) {
  const HandEdge* edge = begin;
  for (; end - edge >= lanes; edge += lanes) {
    Column dx, dy, q1[4], q2[4], adt_sum, flux[4];
    transpose(
        [=](int e) {
          return load<Pair>(at<2>(x, edge[e].node[0])) - load<Pair>(at<2>(x, edge[e].node[1]));
        },
        dx, dy);
    transpose_rows([=](int e) { return at<4>(q, edge[e].cell[0]); }, q1);
    transpose_rows([=](int e) { return at<4>(q, edge[e].cell[1]); }, q2);
    for (int e = 0; e < lanes; ++e) adt_sum[e] = adt[edge[e].cell[0]] + adt[edge[e].cell[1]];
    flux_between(q1, q2, dx, dy, 0.5 * eps * adt_sum, flux);
    for_rows(
        flux,
        [=](int e, Row row) {
          double *first = at<4>(res, edge[e].cell[0]), *second = at<4>(res, edge[e].cell[1]);
          if (adds_to_first) store(first, load<Row>(first) + row);
          if (adds_to_second) store(second, load<Row>(second) - row);
        },
        Lanes());
  }
  res_calc<adds_to_first, adds_to_second>(edge, end, x, q, adt, res);
}

void res_calc_of_slab(const Slab& slab, const HandEdge* edges, const Cells& cells) {
  const auto [nodes, x, q, qold, res, adt] = cells;
  for (const Range& run : slab.inner_edges)
    res_calc_simd<true, true>(edges + run.begin, edges + run.end, x, q, adt, res);
  const HandEdge *left = slab.left.data(), *right = slab.right.data();
  res_calc_simd<true, false>(left, left + slab.left.size(), x, q, adt, res);
  res_calc_simd<false, true>(right, right + slab.right.size(), x, q, adt, res);
  bres_calc(slab.bedges, x, q, adt, res);
}

}  // namespace

// Loops over cells that follow each other are one sweep, which reads and writes a fifth less. A
// residual that the program needs ends a sweep.
void HandAirfoilSimd::work(const Slab& slab, int iterations, std::barrier<>& all_threads,
                           double& rms) {
  const Cells cells{cell_nodes_.data(), x_.data(),   q_.data(),
                    qold_.data(),       res_.data(), adt_.data()};
  const auto edges = [&] {
    all_threads.arrive_and_wait();  // edges need the neighbours' adt and q
    res_calc_of_slab(slab, edges_.data(), cells);
    all_threads.arrive_and_wait();  // nobody needs my old q any longer
  };
  const auto update_and = [&]<Sweep next>() {
    if (residuals_ == Residuals::last)
      return sweep_cells<Sweep{true, next.saves, next.computes_adt}>(slab.cells, cells);
    const double sum = sweep_cells<Sweep{.updates = true}>(slab.cells, cells);
    all_threads.arrive_and_wait();
    sweep_cells<next>(slab.cells, cells);
    return sum;
  };
  sweep_cells<Sweep{.saves = true, .computes_adt = true}>(slab.cells, cells);
  for (int iteration = 1; iteration <= iterations; ++iteration) {
    edges();
    update_and.operator()<Sweep{.computes_adt = true}>();
    edges();
    if (iteration < iterations)
      update_and.operator()<Sweep{.saves = true, .computes_adt = true}>();
    else
      rms = sweep_cells<Sweep{.updates = true}>(slab.cells, cells);
  }
}

}  // namespace bench
