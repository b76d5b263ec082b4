// SPDX-License-Identifier: BSD-3-Clause
// OP2_ASYNC_IO on one rank: the same files; errors arrive; a killed program leaves whole files.
// TEST_KILLS chooses how many are killed.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/checkpoint.hpp>

#include <support/expect_error.hpp>
#include <support/failing_calls.hpp>
#include <support/series_program.hpp>
#include <support/vtu_reader.hpp>

namespace op2::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using Then = FailingCall::Then;

class AsyncIo : public testing::Test {
 protected:
  AsyncIo() { setenv("OP2_ASYNC_IO", "1", 1); }
  ~AsyncIo() override { unsetenv("OP2_ASYNC_IO"); }

  /// Every kind of result, at three times.
  static void write_all(const std::string& folder) {
    op_init(0, nullptr, 0);
    SeriesProgram program;
    for (int k = 0; k < 3; ++k) {
      program.write_time(folder + "/flow.pvd");
      program.write_whole(folder + "/whole" + std::to_string(k) + ".vtu");
      program.advance();
      program.write_pieces(folder + "/pieces.pvtu");
    }
    op_exit();
  }
  /// What a series names is there and whole.
  static void expect_whole(const std::string& series) {
    const auto folder = std::filesystem::path(series).parent_path();
    for (const std::string& name : files_of_series(series)) {
      EXPECT_THAT(content_of((folder / name).string()), HasSubstr("</VTKFile>"));
      const std::string piece = name.substr(0, name.size() - 5) + "_0.vtu";
      EXPECT_EQ(parse_vtu(content_of((folder / piece).string())).footer,
                "\n</AppendedData>\n</VTKFile>\n");
    }
  }

  const TemporaryDirectory folder;
  const std::string series = folder / "flow.pvd";
};

TEST_F(AsyncIo, WritesTheSameFiles) {
  const TemporaryDirectory plain;
  write_all(folder.path().string());
  unsetenv("OP2_ASYNC_IO");
  write_all(plain.path().string());
  EXPECT_EQ(files_in(folder.path()), files_in(plain.path()));
  EXPECT_EQ(folder.file_count(), 12U);
}

/// The second time is published before the first could be read from the file.
TEST_F(AsyncIo, GoesOnWithASeriesThatIsNotWrittenYet) {
  op_init(0, nullptr, 0);
  SeriesProgram program;
  for (int k = 0; k < 20; ++k) {
    program.write_time(series);
    program.advance();
  }
  op_exit();
  const auto names = files_of_series(series);
  ASSERT_EQ(names.size(), 20U);
  EXPECT_EQ(names.back(), "flow_0019.pvtu");
  expect_whole(series);
}

TEST_F(AsyncIo, ReplacesTimesThatAreNotWrittenYet) {
  op_init(0, nullptr, 0);
  SeriesProgram program;
  for (const int step : {0, 1, 2, 3, 2}) {
    program.step = step;
    program.write_time(series);
  }
  op_exit();
  EXPECT_THAT(files_of_series(series),
              ElementsAre("flow_0000.pvtu", "flow_0001.pvtu", "flow_0002.pvtu"));
}

