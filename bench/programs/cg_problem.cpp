// SPDX-License-Identifier: BSD-3-Clause
#include "cg_problem.hpp"

#include <algorithm>
#include <barrier>
#include <cmath>
#include <thread>

namespace bench {
namespace {

/// Stiffness of a square cell with coefficient c; the size of the cell cancels in two dimensions.
void add_stiffness(double c, std::vector<double>& matrix) {
  constexpr double by_distance[] = {2.0 / 3, -1.0 / 6, -1.0 / 3, -1.0 / 6};  // around the cell
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) matrix.push_back(c * by_distance[(j - i + 4) % 4]);
}

}  // namespace

CgProblem::CgProblem(int width) : nodes((width + 1) * (width + 1)), cells(width * width) {
  const auto node = [&](int i, int j) { return j * (width + 1) + i; };
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < width; ++i) {
      cell_nodes.insert(cell_nodes.end(),
                        {node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)});
      add_stiffness(1 + 0.5 * std::sin(0.1 * i) * std::cos(0.07 * j), matrix);
    }
  for (int j = 0; j <= width; ++j)
    for (int i = 0; i <= width; ++i) {
      const bool boundary = i == 0 || j == 0 || i == width || j == width;
      inside.push_back(boundary ? 0 : 1);
      right_side.push_back(boundary ? 0 : 1.0 / (width * width));
    }
}

HandCg::HandCg(const CgProblem& problem, int threads)
    : problem_(problem),
      threads_(threads),
      u_(static_cast<std::size_t>(problem.nodes)),
      p_(u_.size()),
      r_(u_.size()),
      v_(u_.size()) {}

/// Cells [begin, end) and nodes [first, last). Nodes between two threads' cells get the later
/// thread's part through a separate row.
struct HandCg::Share {
  int begin, end, first, last;

  static void multiply(int begin, int end, const CgProblem& m, const double* __restrict p,
                       double* __restrict v) {
    for (int c = begin; c < end; ++c) {
      const int* n = &m.cell_nodes[4 * static_cast<std::size_t>(c)];
      const double* k = &m.matrix[16 * static_cast<std::size_t>(c)];
      for (int i = 0; i < 4; ++i) {
        double sum = 0;
        for (int j = 0; j < 4; ++j) sum += k[4 * i + j] * p[n[j]];
        v[n[i]] += sum;
      }
    }
  }
};

double HandCg::solve(int iterations) {
  const int width = static_cast<int>(std::lround(std::sqrt(problem_.cells)));
  std::fill(u_.begin(), u_.end(), 0.0);
  std::fill(p_.begin(), p_.end(), 0.0);
  std::fill(v_.begin(), v_.end(), 0.0);
  r_ = problem_.right_side;
  std::vector<double> pv(static_cast<std::size_t>(threads_)), rr(pv.size());
  double residual = 0;
  for (const double r : r_) residual += r * r;
  std::barrier<> all(threads_);
  const auto sum = [](const std::vector<double>& parts) {
    double total = 0;
    for (const double part : parts) total += part;
    return total;
  };
  const auto work = [&](int t) {
    const int row = width * t / threads_, next = width * (t + 1) / threads_;
    const int first = row * (width + 1),
              last = t + 1 == threads_ ? problem_.nodes : next * (width + 1);
    const double* inside = problem_.inside.data();
    double *u = u_.data(), *p = p_.data(), *r = r_.data(), *v = v_.data();
    double beta = 0, rr_old = residual;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      for (int n = first; n < last; ++n) {
        p[n] = r[n] + beta * p[n];
        v[n] = 0;
      }
      all.arrive_and_wait();
      // The last row of cells of a thread reaches the first nodes of the next one.
      const int end = t + 1 == threads_ ? next : next - 1;
      Share::multiply(row * width, end * width, problem_, p, v);
      all.arrive_and_wait();
      Share::multiply(end * width, next * width, problem_, p, v);
      all.arrive_and_wait();
      double mine = 0;
#pragma omp simd reduction(+ : mine)
      for (int n = first; n < last; ++n) {
        v[n] *= inside[n];
        mine += p[n] * v[n];
      }
      pv[static_cast<std::size_t>(t)] = mine;
      all.arrive_and_wait();
      const double alpha = rr_old / sum(pv);
      mine = 0;
#pragma omp simd reduction(+ : mine)
      for (int n = first; n < last; ++n) {
        u[n] += alpha * p[n];
        r[n] -= alpha * v[n];
        mine += r[n] * r[n];
      }
      rr[static_cast<std::size_t>(t)] = mine;
      all.arrive_and_wait();
      const double rr_new = sum(rr);
      beta = rr_new / rr_old;
      rr_old = rr_new;
    }
    if (t == 0) residual = rr_old;
  };
  {
    std::vector<std::jthread> others;
    for (int t = 1; t < threads_; ++t) others.emplace_back(work, t);
    work(0);
  }
  return residual;
}

}  // namespace bench
