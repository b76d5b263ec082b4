// SPDX-License-Identifier: BSD-3-Clause
// The library may renumber elements; the program still sees the declared order.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <op2/op2.hpp>
#include <support/temporary_directory.hpp>

namespace op2 {
namespace {

OP_KERNEL(number, (const int* index, int* out), { *out = *index; });
OP_KERNEL(number_of_end, (const int* end, const int* value, int* out), { *out = *end + *value; });

/// A ring of cells whose numbers are random, and the edges between neighbours.
struct Order : testing::Test {
  static constexpr int size = 200;
  std::vector<int> ends;
  op_set cells, edges;
  op_map edge_cells;

  Order() {
    setenv("OP2_RENUMBER", "on", 1);
    op_init(0, nullptr, 0);
    std::vector<int> cell(size);
    std::iota(cell.begin(), cell.end(), 0);
    std::shuffle(cell.begin(), cell.end(), std::mt19937(5));
    for (std::size_t e = 0; e < cell.size(); ++e)
      ends.insert(ends.end(), {cell[e], cell[(e + 1) % cell.size()]});
    cells = op_decl_set(size, "cells");
    edges = op_decl_set(size, "edges");
    edge_cells = op_decl_map(edges, cells, 2, ends.data(), "edge_cells");
  }
  ~Order() override {
    op_exit();
    unsetenv("OP2_RENUMBER");
  }

  op_dat numbered(op_set set, const char* name) {
    const op_dat dat = op_decl_dat<int>(set, 1, nullptr, name);
    op_par_loop(number, "number", set, op_arg_idx(-1, OP_ID), op_arg_dat(dat, OP_WRITE));
    return dat;
  }
  static std::vector<int> values(op_dat dat) {
    std::vector<int> all(size);
    op_fetch_data(dat, all.data());
    return all;
  }
  static std::vector<int> counted() {
    std::vector<int> all(size);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
};

TEST_F(Order, OfNumbersAndOfFetchedDataIsThatOfTheDeclaration) {
  const op_dat dat = numbered(cells, "numbers");
  op_flush();
  const auto* rows = reinterpret_cast<const int*>(dat->data);
  EXPECT_NE(std::vector<int>(rows, rows + size), counted()) << "nothing was reordered";
  EXPECT_EQ(values(dat), counted());
}

TEST_F(Order, OfARangeToo) {
  const op_dat dat = numbered(cells, "numbers");
  std::vector<int> some(5);
  op_fetch_data_idx(dat, some.data(), 40, 44);
  EXPECT_EQ(some, (std::vector<int>{40, 41, 42, 43, 44}));
}

TEST_F(Order, OfTargetsAndOfDataDeclaredLater) {
  op_dat first = numbered(cells, "numbers");
  op_flush();
  const std::vector<int> all = counted();
  const op_dat later = op_decl_dat(cells, 1, all.data(), "later"),
               sum = op_decl_dat<int>(edges, 1, nullptr, "sum");
  op_par_loop(number_of_end, "number_of_end", edges, op_arg_idx(1, edge_cells),
              op_arg_dat(later, 0, edge_cells, OP_READ), op_arg_dat(sum, OP_WRITE));
  const std::vector<int> sums = values(sum);
  for (std::size_t e = 0; e < sums.size(); ++e) EXPECT_EQ(sums[e], ends[2 * e] + ends[2 * e + 1]);
  EXPECT_EQ(values(later), all);
  EXPECT_EQ(values(first), all);
}

TEST_F(Order, SurvivesAMapThatIsDeclaredLater) {
  const op_dat dat = numbered(cells, "numbers");
  const std::vector<int> back(counted());
  const op_map again = op_decl_map(cells, edges, 1, back.data(), "again");
  const op_dat of_edges = numbered(edges, "edge numbers"),
               sum = op_decl_dat<int>(cells, 1, nullptr, "sum");
  op_par_loop(number_of_end, "number_of_end", cells, op_arg_idx(0, again),
              op_arg_dat(of_edges, 0, again, OP_READ), op_arg_dat(sum, OP_WRITE));
  EXPECT_EQ(values(dat), counted());
  const std::vector<int> sums = values(sum);
  for (int k = 0; k < size; ++k) EXPECT_EQ(sums[static_cast<std::size_t>(k)], 2 * k);
}

TEST_F(Order, OfFilesIsThatOfTheDeclaration) {
  const test::TemporaryDirectory folder;
  const op_dat dat = numbered(cells, "numbers");
  op_print_dat_to_binfile(dat, (folder.path() / "numbers.bin").c_str());
  std::ifstream file(folder.path() / "numbers.bin", std::ios::binary);
  file.seekg(-static_cast<std::streamoff>(size * sizeof(int)), std::ios::end);
  std::vector<int> written(size);
  file.read(reinterpret_cast<char*>(written.data()),
            static_cast<std::streamsize>(size * sizeof(int)));
  EXPECT_EQ(written, counted());
}

}  // namespace
}  // namespace op2