TEST_F(AsyncIo, MistakesAreErrorsAtTheCall) {
  op_init(0, nullptr, 0);
  const op_set points = op_decl_set(2, "points"), cells = op_decl_set(1, "cells");
  const op_map map = op_decl_map(cells, points, 7, {0, 1, 0, 1, 0, 1, 0}, "nodes");
  const op_dat x = op_decl_dat(points, 2, {0.0, 0.0, 1.0, 0.0}, "x");
  const auto refused = [&](auto write) {
    EXPECT_THAT(error_text(ErrorCode::bad_dim, [&] { write((folder / "a.pvd").c_str()); }),
                HasSubstr("arity 7"));
  };
  refused([&](const char* file) { op_write_series(file, 0, map, x, {}); });
  refused([&](const char* file) { op_write_pvtu(file, map, x, {}); });
  refused([&](const char* file) { op_write_vtu(file, map, x, {}); });
  op_exit();
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST_F(AsyncIo, AFullDiskIsAnErrorOfTheNextCall) {
  op_init(0, nullptr, 0);
  SeriesProgram program;
  program.write_time(series);
  program.advance();
  program.write_time(series);
  while (!std::filesystem::exists(folder / "flow_0001_0.vtu")) ::usleep(1000);
  std::string error;
  {
    const FailingCall full(folder.path().string(), 1, Then::be_full);
    for (int k = 0; k < 1000 && error.empty(); ++k) {  // the thread may not have failed yet
      ::usleep(1000);
      program.advance();
      try {
        program.write_time(series);
      } catch (const Error& thrown) {
        EXPECT_EQ(thrown.code(), ErrorCode::io_failure);
        error = thrown.what();
      }
    }
  }
  EXPECT_THAT(error, HasSubstr("No space left on device"));
  EXPECT_THAT(error, HasSubstr((folder / "flow_").c_str()));
  program.step = 100;
  program.write_time(series);
  op_exit();
  expect_whole(series);
  EXPECT_THAT(content_of(series), HasSubstr("timestep=\"25\""));
}

TEST_F(AsyncIo, AFullDiskIsAnErrorOfTheEnd) {
  op_init(0, nullptr, 0);
  const SeriesProgram program;
  const FailingCall full(folder.path().string(), 1, Then::be_full);
  program.write_whole(folder / "a.vtu");
  EXPECT_THAT(error_text(ErrorCode::io_failure, [] { op_exit(); }), HasSubstr("a.vtu"));
  EXPECT_EQ(folder.file_count(), 0U);
}

OP_KERNEL(refuse, (const double* u, double* sum), {
  if (*u > 10) throw std::runtime_error("u is too large");
  *sum += *u;
});

/// Whatever ends the session: the results are those of before.
TEST_F(AsyncIo, AnErrorOfALoopLosesNoResults) {
  setenv("OP2_JIT", "off", 1);
  for (const bool at_the_end : {false, true}) {
    op_init(0, nullptr, 0);
    SeriesProgram program;
    for (int k = 0; k < 5; ++k) {
      program.write_time(series);
      program.advance();
    }
    const op_set some = op_decl_set(20, "some");
    std::vector<double> values(20);
    std::iota(values.begin(), values.end(), 0);
    const op_dat u = op_decl_dat(some, 1, values, "other");
    const double zero = 0;
    const op_global sum = op_decl_global(1, &zero, "sum");
    op_par_loop(refuse, "refuse", some, op_arg_dat(u, OP_READ), op_arg_gbl(sum, OP_INC));
    if (!at_the_end) {
      EXPECT_ANY_THROW(op_flush());
      op_exit();
    } else {
      EXPECT_ANY_THROW(op_exit());
    }
    EXPECT_EQ(files_of_series(series).size(), 5U) << at_the_end;
    expect_whole(series);
    std::filesystem::remove(series);
  }
  unsetenv("OP2_JIT");
}

/// A program that is killed after a checkpoint.
[[noreturn]] void write_a_checkpoint(const std::string& series, const std::string& checkpoint) {
  op_init(0, nullptr, 0);
  SeriesProgram program;
  op_keep("step", &program.step);
  for (int k = 0; k < 5; ++k) {
    program.write_time(series);
    program.advance();
  }
  op_checkpoint(checkpoint.c_str());
  ::raise(SIGKILL);
  std::abort();
}

TEST_F(AsyncIo, ACheckpointHasAllResultsOfBefore) {
  const std::string checkpoint = folder / "a.ckpt";
  const pid_t child = ::fork();
  if (child == 0) write_a_checkpoint(series, checkpoint);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(files_of_series(series).size(), 5U);
  op_init(0, nullptr, 0);
  SeriesProgram program;
  op_keep("step", &program.step);
  ASSERT_TRUE(op_restore(checkpoint.c_str()));
  EXPECT_EQ(program.step, 5);
  program.write_time(series);
  op_exit();
  EXPECT_EQ(files_of_series(series).size(), 6U);
  expect_whole(series);
}

/// Each call of the system fails once: no error is lost, unless all files are there.
TEST_F(AsyncIo, EveryErrorArrives) {
  int failures = 0;
  for (int k = 1;; ++k) {
    const TemporaryDirectory here;
    const std::string here_series = here / "flow.pvd";
    const FailingCall failing(here.path().string(), k);
    std::string error;
    const auto attempt = [&](const auto& action) {
      try {
        action();
      } catch (const Error& thrown) {
        error += thrown.what();
      }
    };
    op_init(0, nullptr, 0);
    SeriesProgram program;
    for (int step = 0; step < 3; ++step) {
      attempt([&] { program.write_time(here_series); });
      program.advance();
    }
    attempt([] { op_exit(); });
    expect_whole(here_series);
    if (!failing.happened()) break;
    const bool complete = files_of_series(here_series).size() == 3;
    EXPECT_TRUE(complete || !error.empty()) << k;
    if (!error.empty()) ++failures;
  }
  EXPECT_GT(failures, 20);
}

/// A program that writes results for ever.
[[noreturn]] void write_for_ever(const std::string& series) {
  op_init(0, nullptr, 0);
  SeriesProgram program;
  for (;;) {
    program.write_time(series);
    program.advance();
  }
}

TEST_F(AsyncIo, AProgramThatIsKilledLeavesWholeFiles) {
  std::mt19937 random(1);
  const char* const wanted = std::getenv("TEST_KILLS");
  const int kills = wanted == nullptr ? 5 : std::atoi(wanted);
  std::size_t times = 0;
  for (int k = 0; k < kills; ++k) {
    std::filesystem::remove(series);
    const pid_t child = ::fork();
    if (child == 0) write_for_ever(series);
    for (int ms = 0; ms < 20'000 && !std::filesystem::exists(series); ++ms) ::usleep(1000);
    ::usleep(random() % 50'000);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    expect_whole(series);
    times += files_of_series(series).size();
    for (const auto& [name, content] : files_in(folder.path())) {
      if (!name.ends_with(".tmp")) {
        EXPECT_TRUE(content.ends_with("</VTKFile>\n")) << name;
      }
    }
  }
  std::cout << "checked " << kills << " kills, series of " << times << " times\n";
}

}  // namespace
}  // namespace op2::test
