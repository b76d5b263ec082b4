// SPDX-License-Identifier: BSD-3-Clause
// What the library finds in the sources of kernels beyond their access modes, as programs see it.
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/op2.hpp>
#include <support/stderr_capture.hpp>
#include <support/temporary_directory.hpp>

namespace op2 {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

OP_KERNEL(set_all, (double* a), { *a = 3; });
OP_KERNEL(set_all_again, (const double* b, double* a), { *a = *b > 0 ? 5 : 7; });
OP_KERNEL(set_some, (const double* b, double* a), {
  if (*b > 0) *a = 9;
});
OP_KERNEL(set_beyond, (const double* b, double* a), {
  *a = 4;
  if (*b > 0) a[1] = 9;
});
OP_KERNEL(halve, (double* a), { *a = *a / 2; });
OP_KERNEL(share, (const double* b, double* left, double* right), {
  *left += 1 + *b;
  *right = *right + 2;
});
OP_KERNEL(pass_on, (const double* b, double* left, double* right), {
  *left += 1 + *b;
  *right = 2 * *right + 1;
});

/// A ring of cells and edges whose dats are 0, on one rank with two threads.
struct Facts : testing::Test {
  static constexpr int size = 4000;
  test::TemporaryDirectory folder;
  std::string table = (folder.path() / "table.csv").string();
  test::StderrCapture said;
  op_set cells, edges;
  op_map ends;
  op_dat a, b, load;

  void SetUp() override {
    setenv("OP2_TIMING", table.c_str(), 1);
    setenv("OP2_THREADS", "2", 1);
    op_init(0, nullptr, 1);
    std::vector<int> targets;
    for (int e = 0; e < size; ++e) targets.insert(targets.end(), {e, (e + 1) % size});
    cells = op_decl_set(size, "cells");
    edges = op_decl_set(size, "edges");
    ends = op_decl_map(edges, cells, 2, targets.data(), "ends");
    a = op_decl_dat<double>(cells, 1, nullptr, "a");
    b = op_decl_dat<double>(cells, 1, nullptr, "b");
    load = op_decl_dat<double>(edges, 1, nullptr, "load");
  }
  /// @return the per-loop table
  std::string end() {
    op_exit();
    unsetenv("OP2_TIMING");
    unsetenv("OP2_THREADS");
    std::stringstream text;
    text << std::ifstream(table).rdbuf();
    return text.str();
  }
  std::vector<double> values() const {
    std::vector<double> all(size);
    op_fetch_data(a, all.data());
    return all;
  }
  void add(op_kernel kernel) {
    op_par_loop(kernel, "add", edges, op_arg_dat(load, OP_READ), op_arg_dat(a, 0, ends, OP_RW),
                op_arg_dat(a, 1, ends, OP_RW));
  }
  void set() { op_par_loop(set_all, "set_all", cells, op_arg_dat(a, OP_WRITE)); }
};

TEST_F(Facts, MakeALoopDeadWhoseValuesAreAllReplaced) {
  set();
  op_par_loop(set_all_again, "again", cells, op_arg_dat(b, OP_READ), op_arg_dat(a, OP_WRITE));
  EXPECT_THAT(values(), Each(7));
  EXPECT_THAT(end(), AllOf(HasSubstr("\"again\",1,0,"), HasSubstr("\"set_all\",0,1,")));
  EXPECT_THAT(said.news(), Not(HasSubstr("OP_WRITE")));
}

TEST_F(Facts, KeepValuesThatAreReplacedOnlySometimes) {
  for (int k = 0; k < 2; ++k) {
    set();
    op_par_loop(set_some, "set_some", cells, op_arg_dat(b, OP_READ), op_arg_dat(a, OP_WRITE));
    EXPECT_THAT(values(), Each(3));
  }
  end();
  const std::string text = said.news();
  EXPECT_THAT(text,
              AllOf(HasSubstr("arg 1 (OP_WRITE): kernel 'set_some' "), HasSubstr("declare OP_RW"),
                    Not(ContainsRegex("loop 'set_some'(.|\n)*loop 'set_some'"))));
}

TEST_F(Facts, GiveNoAdviceToSetComponentsWhereAnIndexIsBeyondThem) {
  set();
  op_par_loop(set_beyond, "set_beyond", cells, op_arg_dat(b, OP_READ), op_arg_dat(a, OP_WRITE));
  EXPECT_THAT(values(), Each(4));
  end();
  EXPECT_THAT(said.news(),
              AllOf(HasSubstr("arg 1 (OP_WRITE): kernel 'set_beyond' uses index 1, but "
                              "its dimension is 1"),
                    Not(HasSubstr("values from before count"))));
}

TEST_F(Facts, KeepValuesThatAreReadBeforeTheyAreReplaced) {
  set();
  op_par_loop(halve, "halve", cells, op_arg_dat(a, OP_WRITE));
  EXPECT_THAT(values(), Each(1.5));
  EXPECT_THAT(end(), Not(HasSubstr("in order")));
  EXPECT_THAT(said.news(), HasSubstr("loop 'halve'"));
}

TEST_F(Facts, MakeAnIncrementOfWhatOnlyAdds) {
  add(share);
  EXPECT_THAT(values(), Each(3));
  EXPECT_THAT(end(), Not(HasSubstr("in order")));
  EXPECT_THAT(said.news(), IsEmpty());
}

TEST_F(Facts, LeaveInOrderWhatDoesMoreThanAdd) {
  add(pass_on);
  EXPECT_EQ(values().at(2), 2);
  EXPECT_THAT(end(), HasSubstr("in order"));
  EXPECT_THAT(said.news(), AllOf(HasSubstr("runs on one thread"), HasSubstr("kernel 'pass_on'"),
                                 HasSubstr("; if all they do is add, or take minima or maxima")));
}

TEST_F(Facts, NameEachOfTheLoopsOfOneNameOnce) {
  for (int k = 0; k < 2; ++k) {
    add(pass_on);
    op_par_loop(pass_on, "add", edges, op_arg_dat(load, OP_READ), op_arg_dat(a, 0, ends, OP_RW),
                op_arg_dat(a, 1, ends, OP_RW));
    op_flush();
    add(pass_on);
    op_flush();
  }
  end();
  const std::string text = said.news();
  int times = 0;
  for (auto at = text.find("the result depends on"); at != text.npos;
       at = text.find("the result depends on", at + 1))
    ++times;
  EXPECT_EQ(times, 2) << text;
}

}  // namespace
}  // namespace op2
