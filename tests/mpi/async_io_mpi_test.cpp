// SPDX-License-Identifier: BSD-3-Clause
// OP2_ASYNC_IO on ranks: the same files, and all ranks get the error of one.
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <support/expect_error.hpp>
#include <support/failing_calls.hpp>
#include <support/series_program.hpp>
#include <support/shared_folder.hpp>

namespace {
std::atomic<bool> refuse_threads = false;
}

/// In place of the system's function, for libraries, too.
extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                             const pthread_attr_t* attributes,
                                                             void* (*run)(void*), void* argument) {
  if (refuse_threads) return EAGAIN;
  static auto* const real =
      reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, run, argument);
}

namespace op2::test {
namespace {

using testing::HasSubstr;
using Then = FailingCall::Then;

class AsyncIoOnRanks : public testing::Test {
 protected:
  AsyncIoOnRanks() { setenv("OP2_ASYNC_IO", "1", 1); }
  ~AsyncIoOnRanks() override { unsetenv("OP2_ASYNC_IO"); }

  static void write_all(const std::string& folder) {
    op_init(0, nullptr, 0);
    SeriesProgram program;
    for (int k = 0; k < 4; ++k) {
      program.write_time(folder + "/flow.pvd");
      program.advance();
      program.write_whole(folder + "/whole.vtu");
    }
    op_exit();
  }

  /// Of each time that the series names.
  void expect_pieces_of_all_ranks(const std::string& series) const {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (const std::string& name : files_of_series(series))
      for (int rank = 0; rank < ranks; ++rank) {
        const std::string piece =
            name.substr(0, name.size() - 5) + "_" + std::to_string(rank) + ".vtu";
        EXPECT_TRUE(content_of(folder / piece).ends_with("</VTKFile>\n")) << piece;
      }
  }

  SharedFolder folder;
};

TEST_F(AsyncIoOnRanks, WritesTheSameFiles) {
  const SharedFolder plain;
  write_all(folder.path());
  unsetenv("OP2_ASYNC_IO");
  write_all(plain.path());
  EXPECT_EQ(files_in(folder.path()), files_in(plain.path()));
  EXPECT_EQ(files_of_series(folder / "flow.pvd").size(), 4U);
}

TEST_F(AsyncIoOnRanks, TheErrorOfOneArrivesOnAll) {
  op_init(0, nullptr, 0);
  SeriesProgram program;
  const std::string series = folder / "flow.pvd";
  program.write_time(series);
  {
    const bool last = op_rank() + 1 == op_ranks();
    const FailingCall full(last ? folder.path() : "nowhere", 1, Then::be_full);
    std::string error;
    while (error.empty()) {
      program.advance();
      try {
        program.write_time(series);
      } catch (const Error& thrown) {
        error = thrown.what();
      }
    }
    EXPECT_THAT(error, HasSubstr("No space left on device"));
    if (!last) {
      EXPECT_THAT(error, HasSubstr("rank " + std::to_string(op_ranks() - 1)));
    }
  }
  program.step = 100;
  program.write_time(series);
  op_exit();
  EXPECT_THAT(content_of(series), HasSubstr("timestep=\"25\""));
  expect_pieces_of_all_ranks(series);
}

/// The rank that gets no thread would otherwise leave op_init alone.
TEST_F(AsyncIoOnRanks, ARankWithoutAThreadIsAnErrorOfAll) {
  setenv("OP2_THREADS", "1", 1);
  setenv("OP2_JIT", "off", 1);
  int rank = 0, count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  refuse_threads = rank + 1 == count;
  EXPECT_THAT(error_text(ErrorCode::out_of_memory, [] { op_init(0, nullptr, 0); }),
              HasSubstr("a thread cannot be started: that of OP2_ASYNC_IO"));
  refuse_threads = false;
  unsetenv("OP2_THREADS");
  unsetenv("OP2_JIT");
}

/// The root has the whole grid once, and other ranks nothing of it.
TEST_F(AsyncIoOnRanks, AGridThatWaitsIsHeldOnce) {
  setenv("OP2_ASYNC_IO", "1000", 1);
  op_init(0, nullptr, 0);
  {
    constexpr int points = 3'000'000;
    const int begin = static_cast<int>(std::int64_t{points} * op_rank() / op_ranks());
    const int end = static_cast<int>(std::int64_t{points} * (op_rank() + 1) / op_ranks());
    const op_set nodes = op_decl_set(end - begin, "points"),
                 cells = op_decl_set(end - begin, "cells");
    std::vector<int> ends;
    for (int k = begin; k < end; ++k) ends.insert(ends.end(), {k, k});
    const op_map map = op_decl_map(cells, nodes, 2, ends, "ends");
    const std::vector<double> values(2 * static_cast<std::size_t>(end - begin));
    const op_dat x = op_decl_dat(nodes, 2, values, "x");
    const HeldRenaming held(folder.path());
    const auto allocated = [] {
      const auto all = ::mallinfo2();
      return static_cast<double>(all.uordblks + all.hblkhd);
    };
    const double before = allocated();  // 0: a sanitizer has its own functions
    op_write_vtu((folder / "a.vtu").c_str(), map, x, {&x, 1});
    const double grid = points * (2.0 * sizeof(int) + 4.0 * sizeof(double));
    if (before > 0) {
      EXPECT_NEAR(allocated() - before, op_is_root() ? grid : 0, 0.05 * grid);
    }
  }
  op_exit();
}

}  // namespace
}  // namespace op2::test
