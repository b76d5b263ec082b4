// SPDX-License-Identifier: BSD-3-Clause
// Kernels that nearly only add, write in full or set zeros: whatever is proven of them, loops give
// what their host functions give, one element after the other in some order.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <op2/op2.hpp>

namespace op2 {
namespace {

// One value of a node, changed by the elements that share it, and one of the element.
#define ADDS(name, ...) OP_KERNEL(name, (const double* e, double* v, double* out), __VA_ARGS__)

ADDS(keeps_assigned, { *out = *v = *v + *e; });
ADDS(keeps_compound, { *out = *v += *e; });
ADDS(keeps_in_parentheses, { *out = ((*v = ((*v) + *e))); });
ADDS(keeps_by_comma, { *out = (*out = 0, *v = *v + *e); });
ADDS(keeps_by_choice, { *out = *e > 0 ? (*v = *v + *e) : 0; });
ADDS(keeps_in_variable, {
  const double t = *v = *v + *e;
  *out = t;
});
ADDS(keeps_by_reference, {
  double& r = *v;
  *out = r = r + *e;
});
ADDS(keeps_by_alias, {
  double& r = (*v += *e);
  *out = r;
});
ADDS(keeps_by_pointer, {
  double* const p = &(*v += *e);
  *out = *p;
});
ADDS(keeps_by_lambda, {
  const auto add = [&] { return *v = *v + *e; };
  *out = add();
});
ADDS(keeps_in_condition, {
  *out = 0;
  if ((*v = *v + *e) > 2) *out = 1;
});
ADDS(keeps_fused_sum, { *out = *v = std::fma(1.0, *e, *v); });
ADDS(keeps_step, {
  (void)e;
  *out = ++*v;
});
ADDS(keeps_value_before, {
  (void)e;
  *out = (*v)++;
});
ADDS(keeps_negated, { *out = -(*v -= *e); });
ADDS(reads_after, {
  *v += *e;
  *out = *v;
});
ADDS(reads_before, {
  *out = *v;
  *v += *e;
});
ADDS(adds_twice_itself, {
  *v = *v + *v * 0 + *e;
  *out = 1;
});
ADDS(adds_by_minimum, {
  *v = std::min(*v + *e, 1e9);
  *out = 1;
});
ADDS(adds_under_condition, {
  if (*v < 3) *v += *e;
  *out = 1;
});
ADDS(only_adds, {
  (void)(*v = *v + *e);
  *out = *e;
});

// Two values of a node, of which a chain of loops keeps or replaces some.
#define WRITES(name, ...) OP_KERNEL(name, (const double* e, double* y), __VA_ARGS__)

WRITES(sets_from_sum, {
  const double t = y[0] = y[0] + *e;
  y[1] = t;
});
WRITES(sets_one, { y[0] = *e; });
WRITES(sets_on_some_paths, {
  if (*e > 1) y[0] = y[1] = *e;
});
WRITES(sets_from_old, {
  y[0] = *e;
  y[1] = y[1] + 1;
});
WRITES(sets_until, {
  for (int k = 0; k < 2; ++k) {
    if (*e > 1) return;
    y[k] = *e;
  }
});
WRITES(sets_zeros, {
  (void)e;
  y[0] = y[1] = 0;
});
WRITES(sets_negative_zero, {
  (void)e;
  y[0] = 0;
  y[1] = -0.0;
});
WRITES(sets_zero_then_more, {
  y[0] = y[1] = 0;
  const_cast<double&>(std::max(y[0], y[1])) += *e;
});
WRITES(sets_zero_at_times, {
  y[0] = 0;
  y[1] = *e > 1 ? 0.0 : *e;
});

OP_KERNEL(fill, (const int* n, double* y), {
  y[0] = *n;
  y[1] = 7;
});
OP_KERNEL(add, (const double* e, double* y), {
  y[0] += 1 + *e;
  y[1] += 1 + *e;
});

void set(const char* name, const char* value) {
  value == nullptr ? unsetenv(name) : setenv(name, value, 1);
}

/// How loops may be executed.
const std::vector<std::pair<const char*, const char*>> ways[] = {
    {{"OP2_THREADS", "1"}},
    {{"OP2_THREADS", "3"}, {"OP2_SIMD", "on"}},
    {{"OP2_THREADS", "2"}, {"OP2_REPRODUCIBLE", "on"}},
    {{"OP2_THREADS", "1"}, {"OP2_SIMD", "on"}, {"OP2_TILE", "16"}}};

/// Calls `work` in a session of each way.
void in_each_way(const auto& work) {
  for (const auto& way : ways) {
    for (const auto& [name, value] : way) set(name, value);
    op_init(0, nullptr, 0);
    work();
    op_exit();
    for (const auto& [name, value] : way) set(name, nullptr);
  }
}

constexpr int elements = 400, of_a_node = 4;
double value_of(int element) {
  return element % 3;
}

/// What the elements of a node leave: its value, and theirs.
struct NodeValues {
  double sum = 0;
  std::array<double, of_a_node> kept{};
  bool operator==(const NodeValues&) const = default;
};

/// Whether they are those of calling the host function for one element after the other.
bool are_sequential(int node, const NodeValues& found,
                    void (*host)(const double*, double*, double*)) {
  std::array<int, of_a_node> order;
  std::iota(order.begin(), order.end(), 0);
  do {
    NodeValues values;
    for (const int k : order) {
      const double e = value_of(of_a_node * node + k);
      host(&e, &values.sum, &values.kept[static_cast<std::size_t>(k)]);
    }
    if (values == found) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

template <class Kernel>
void expect_sequential_sums(const Kernel& kernel, void (*host)(const double*, double*, double*)) {
  in_each_way([&] {
    std::vector<int> nodes;
    std::vector<double> e;
    for (int k = 0; k < elements; ++k) {
      nodes.push_back(k / of_a_node);
      e.push_back(value_of(k));
    }
    op_set edges = op_decl_set(elements, "edges"),
           points = op_decl_set(elements / of_a_node, "points");
    op_map map = op_decl_map(edges, points, 1, nodes, "map");
    op_dat given = op_decl_dat(edges, 1, e, "e"), v = op_decl_dat<double>(points, 1, nullptr, "v"),
           out = op_decl_dat<double>(edges, 1, nullptr, "out");
    op_par_loop(kernel, "near_miss", edges, op_arg_dat(given, OP_READ),
                op_arg_dat(v, 0, map, OP_RW), op_arg_dat(out, OP_WRITE));
    std::vector<double> sums(elements / of_a_node), kept(elements);
    op_fetch_data(v, sums);
    op_fetch_data(out, kept);
    for (int n = 0; n < elements / of_a_node; ++n) {
      NodeValues found{sums[static_cast<std::size_t>(n)], {}};
      std::copy_n(kept.begin() + of_a_node * n, of_a_node, found.kept.begin());
      ASSERT_TRUE(are_sequential(n, found, host)) << op_kernel(kernel)->name << ", node " << n;
    }
  });
}

TEST(NearMisses, OfAdditionsGiveWhatTheHostFunctionGives) {
#define CHECK(name) expect_sequential_sums(name, name##_host)
  CHECK(keeps_assigned);
  CHECK(keeps_compound);
  CHECK(keeps_in_parentheses);
  CHECK(keeps_by_comma);
  CHECK(keeps_by_choice);
  CHECK(keeps_in_variable);
  CHECK(keeps_by_reference);
  CHECK(keeps_by_alias);
  CHECK(keeps_by_pointer);
  CHECK(keeps_by_lambda);
  CHECK(keeps_in_condition);
  CHECK(keeps_fused_sum);
  CHECK(keeps_step);
  CHECK(keeps_value_before);
  CHECK(keeps_negated);
  CHECK(reads_after);
  CHECK(reads_before);
  CHECK(adds_twice_itself);
  CHECK(adds_by_minimum);
  CHECK(adds_under_condition);
  CHECK(only_adds);
#undef CHECK
}

template <class Kernel>
void expect_sequential_rows(const Kernel& kernel, void (*host)(const double*, double*)) {
  std::vector<double> expected(2 * elements), sums(2 * elements);
  for (std::size_t k = 0; k < elements; ++k) {
    expected[2 * k] = static_cast<double>(k);
    expected[2 * k + 1] = 7;
    const double e = value_of(static_cast<int>(k));
    host(&e, &expected[2 * k]);
    for (std::size_t c = 0; c < 2; ++c) expected[2 * k + c] += 1 + e;
  }
  in_each_way([&] {
    std::vector<double> e(elements), y(2 * elements);
    for (std::size_t k = 0; k < elements; ++k) e[k] = value_of(static_cast<int>(k));
    std::vector<int> same(elements);
    for (int k = 0; k < elements; ++k) same[static_cast<std::size_t>(k)] = k;
    op_set cells = op_decl_set(elements, "cells");
    op_map map = op_decl_map(cells, cells, 1, same, "map");
    op_dat given = op_decl_dat(cells, 1, e, "e"), row = op_decl_dat(cells, 2, y, "y");
    op_par_loop(fill, "fill", cells, op_arg_idx(-1, OP_ID), op_arg_dat(row, OP_WRITE));
    op_par_loop(kernel, "near_miss", cells, op_arg_dat(given, OP_READ), op_arg_dat(row, OP_WRITE));
    op_par_loop(add, "add", cells, op_arg_dat(given, OP_READ), op_arg_dat(row, 0, map, OP_INC));
    std::vector<double> found(2 * elements);
    op_fetch_data(row, found);
    EXPECT_EQ(found, expected) << op_kernel(kernel)->name;
  });
}

TEST(NearMisses, OfFullWritesAndZerosGiveWhatTheHostFunctionGives) {
#define CHECK(name) expect_sequential_rows(name, name##_host)
  CHECK(sets_from_sum);
  CHECK(sets_one);
  CHECK(sets_on_some_paths);
  CHECK(sets_from_old);
  CHECK(sets_until);
  CHECK(sets_zeros);
  CHECK(sets_negative_zero);
  CHECK(sets_zero_then_more);
  CHECK(sets_zero_at_times);
#undef CHECK
}

}  // namespace
}  // namespace op2
