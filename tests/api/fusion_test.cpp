// SPDX-License-Identifier: BSD-3-Clause
// Neighbouring loops become one where that changes no result.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/temporary_directory.hpp>

namespace op2 {
namespace {

using testing::HasSubstr;
using testing::Not;

double factor = 3;

OP_KERNEL(doubled, (const double* a, double* b), { *b = 2 * *a; });
OP_KERNEL(shifted, (double* b, const double* by), { *b += *by; });
OP_KERNEL(scaled, (const double* b, double* c, double* sum), {
  *c = *b * factor;
  *sum += *c;
});
OP_KERNEL(spread, (const double* c, double* left, double* right), {
  *left += *c;
  *right += 2 * *c;
});
OP_KERNEL(of_ends, (const double* left, const double* right, double* c), { *c = *left - *right; });

OP_KERNEL(increased, (const double* a, double* b), { *b += *a; });
OP_KERNEL(of_numbers, (double* b, const int* own, const int* end), { *b += 3 * *own + *end; });

/// A ring; all values are whole numbers.
struct Fusion : testing::Test {
  static constexpr int size = 3000;
  test::TemporaryDirectory folder;
  std::string table = (folder.path() / "table.csv").string();
  op_set cells, edges;
  op_map ends;
  op_dat a, b, c, other;

