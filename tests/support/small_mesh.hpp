// SPDX-License-Identifier: BSD-3-Clause
// A ring: `n` edges between `n` cells, edge e joins cells e and e + 1.
#pragma once

#include <vector>

#include <op2/par_loop.hpp>

#include <core/mesh.hpp>
#include <core/queue.hpp>

namespace op2::test {

struct Ring {
  core::Mesh mesh;
  core::Set& cells;
  core::Set& edges;
  core::Map& ends;     ///< edge -> its two cells
  core::Map& partner;  ///< cell -> the same cell: injective
  core::Dat& q;
  core::Dat& res;

  explicit Ring(int n = 8)
      : cells(mesh.add_set({0, n, n}, "cells")),
        edges(mesh.add_set({0, n, n}, "edges")),
        ends(mesh.add_map(&edges, &cells, 2, ring(n).data(), "ends")),
        partner(mesh.add_map(&cells, &cells, 1, identity(n).data(), "partner")),
        q(mesh.add_dat(&cells, 1, Type::f64, nullptr, "q", false)),
        res(mesh.add_dat(&cells, 4, Type::f64, nullptr, "res", false)) {}

  static std::vector<int> ring(int n) {
    std::vector<int> ends;
    for (int e = 0; e < n; ++e) ends.insert(ends.end(), {e, (e + 1) % n});
    return ends;
  }
  static std::vector<int> identity(int n) {
    std::vector<int> same;
    for (int c = 0; c < n; ++c) same.push_back(c);
    return same;
  }
};

/// A kernel that is only a name: enough for what does not run it.
inline op_kernel named_kernel() {
  static const op_kernel_core kernel{"kernel", "", "", 0, false, nullptr, nullptr, nullptr, -1};
  return &kernel;
}

/// Queues a loop and gives its arguments as the passes see them.
template <class... Args>
std::span<const core::LoopArg> queue_loop(core::Queue& queue, core::Set& set, Args... args) {
  const std::vector<op_arg> list{args...};
  queue.push_loop(named_kernel(), "loop", &set, list);
  return queue.args_of(queue.records().back());
}

}  // namespace op2::test
