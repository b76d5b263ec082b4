// SPDX-License-Identifier: BSD-3-Clause
// Sets without elements, on some ranks or on all, and maps of a set to itself.
#include <stdio.h>

#include "features.hpp"

namespace features {
namespace {

void follow(const double* next, double* own) {
  *own += *next;
}
void spread(const double* weight, double* left, double* right) {
  *left += *weight;
  *right += 3 * *weight;
}
void three_results(const double* value, double* sum, double* least, double* most) {
  *sum += *value;
  *least = MIN(*least, *value);
  *most = MAX(*most, *value);
}
void one(double* value) {
  *value = 1;
}

void empty_set(const Mesh& mesh) {
  op_set empty = op_decl_set(0, ("empty_" + mesh.name).c_str());
  op_map map = op_decl_map(empty, mesh.nodes.set, 2, NULL, ("of_nothing_" + mesh.name).c_str());
  op_dat nothing = op_decl_dat(empty, 1, "double", static_cast<double*>(NULL), "nothing");
  Values<double> x = numbers<double>(mesh.nodes.total, 1);
  op_dat value = declare(mesh.nodes, 1, x);
  op_par_loop(spread, "spread", empty, op_arg_dat(nothing, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(value, 0, map, 1, "double", OP_INC),
              op_arg_dat(value, 1, map, 1, "double", OP_INC));
  double sum = 4, least = 5, most = 6;
  op_par_loop(three_results, "three_results", empty,
              op_arg_dat(value, 1, map, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC), op_arg_gbl(&least, 1, "double", OP_MIN),
              op_arg_gbl(&most, 1, "double", OP_MAX));
  op_par_loop(one, "one", empty, op_arg_dat(nothing, -1, OP_ID, 1, "double", OP_WRITE));
  double untouched = 99;
  op_fetch_data(nothing, &untouched);
  expect("fetched", untouched, 99.0);
  expect("sum", sum, 4.0);
  expect("least", least, 5.0);
  expect("most", most, 6.0);
  expect("op_get_size", op_get_size(empty), idx_g_t(0));
  expect("size", empty->size, 0);
  expect_dat("value", value, mesh.nodes, 1, x);
}

/// All elements are on the last rank, and lead to nodes of any.
void set_on_one_rank(const Mesh& mesh) {
  const int total = 30;
  const bool here = rank_of_this() == number_of_ranks() - 1;
  const Part part = {op_decl_set(here ? total : 0, ("last_" + mesh.name).c_str()), total,
                     here ? 0 : total, here ? total : 0};
  std::vector<int> ends;
  for (int k = 0; k < 2 * total; ++k) ends.push_back((k * 37 + k / 9) % mesh.nodes.total);
  op_map map = declare_map(part, mesh.nodes, 2, ends, ("last_map_" + mesh.name).c_str());
  Values<double> w = numbers<double>(total, 1), x = numbers<double>(mesh.nodes.total, 2);
  op_dat weight = op_decl_dat(part.set, 1, "double", here ? w.data() : NULL, "weight");
  op_dat value = declare(mesh.nodes, 1, x);
  op_par_loop(spread, "spread", part.set, op_arg_dat(weight, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(value, 0, map, 1, "double", OP_INC),
              op_arg_dat(value, 1, map, 1, "double", OP_INC));
  double sum = 0, least = 1e9, most = -1e9, wanted = 0;
  op_par_loop(three_results, "three_results", part.set,
              op_arg_dat(weight, -1, OP_ID, 1, "double", OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC), op_arg_gbl(&least, 1, "double", OP_MIN),
              op_arg_gbl(&most, 1, "double", OP_MAX));
  double lowest = 1e9, highest = -1e9;
  for (int k = 0; k < total; ++k) {
    x[ends[2 * k]] += w[k];
    x[ends[2 * k + 1]] += 3 * w[k];
    wanted += w[k];
    lowest = MIN(lowest, w[k]);
    highest = MAX(highest, w[k]);
  }
  expect("sum", sum, wanted);
  expect("least", least, lowest);
  expect("most", most, highest);
  expect("op_get_size", op_get_size(part.set), idx_g_t(total));
  expect_dat("value", value, mesh.nodes, 1, x);
}

/// One element: all ranks but one have none.
void set_of_one(const Mesh& mesh) {
  const Part part = declare_part(1, ("single_" + mesh.name).c_str());
  std::vector<int> entries(1, 42);
  op_map map = declare_map(part, mesh.nodes, 1, entries, ("single_map_" + mesh.name).c_str());
  Values<double> x = numbers<double>(mesh.nodes.total, 1), own(1, 8.0);
  op_dat value = declare(mesh.nodes, 1, x), single = declare(part, 1, own);
  op_par_loop(follow, "follow", part.set, op_arg_dat(value, 0, map, 1, "double", OP_READ),
              op_arg_dat(single, -1, OP_ID, 1, "double", OP_INC));
  op_par_loop(follow, "follow", part.set, op_arg_dat(single, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(value, 0, map, 1, "double", OP_INC));
  own[0] += x[42];
  x[42] += own[0];
  expect_dat("single", single, part, 1, own);
  expect_dat("value", value, mesh.nodes, 1, x);
}

void map_to_itself(const Mesh& mesh) {
  const int total = mesh.nodes.total;
  const Part ring = declare_part(total, ("ring_" + mesh.name).c_str());
  std::vector<int> next;
  for (int k = 0; k < total; ++k) next.push_back((k * 5 + 3) % total);
  op_map map = declare_map(ring, ring, 1, next, ("next_" + mesh.name).c_str());
  Values<double> x = numbers<double>(total, 1), y(total);
  op_dat first = declare(ring, 1, x), second = declare(ring, 1, y);
  for (int step = 0; step < 4; ++step) {
    op_par_loop(follow, "follow", ring.set, op_arg_dat(first, 0, map, 1, "double", OP_READ),
                op_arg_dat(second, -1, OP_ID, 1, "double", OP_INC));
    op_par_loop(follow, "follow", ring.set, op_arg_dat(second, -1, OP_ID, 1, "double", OP_READ),
                op_arg_dat(first, 0, map, 1, "double", OP_INC));
    for (int k = 0; k < total; ++k) y[k] += x[next[k]];
    for (int k = 0; k < total; ++k) x[next[k]] += y[k];
  }
  expect_dat("first", first, ring, 1, x);
  expect_dat("second", second, ring, 1, y);
}

/// A file of all elements in the declared order, which the root reads again.
void printed_dat(const Mesh& mesh) {
  Values<double> x = numbers<double>(2 * mesh.nodes.total, 1);
  op_dat dat = declare(mesh.nodes, 2, x);
  op_print_dat_to_txtfile(dat, "features_dat.txt");
  op_print_dat_to_binfile(dat, "features_dat.bin");
  if (!op_is_root()) return;
  FILE* text = fopen("features_dat.txt", "r");
  FILE* binary = fopen("features_dat.bin", "rb");
  if (text == NULL || binary == NULL) return fail("a file is missing");
  int sizes[2] = {0, 0}, again[2] = {0, 0};
  expect("sizes as text", fscanf(text, "%d %d", &sizes[0], &sizes[1]), 2);
  expect("sizes", fread(again, sizeof(int), 2, binary), std::size_t(2));
  expect("size", sizes[0], mesh.nodes.total);
  expect("dim", sizes[1], 2);
  expect("binary size", again[0], mesh.nodes.total);
  expect("binary dim", again[1], 2);
  for (int k = 0; k < x.size(); ++k) {
    double value = -1, other = -1;
    expect("value as text", fscanf(text, "%lf", &value), 1);
    expect("bytes", fread(&other, sizeof(double), 1, binary), std::size_t(1));
    expect("text", value, x[k]);
    expect("binary", other, x[k]);
  }
  fclose(text);
  fclose(binary);
}

}  // namespace

Features set_features() {
  return {{"empty_set", empty_set},
          {"set_on_one_rank", set_on_one_rank},
          {"set_of_one", set_of_one},
          {"map_to_itself", map_to_itself},
          {"printed_dat", printed_dat}};
}

}  // namespace features
