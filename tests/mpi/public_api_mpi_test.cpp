// SPDX-License-Identifier: BSD-3-Clause
// What a program on ranks gets from the public interface: results as with one rank, and errors
// that all ranks know of.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <mpi.h>

#include <support/expect_error.hpp>
#include <support/graph_on_ranks.hpp>

namespace op2::test {
namespace {

using testing::Each;
using testing::HasSubstr;

OP_KERNEL(number_of_cell, (const int* index, int* out), { *out = *index; });
OP_KERNEL(number_of_end, (const int* index, int* out), { *out = *index; });
OP_KERNEL(reduce, (const double* state, double* sum, double* least, double* greatest), {
  *sum += *state;
  *least = *state < *least ? *state : *least;
  *greatest = *state > *greatest ? *state : *greatest;
});
OP_KERNEL(count_up, (int* value, int* sum), {
  *value += 1;
  *sum += *value;
});
OP_KERNEL(count_edges, (const double* state, double* flux, std::int64_t* count), {
  *flux += 0 * *state;
  *count += 1;
});
OP_KERNEL(keep_greatest, (const int* edge, int* first, int* second, int* uses), {
  *first = *edge > *first ? *edge : *first;
  *second = *edge > *second ? *edge : *second;
  *uses += 1;
});
OP_KERNEL(cut_off, (double* state, int* seen, int* last), {
  if (*state < 3) *state = 3;
  *seen = 1;
  *last = 7;
});
OP_KERNEL(mark_both, (double* state, double* flux), {
  *state += 1;
  *flux = 5;
});
OP_KERNEL(copy, (const double* from, double* to), { *to = *from; });
OP_KERNEL(gather, (const double* state, double* out), { *out = *state; });

std::vector<double> block_of(const std::vector<double>& all, Block block) {
  return {all.begin() + block.begin, all.begin() + block.end};
}

/// This rank's declared block.
template <class T>
std::vector<T> fetched_block(op_dat dat, Block block) {
  std::vector<T> values(static_cast<std::size_t>(block.size()));
  op_fetch_data(dat, values.data());
  return values;
}

/// A session; the value of OP2_CHAIN is "on" or "off".
class Session {
 public:
  explicit Session(const char* chain) {
    setenv("OP2_CHAIN", chain, 1);
    setenv("OP2_LOG", "error", 1);  // names are used again and again
    setenv("OP2_THREADS", "2", 1);
    op_init(0, nullptr);
  }
  ~Session() { op_exit(); }
};

void partition(const DeclaredGraph& d, const std::string& library) {
  std::vector<double> points;
  std::vector<int> owners;
  for (int cell = d.my_cells.begin; cell < d.my_cells.end; ++cell) {
    points.push_back(cell * 0.5);
    owners.push_back(cell % op_ranks());
  }
  const op_dat coordinates = op_decl_dat(d.cells, 1, "double", points.data(), "points");
  const op_dat ranks = op_decl_dat(d.cells, 1, "int", owners.data(), "ranks");
  op_partition(library.c_str(), "", d.cells, d.ends, library == "EXTERNAL" ? ranks : coordinates);
}

/// How a program was called: OP2_CHAIN and the library of op_partition, "" without a call.
class OnRanks : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  const Session session{std::get<0>(GetParam())};

  DeclaredGraph distributed(const Graph& graph, Block (*block)(int) = equal_block) {
    const DeclaredGraph d = declare(graph, block);
    if (const std::string library = std::get<1>(GetParam()); !library.empty())
      partition(d, library);
    return d;
  }

