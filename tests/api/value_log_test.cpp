// SPDX-License-Identifier: BSD-3-Clause
// OP2_HASH: which values get a line, and that a line depends on nothing but them.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/expect_error.hpp>
#include <support/temporary_directory.hpp>

namespace op2 {
namespace {

using test::error_text;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

OP_KERNEL(twice, (double* x), { *x *= 2; });
OP_KERNEL(add_up, (const double* x, double* sum), { *sum += *x; });
OP_KERNEL(copy_end, (const double* x, double* on_edge), { *on_edge = *x; });

class ValueLog : public testing::Test {
 protected:
  using Lines = std::vector<std::string>;

  /// What OP2_HASH has written after a session that runs `program`.
  Lines lines_of(const std::function<void()>& program, const char* renumber = "off") const {
    setenv("OP2_HASH", path_.c_str(), 1);
    setenv("OP2_RENUMBER", renumber, 1);
    op_init(0, nullptr, 0);
    program();
    op_exit();
    unsetenv("OP2_HASH");
    unsetenv("OP2_RENUMBER");
    std::ifstream file(path_);
    Lines lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  static std::string hash_in(const std::string& line) { return line.substr(0, 16); }

  test::TemporaryDirectory folder_;
  const std::string path_ = (folder_.path() / "values").string();
};

/// Four cells and a map, a loop, and each way in which a program gets values.
void small_program(double first, int end) {
  const op_set cells = op_decl_set(4, "cells"), edges = op_decl_set(3, "edges");
  const std::vector<int> ends{2, 0, end};
  const op_map map = op_decl_map(edges, cells, 1, ends.data(), "ends");
  const std::vector<double> values{first, 1.5, 2.5, 3.5};
  const op_dat x = op_decl_dat(cells, 1, "double", values.data(), "x");
  const op_dat y = op_decl_dat<double>(edges, 1, nullptr, "y");
  op_decl_dat_temp(cells, 1, "double", "unseen");
  op_par_loop(twice, "twice", cells, op_arg_dat(x, OP_RW));
  op_par_loop(copy_end, "copy_end", edges, op_arg_dat(x, 0, map, OP_READ), op_arg_dat(y, OP_WRITE));
  double sum = 0;
  op_par_loop(add_up, "add_up", cells, op_arg_dat(x, OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC));
  const op_global total = op_decl_global(1, &sum, "total");
  op_par_loop(add_up, "add_up", cells, op_arg_dat(x, OP_READ), op_arg_gbl(total, OP_INC));
  op_fetch_global(total, &sum);
  std::vector<double> fetched(4);
  op_fetch_data(x, fetched.data());
}

TEST_F(ValueLog, HasALineForEachValue) {
  EXPECT_THAT(lines_of([] { small_program(0.5, 1); }),
              ElementsAre(StartsWith("# hashes of the values"),
                          EndsWith("--  declared: set 'cells' of 4 elements"),
                          EndsWith("--  declared: set 'edges' of 3 elements"),
                          EndsWith("  declared: map 'ends' from 'edges' to 'cells' of arity 1"),
                          EndsWith("  declared: dat 'x' of dim 1 and type \"double\" on 'cells'"),
                          EndsWith("  declared: dat 'y' of dim 1 and type \"double\" on 'edges'"),
                          EndsWith("  loop 'add_up' arg 1"), EndsWith("  fetch of global 'total'"),
                          EndsWith("  fetch of dat 'x'"), EndsWith("  dat 'x' at op_exit"),
                          EndsWith("  dat 'y' at op_exit")));
}

TEST_F(ValueLog, DoesNotDependOnTheOrderOfRows) {
  EXPECT_EQ(lines_of([] { small_program(0.5, 1); }, "on"),
            lines_of([] { small_program(0.5, 1); }, "off"));
}

/// The lines of the second program whose hashes differ from the first.
std::vector<std::string> differing(const std::vector<std::string>& one,
                                   const std::vector<std::string>& other) {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < other.size(); ++k)
    if (k >= one.size() || one[k] != other[k]) lines.push_back(other[k].substr(18));
  return lines;
}

TEST_F(ValueLog, ChangesWithEachValueAndWhatFollowsFromIt) {
  const Lines first = lines_of([] { small_program(0.5, 1); });
  EXPECT_THAT(differing(first, lines_of([] { small_program(std::nextafter(0.5, 1.0), 1); })),
              ElementsAre(StartsWith("declared: dat 'x'"), "fetch of dat 'x'", "dat 'x' at op_exit",
                          "dat 'y' at op_exit"));  // the sums round it away
  EXPECT_THAT(differing(first, lines_of([] { small_program(0.5, 2); })),
              ElementsAre(StartsWith("declared: map 'ends'"), "dat 'y' at op_exit"));
}

TEST_F(ValueLog, TellsTheSignOfZeroAndNotThatOfNaN) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto hash = [&](double value) {
    return hash_in(lines_of([&] { small_program(value, 1); })[4]);
  };
  EXPECT_NE(hash(0.0), hash(-0.0));
  EXPECT_EQ(hash(nan), hash(-nan));
}

TEST_F(ValueLog, IsNotWrittenAfterAFailure) {
  setenv("OP2_HASH", path_.c_str(), 1);
  op_init(0, nullptr, 0);
  const op_set cells = op_decl_set(1, "cells");
  const op_dat x = op_decl_dat<double>(cells, 1, nullptr, "x");
  const op_kernel broken = op_decl_kernel("broken", "void broken(double* x) { *x = nowhere; }");
  op_par_loop(broken, "broken", cells, op_arg_dat(x, OP_RW));
  double value = 0;
  EXPECT_THROW(op_fetch_data(x, &value), Error);
  op_exit();
  unsetenv("OP2_HASH");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ValueLog, NamesAFileThatCannotBeWritten) {
  setenv("OP2_HASH", (folder_.path() / "missing" / "values").c_str(), 1);
  EXPECT_THAT(error_text(ErrorCode::io_failure, [] { op_init(0, nullptr, 0); }),
              HasSubstr("missing/values"));
  unsetenv("OP2_HASH");
}

}  // namespace
}  // namespace op2