  void begin(const char* debug) {
    setenv("OP2_DEBUG", debug, 1);
    setenv("OP2_TIMING", table.c_str(), 1);
    op_init(0, nullptr, 0);
    op_decl_const(1, &factor, "factor");
    std::vector<int> targets;
    std::vector<double> values(size);
    for (int e = 0; e < size; ++e) targets.insert(targets.end(), {e, (e + 7) % size});
    std::iota(values.begin(), values.end(), 1);
    cells = op_decl_set(size, "cells");
    edges = op_decl_set(size, "edges");
    ends = op_decl_map(edges, cells, 2, targets.data(), "ends");
    a = op_decl_dat(edges, 1, values.data(), "a");
    b = op_decl_dat(edges, 1, values.data(), "b");
    c = op_decl_dat(edges, 1, values.data(), "c");
    other = op_decl_dat<double>(cells, 1, nullptr, "other");
  }
  /// @return the per-loop table
  std::string end() {
    op_exit();
    unsetenv("OP2_DEBUG");
    unsetenv("OP2_TIMING");
    std::stringstream text;
    text << std::ifstream(table).rdbuf();
    return text.str();
  }
  /// Everything that five steps of the program lead to.
  std::vector<double> run() {
    std::vector<double> all;
    for (int step = 0; step < 5; ++step) {
      const double by = step;
      double sum = 0;
      op_par_loop(doubled, "doubled", edges, op_arg_dat(a, OP_READ), op_arg_dat(b, OP_WRITE));
      op_par_loop(shifted, "shifted", edges, op_arg_dat(b, OP_RW),
                  op_arg_gbl(&by, 1, "double", OP_READ));
      op_par_loop(scaled, "scaled", edges, op_arg_dat(b, OP_READ), op_arg_dat(c, OP_WRITE),
                  op_arg_gbl(&sum, 1, "double", OP_INC));
      all.push_back(sum);
      op_par_loop(spread, "spread", edges, op_arg_dat(c, OP_READ),
                  op_arg_dat(other, 0, ends, OP_INC), op_arg_dat(other, 1, ends, OP_INC));
      op_par_loop(of_ends, "of_ends", edges, op_arg_dat(other, 0, ends, OP_READ),
                  op_arg_dat(other, 1, ends, OP_READ), op_arg_dat(c, OP_WRITE));
      op_flush();
    }
    for (const op_dat dat : {b, c, other}) {
      std::vector<double> values(size);
      op_fetch_data(dat, values.data());
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }
};

TEST_F(Fusion, ChangesNoResultAndIsInTheTable) {
  begin("no_fuse");
  const auto expected = run();
  EXPECT_THAT(end(), Not(HasSubstr("doubled+")));
  begin("none");
  EXPECT_EQ(run(), expected);
  EXPECT_EQ(op_get_loop_iterations("shifted"), 5 * size);
  const std::string report = end();
  EXPECT_THAT(report, HasSubstr("doubled+shifted+scaled"));
  EXPECT_THAT(report, HasSubstr(",5,\"doubled+shifted+scaled\","));
}

TEST_F(Fusion, LeavesLoopsApartThatMeetThroughAMap) {
  begin("none");
  run();
  const std::string report = end();
  EXPECT_THAT(report, Not(HasSubstr("spread+of_ends")));
}

TEST_F(Fusion, LeavesTextsWithHelpersAlone) {
  // In a separate scope the helper would hide the function of the library.
  for (const char* debug : {"no_fuse", "none"}) {
    begin(debug);
    const op_kernel powers = op_decl_kernel(
        "powers",
        "static double pow(double x, int n) { return n > 1 ? x * x : x; }\n"
        "void powers(const double* b, double* c) { *c = pow(*b, 0.5) + pow(*b, 2); }");
    for (int step = 0; step < 3; ++step) {
      op_par_loop(doubled, "doubled", edges, op_arg_dat(a, OP_READ), op_arg_dat(b, OP_WRITE));
      op_par_loop(powers, "powers", edges, op_arg_dat(b, OP_READ), op_arg_dat(c, OP_WRITE));
      std::vector<double> values(size);
      op_fetch_data(c, values.data());
      EXPECT_DOUBLE_EQ(values[7], 4 + 256);
    }
    const bool fuses = std::string_view(debug) == "none";
    EXPECT_EQ(end().find("doubled+powers") != std::string::npos, fuses);
  }
}

TEST_F(Fusion, TakesManyLoopsOfFewArguments) {
  begin("none");
  for (int step = 0; step < 3; ++step) {
    for (int k = 0; k < 8; ++k) {
      op_par_loop(increased, "increased", edges, op_arg_dat(a, OP_READ), op_arg_dat(b, OP_INC));
      op_par_loop(of_numbers, "of_numbers", edges, op_arg_dat(b, OP_RW), op_arg_idx(-1, OP_ID),
                  op_arg_idx(1, ends));
    }
    op_flush();
  }
  std::vector<double> values(size);
  op_fetch_data(b, values.data());
  for (int e = 0; e < size; ++e)
    EXPECT_EQ(values[static_cast<std::size_t>(e)], e + 1 + 24 * (e + 1 + 3 * e + (e + 7) % size));
  EXPECT_THAT(end(), HasSubstr("increased+of_numbers+increased+of_numbers+... (16 loops)"));
}

TEST_F(Fusion, KeepsTheOrderOfGlobals) {
  for (const char* debug : {"no_fuse", "none"}) {
    begin(debug);
    const double zero = 0;
    const op_global total = op_decl_global(1, &zero, "total");
    std::vector<double> totals;
    for (int step = 0; step < 4; ++step) {
      op_set_global(total, &zero);
      op_par_loop(scaled, "scaled", edges, op_arg_dat(b, OP_READ), op_arg_dat(c, OP_WRITE),
                  op_arg_gbl(total, OP_INC));
      op_par_loop(shifted, "shifted", edges, op_arg_dat(b, OP_RW), op_arg_gbl(total, OP_READ));
      double value = 0;
      op_fetch_global(total, &value);
      totals.push_back(value);
    }
    const double first = 3.0 * size * (size + 1) / 2;
    for (std::size_t k = 0; k < totals.size(); ++k)
      EXPECT_DOUBLE_EQ(totals[k], first * std::pow(1 + 3.0 * size, static_cast<double>(k)));
    EXPECT_THAT(end(), Not(HasSubstr("scaled+shifted")));
  }
}

}  // namespace
}  // namespace op2