  void expect_state(const Graph& graph, const DeclaredGraph& d, int steps) {
    EXPECT_EQ(fetched_block<double>(d.state, d.my_cells),
              block_of(expected_state(graph, steps), d.my_cells));
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, OnRanks,
                         testing::Combine(testing::Values("off", "on"),
                                          testing::Values("", "PTSCOTCH", "RCB", "BLOCK", "RANDOM",
                                                          "EXTERNAL")));

TEST_P(OnRanks, LoopsOverARingYieldTheDeclaredBlocksInTheirOrder) {
  const Graph graph = ring(1000);
  const DeclaredGraph d = distributed(graph);
  run_steps(d, 7);
  expect_state(graph, d, 7);
}

/// One colour, hence no colours: no two elements have a target in common.
TEST_P(OnRanks, ElementsWithOwnTargetsMaySetGlobals) {
  const Graph graph = ring(1000);
  const DeclaredGraph d = distributed(graph);
  const op_set ends = op_decl_set(d.my_cells.size(), "ends");
  std::vector<int> own, last(static_cast<std::size_t>(d.my_cells.size()), graph.cells - 1);
  for (int cell = d.my_cells.begin; cell < d.my_cells.end; ++cell) own.push_back(cell);
  const op_map map = op_decl_map(ends, d.cells, 1, own.data(), "own");
  const op_map to_last = op_decl_map(ends, d.cells, 1, last.data(), "last");
  int seen = 0, number = 0;
  for (int repeat = 0; repeat < 2; ++repeat)
    op_par_loop(cut_off, "cut_off", ends, op_arg_dat(d.state, 0, map, OP_RW),
                op_arg_gbl(&seen, 1, "int", OP_WRITE), op_arg_gbl(&number, 1, "int", OP_WRITE));
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(number, 7);
  op_par_loop(mark_both, "mark_both", ends, op_arg_dat(d.state, 0, map, OP_RW),
              op_arg_dat(d.flux, 0, to_last, OP_WRITE));
  std::vector<double> expected;
  for (int cell = d.my_cells.begin; cell < d.my_cells.end; ++cell)
    expected.push_back(std::max(first_state(cell), 3.0) + 1);
  EXPECT_EQ(fetched_block<double>(d.state, d.my_cells), expected);
  if (d.my_cells.end == graph.cells && d.my_cells.size() > 0) {
    EXPECT_EQ(fetched_block<double>(d.flux, d.my_cells).back(), 5);
  } else {
    fetched_block<double>(d.flux, d.my_cells);
  }
}

TEST_P(OnRanks, AnyRangeCanBeFetchedOnEveryRank) {
  const Graph graph = ring(1000);
  const DeclaredGraph d = distributed(graph);
  run_steps(d, 2);
  const int low = 100 * op_rank(), high = 999 - op_rank();
  std::vector<double> values(static_cast<std::size_t>(high - low + 1));
  op_fetch_data_idx(d.state, values.data(), low, high);
  EXPECT_EQ(values, block_of(expected_state(graph, 2), {low, high + 1}));
}

TEST_P(OnRanks, MeshesMayBeSmallerThanTheNumberOfRanks) {
  for (const int cells : {0, 1, 2, 3, 7}) {
    const Graph graph = ring(cells);
    const DeclaredGraph d = distributed(graph);
    run_steps(d, 4);
    expect_state(graph, d, 4);
  }
}

TEST_P(OnRanks, OneRankMayDeclareEverything) {
  const Graph graph = ring(100);
  const DeclaredGraph d = distributed(graph, all_on_the_last);
  run_steps(d, 4);
  expect_state(graph, d, 4);
}

TEST_P(OnRanks, MeshesMayHaveSeveralParts) {
  Graph graph;
  for (const int length : {50, 3, 1, 30}) graph.add_ring(length);
  graph.cells += 10;  // without edges
  const DeclaredGraph d = distributed(graph);
  run_steps(d, 4);
  expect_state(graph, d, 4);
}

TEST_P(OnRanks, SetsWithoutMapsAndWithoutElementsTakePart) {
  const Graph graph = ring(100);
  distributed(graph);
  const Block mine = equal_block(11);
  const op_set lonely = op_decl_set(mine.size(), "lonely"), empty = op_decl_set(0, "empty");
  const op_dat value = op_decl_dat<int>(lonely, 1, "int", nullptr, "value");
  const op_dat none = op_decl_dat<int>(empty, 1, "int", nullptr, "none");
  int sum = 5, nothing = 5;
  op_par_loop(count_up, "lonely", lonely, op_arg_dat(value, OP_RW),
              op_arg_gbl(&sum, 1, "int", OP_INC));
  op_par_loop(count_up, "empty", empty, op_arg_dat(none, OP_RW),
              op_arg_gbl(&nothing, 1, "int", OP_INC));
  EXPECT_EQ(sum, 16);
  EXPECT_EQ(nothing, 5);
  EXPECT_THAT(fetched_block<int>(value, mine), Each(1));
}

TEST_P(OnRanks, IndicesAreTheNumbersOfTheDeclaration) {
  const Graph graph = ring(1000);
  const DeclaredGraph d = distributed(graph);
  const op_dat own = op_decl_dat<int>(d.cells, 1, "int", nullptr, "own");
  const op_dat end = op_decl_dat<int>(d.edges, 1, "int", nullptr, "end");
  op_par_loop(number_of_cell, "own", d.cells, op_arg_idx(-1, OP_ID), op_arg_dat(own, OP_WRITE));
  op_par_loop(number_of_end, "end", d.edges, op_arg_idx(1, d.ends), op_arg_dat(end, OP_WRITE));
  std::vector<int> cells, ends;
  for (int cell = d.my_cells.begin; cell < d.my_cells.end; ++cell) cells.push_back(cell);
  for (int edge = d.my_edges.begin; edge < d.my_edges.end; ++edge)
    ends.push_back((edge + 1) % 1000);
  EXPECT_EQ(fetched_block<int>(own, d.my_cells), cells);
  EXPECT_EQ(fetched_block<int>(end, d.my_edges), ends);
}

/// Elements modify what others read, in colours; here any order is right.
TEST_P(OnRanks, ElementsMayUseWhatOthersHaveChanged) {
  const Graph graph = ring(1000);
  const DeclaredGraph d = distributed(graph);
  const op_dat greatest = op_decl_dat<int>(d.cells, 1, "int", nullptr, "greatest");
  const op_dat uses = op_decl_dat<int>(d.edges, 1, "int", nullptr, "uses");
  for (int sweep = 0; sweep < 3; ++sweep)
    op_par_loop(keep_greatest, "keep_greatest", d.edges, op_arg_idx(-1, OP_ID),
                op_arg_dat(greatest, 0, d.ends, OP_RW), op_arg_dat(greatest, 1, d.ends, OP_RW),
                op_arg_dat(uses, OP_RW));
  std::vector<int> expected;
  for (int cell = d.my_cells.begin; cell < d.my_cells.end; ++cell)
    expected.push_back(cell == 0 ? 999 : cell);
  EXPECT_EQ(fetched_block<int>(greatest, d.my_cells), expected);
  EXPECT_THAT(fetched_block<int>(uses, d.my_edges), Each(3));
}

TEST_P(OnRanks, ReductionsAreTheSameOnEveryRank) {
  const Graph graph = ring(1000);
  const DeclaredGraph d = distributed(graph);
  run_steps(d, 3);
  const std::vector<double> state = expected_state(graph, 3);
  double sum = 10, least = 1e9, greatest = -1e9;
  const op_global lazy_sum = op_decl_global(1, &sum, "sum");
  const op_global lazy_least = op_decl_global(1, &least, "least");
  const op_global lazy_greatest = op_decl_global(1, &greatest, "greatest");
  for (int turn = 0; turn < 2; ++turn)
    op_par_loop(reduce, "lazy", d.cells, op_arg_dat(d.state, OP_READ), op_arg_gbl(lazy_sum, OP_INC),
                op_arg_gbl(lazy_least, OP_MIN), op_arg_gbl(lazy_greatest, OP_MAX));
  op_par_loop(reduce, "raw", d.cells, op_arg_dat(d.state, OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC), op_arg_gbl(&least, 1, "double", OP_MIN),
              op_arg_gbl(&greatest, 1, "double", OP_MAX));
  double total = 0;
  for (const double value : state) total += value;
  EXPECT_EQ(sum, 10 + total);
  EXPECT_EQ(least, *std::min_element(state.begin(), state.end()));
  EXPECT_EQ(greatest, *std::max_element(state.begin(), state.end()));
  double fetched = 0;
  op_fetch_global(lazy_sum, &fetched);
  EXPECT_EQ(fetched, 10 + 2 * total);
  op_fetch_global(lazy_least, &fetched);
  EXPECT_EQ(fetched, least);
  op_fetch_global(lazy_greatest, &fetched);
  EXPECT_EQ(fetched, greatest);
}

TEST_P(OnRanks, RawReductionsStartFromTheValuesOfTheRanks) {
  const DeclaredGraph d = distributed(ring(1000));
  double sum = op_rank() + 1, least = -op_rank() - 1, greatest = 100 + op_rank();
  op_par_loop(reduce, "reduce", d.cells, op_arg_dat(d.state, OP_READ),
              op_arg_gbl(&sum, 1, "double", OP_INC), op_arg_gbl(&least, 1, "double", OP_MIN),
              op_arg_gbl(&greatest, 1, "double", OP_MAX));
  double total = 0;
  for (int cell = 0; cell < 1000; ++cell) total += first_state(cell);
  EXPECT_EQ(sum, 1 + total);  // the root's
  EXPECT_EQ(least, -op_ranks());
  EXPECT_EQ(greatest, 100 + op_ranks() - 1);
}

TEST_P(OnRanks, ThreadsOfEachRankCountEveryElementOnce) {
  const Graph graph = ring(20000);
  const DeclaredGraph d = distributed(graph);
  const std::int64_t zero = 0;
  const op_global lazy = op_decl_global(1, &zero, "lazy");
  std::int64_t raw = 0;
  for (int step = 0; step < 3; ++step) {
    run_steps(d, 1);
    op_par_loop(count_edges, "count", d.edges, op_arg_dat(d.state, 0, d.ends, OP_READ),
                op_arg_dat(d.flux, 1, d.ends, OP_INC), op_arg_gbl(lazy, OP_INC));
  }
  op_par_loop(count_edges, "count", d.edges, op_arg_dat(d.state, 0, d.ends, OP_READ),
              op_arg_dat(d.flux, 1, d.ends, OP_INC), op_arg_gbl(&raw, 1, "int64_t", OP_INC));
  std::int64_t fetched = 0;
  op_fetch_global(lazy, &fetched);
  EXPECT_EQ(fetched, 3 * graph.edges());
  EXPECT_EQ(raw, graph.edges());
  expect_state(graph, d, 3);
}

TEST_P(OnRanks, SetsMapsAndDatsMayBeDeclaredAfterLoops) {
  const Graph graph = ring(1000);
  const DeclaredGraph d = distributed(graph);
  run_steps(d, 2);
  const Block mine = equal_block(250);
  std::vector<int> fourth;
  for (int probe = mine.begin; probe < mine.end; ++probe) fourth.push_back(999 - 4 * probe);
  const op_set probes = op_decl_set(mine.size(), "probes");
  const op_map where = op_decl_map(probes, d.cells, 1, fourth.data(), "where");
  const op_dat found = op_decl_dat<double>(probes, 1, "double", nullptr, "found");
  run_steps(d, 1);
  op_par_loop(gather, "gather", probes, op_arg_dat(d.state, 0, where, OP_READ),
              op_arg_dat(found, OP_WRITE));
  expect_state(graph, d, 3);
  const std::vector<double> state = expected_state(graph, 3);
  std::vector<double> expected;
  for (const int cell : fourth) expected.push_back(state[static_cast<std::size_t>(cell)]);
  EXPECT_EQ(fetched_block<double>(found, mine), expected);
}

TEST_P(OnRanks, ThePartitionMayBeChangedBetweenLoops) {
  const Graph graph = ring(1000);
  const DeclaredGraph d = distributed(graph);
  run_steps(d, 2);
  partition(d, "RANDOM");
  run_steps(d, 2);
  partition(d, "RCB");
  run_steps(d, 1);
  expect_state(graph, d, 5);
}

TEST_P(OnRanks, TemporariesMayLiveWithinAStep) {
  const Graph graph = ring(300);
  const DeclaredGraph d = distributed(graph);
  for (int step = 0; step < 20; ++step) {
    const op_dat old = op_decl_dat_temp(d.cells, 1, "double", "old");
    op_par_loop(copy, "save", d.cells, op_arg_dat(d.state, OP_READ), op_arg_dat(old, OP_WRITE));
    run_steps(d, 1);
    if (step % 2 == 1)  // every other step is taken back
      op_par_loop(copy, "restore", d.cells, op_arg_dat(old, OP_READ),
                  op_arg_dat(d.state, OP_WRITE));
    EXPECT_TRUE(op_free_dat_temp(old));
  }
  expect_state(graph, d, 10);
}

/// Sessions in which a rank makes a mistake: all know of it, and can go on.
class MistakeOnRanks : public testing::Test {
 protected:
  const Session session{"on"};
  const bool is_last = op_rank() + 1 == op_ranks();

  void expect_names_the_last(const std::string& text) {
    if (is_last) return;
    EXPECT_THAT(text, HasSubstr("rank " + std::to_string(op_ranks() - 1) + ": "));
  }
};

TEST_F(MistakeOnRanks, InAMapOfOne) {
  const Graph graph = ring(100);
  Graph wrong = graph;
  if (is_last) wrong.ends.back() = 100;
  const std::string text = error_text(ErrorCode::map_out_of_range, [&] { declare(wrong); });
  EXPECT_THAT(text, HasSubstr("map 'ends'"));
  EXPECT_THAT(text, HasSubstr("= 100"));
  expect_names_the_last(text);
  const DeclaredGraph d = declare(graph);
  run_steps(d, 1);
  EXPECT_EQ(fetched_block<double>(d.state, d.my_cells),
            block_of(expected_state(graph, 1), d.my_cells));
}

TEST_F(MistakeOnRanks, InTheSizeOfASet) {
  expect_names_the_last(
      error_text(ErrorCode::bad_size, [&] { op_decl_set(is_last ? -1 : 5, "cells"); }));
}

TEST_F(MistakeOnRanks, InTheLengthOfAnArray) {
  const op_set cells = op_decl_set(5, "cells");
  std::vector<double> values(is_last ? 9 : 10);
  expect_names_the_last(
      error_text(ErrorCode::bad_size, [&] { op_decl_dat(cells, 2, values, "q"); }));
  const op_dat q = op_decl_dat(cells, 2, std::vector<double>(10, 1.5), "q");
  const std::string text = error_text(ErrorCode::bad_size, [&] { op_fetch_data(q, values); });
  EXPECT_THAT(text,
              HasSubstr("9 are given, but 10 are needed (5 elements of set 'cells' x dim 2)"));
  expect_names_the_last(text);
}

TEST_F(MistakeOnRanks, InTheSizeOfTheWholeSet) {
  if (op_ranks() == 1) GTEST_SKIP() << "one rank cannot give such a size";
  const std::string text =
      error_text(ErrorCode::too_large, [] { op_decl_set((1 << 30) + (1 << 29), "huge"); });
  EXPECT_THAT(text, HasSubstr("set 'huge', "));
  EXPECT_STREQ(op_decl_set(5, "huge")->name, "huge");  // nothing was added before
}

TEST_F(MistakeOnRanks, InTheRanksOfAnExternalPartition) {
  if (op_ranks() == 1) GTEST_SKIP() << "one rank owns everything";
  const Graph graph = ring(100);
  const DeclaredGraph d = declare(graph);
  std::vector<int> owners(static_cast<std::size_t>(d.my_cells.size()), is_last ? op_ranks() : 0);
  const op_dat ranks = op_decl_dat(d.cells, 1, "int", owners.data(), "ranks");
  const std::string text = error_text(
      ErrorCode::bad_range, [&] { op_partition("EXTERNAL", "", nullptr, nullptr, ranks); });
  EXPECT_THAT(text, HasSubstr("dat 'ranks'"));
  expect_names_the_last(text);
  run_steps(d, 1);
  EXPECT_EQ(fetched_block<double>(d.state, d.my_cells),
            block_of(expected_state(graph, 1), d.my_cells));
}

TEST_F(MistakeOnRanks, InARangeToBeFetched) {
  const DeclaredGraph d = declare(ring(100));
  std::vector<double> values(101);
  const std::string text = error_text(ErrorCode::bad_range, [&] {
    op_fetch_data_idx(d.state, values.data(), 0, is_last ? 100 : 99);
  });
  EXPECT_THAT(text, HasSubstr("0 .. 100"));
  expect_names_the_last(text);
}

TEST_F(MistakeOnRanks, InTheNameOfAPartitioner) {
  const DeclaredGraph d = declare(ring(100));
  const std::string text = error_text(
      ErrorCode::bad_option, [&] { op_partition("METIS5", "", d.cells, d.ends, nullptr); });
  EXPECT_THAT(text, HasSubstr("unknown library: op_partition, \"metis5\""));
}

TEST(CommunicatorOfTheProgram, MayHoldAPartOfTheRanks) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half;
  ASSERT_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half), MPI_SUCCESS);
  op_mpi_init(0, nullptr, 1, MPI_Comm_c2f(half));
  EXPECT_EQ(op_rank(), rank / 2);
  const Graph graph = ring(100 + rank % 2);
  const DeclaredGraph d = declare(graph);
  op_partition("RANDOM", "", d.cells, nullptr, nullptr);
  run_steps(d, 3 + rank % 2);
  EXPECT_EQ(op_get_size(d.cells), graph.cells);
  EXPECT_EQ(fetched_block<double>(d.state, d.my_cells),
            block_of(expected_state(graph, 3 + rank % 2), d.my_cells));
  op_exit();
  MPI_Comm_free(&half);
}

}  // namespace
}  // namespace op2::test
