// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints on one rank: everything comes back, at the times that were asked for; a file that
// does not fit, or was changed, or whose writer was killed, is an error or right. TEST_MUTATIONS
// and TEST_KILLS choose how many.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <random>
#include <string>

#include <gmock/gmock.h>

#include <support/checkpoint_program.hpp>
#include <support/expect_error.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

using testing::HasSubstr;
using State = CheckpointProgram::State;

int number_of(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

class Checkpoint : public testing::Test {
 protected:
  Checkpoint() { op_init(0, nullptr, 0); }
  ~Checkpoint() override { op_exit(); }

  void begin_again() const {
    op_exit();
    op_init(0, nullptr, 0);
  }
  /// The state after so many steps, whose checkpoint is at `path`.
  State write_after(int steps) const {
    CheckpointProgram program;
    for (int k = 0; k < steps; ++k) program.advance_one_step();
    op_checkpoint(path.c_str());
    const State state = program.state();
    begin_again();
    return state;
  }
  std::string restoring_fails(ErrorCode code = ErrorCode::bad_checkpoint) const {
    return error_text(code, [&] { op_restore(path.c_str()); });
  }
  void write_bytes(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  const TemporaryDirectory folder;
  const std::string path = folder / "a.ckpt";
};

TEST_F(Checkpoint, BringsEverythingBack) {
  const State written = write_after(3);
  EXPECT_EQ(written.step, 3);
  EXPECT_EQ(written.visits.front(), 3);
  CheckpointProgram program;
  program.advance_one_step();
  ASSERT_NE(program.state(), written);
  EXPECT_TRUE(op_restore(path.c_str()));
  EXPECT_EQ(program.state(), written);
}

TEST_F(Checkpoint, GoesOnAsIfNothingHadHappened) {
  CheckpointProgram straight;
  for (int k = 0; k < 7; ++k) straight.advance_one_step();
  const State expected = straight.state();
  begin_again();
  write_after(3);
  CheckpointProgram program;
  ASSERT_TRUE(op_restore(path.c_str()));
  while (program.step < 7) program.advance_one_step();
  EXPECT_EQ(program.state(), expected);
}

TEST_F(Checkpoint, ChangesNothingIfThereIsNone) {
  CheckpointProgram program;
  program.advance_one_step();
  const State before = program.state();
  EXPECT_FALSE(op_restore(path.c_str()));
  EXPECT_EQ(program.state(), before);
}

TEST_F(Checkpoint, LeavesTemporaryDatsOut) {
  op_decl_set(4, "cells");
  op_checkpoint(path.c_str());
  begin_again();
  op_decl_dat_temp(op_decl_set(4, "cells"), 1, "double", "t");
  EXPECT_TRUE(op_restore(path.c_str()));
}

TEST_F(Checkpoint, OfAnotherMeshIsRefused) {
  const auto declare = [&](int size, int target, const char* dat, int dim) {
    const op_set cells = op_decl_set(size, "cells"), edges = op_decl_set(2, "edges");
    op_decl_map(edges, cells, 1, {0, target}, "ends");
    op_decl_dat(cells, dim, "double", static_cast<double*>(nullptr), dat);
  };
  declare(4, 1, "q", 1);
  op_checkpoint(path.c_str());
  begin_again();
  declare(5, 1, "q", 1);
  EXPECT_THAT(restoring_fails(), HasSubstr("set number 1 is set 'cells' of 4 elements in the file, "
                                           "and set 'cells' of 5 elements in the program"));
  begin_again();
  declare(4, 2, "q", 1);
  EXPECT_THAT(restoring_fails(), HasSubstr("map number 1 is map 'ends'"));
  begin_again();
  declare(4, 1, "p", 1);
  EXPECT_THAT(restoring_fails(), HasSubstr("dat number 1 is dat 'q'"));
  begin_again();
  declare(4, 1, "q", 2);
  EXPECT_THAT(restoring_fails(), HasSubstr("of dim 2 and type \"double\""));
  begin_again();
  declare(4, 1, "q", 1);
  int value = 0;
  op_keep("more", &value);
  EXPECT_THAT(restoring_fails(), HasSubstr("kept value number 1 is nothing more in the file"));
  begin_again();
  declare(4, 1, "q", 1);
  EXPECT_TRUE(op_restore(path.c_str()));
}

TEST_F(Checkpoint, OfAnotherVersionIsRefused) {
  write_after(1);
  std::string bytes = content_of(path);
  bytes[15] = '7';
  write_bytes(bytes);
  const CheckpointProgram program;
  EXPECT_THAT(restoring_fails(), HasSubstr("has form '7', but this library reads form 2"));
}

TEST_F(Checkpoint, ThatIsNoneIsRefused) {
  const CheckpointProgram program;
  for (const char* const bytes : {"", "x", "# a text file\nof two lines\n"}) {
    write_bytes(bytes);
    EXPECT_THAT(restoring_fails(), HasSubstr("not a checkpoint"));
  }
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_THAT(restoring_fails(ErrorCode::io_failure), HasSubstr("a.ckpt"));
  std::filesystem::remove(path);
}

/// Bytes that are changed, lost or added are noticed, or are not used.
TEST_F(Checkpoint, ThatWasChangedIsRefusedOrRight) {
  const State written = write_after(2);
  const std::string good = content_of(path);
  std::mt19937 random(static_cast<unsigned>(number_of("TEST_SEED", 1)));
  const auto below = [&](std::size_t end) { return random() % end; };
  int refused = 0;
  const int mutations = number_of("TEST_MUTATIONS", 60);
  CheckpointProgram program;
  for (int k = 0; k < mutations; ++k) {
    std::string bytes = good;
    const std::size_t at = below(4) == 0 ? below(64) : below(bytes.size());
    switch (below(4)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.erase(at, 1 + below(100));
        break;
      default:
        bytes.insert(at, std::string(1 + below(100), static_cast<char>(random())));
        break;
    }
    write_bytes(bytes);
    program.advance_one_step();
    const State before = program.state();
    try {
      ASSERT_TRUE(op_restore(path.c_str()));
      EXPECT_EQ(program.state(), written) << k;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_checkpoint) << error.what();
      EXPECT_EQ(program.state(), before) << k;
      ++refused;
    }
  }
  std::cout << "checked " << mutations << " random changes of a checkpoint, " << refused
            << " refused\n";
  EXPECT_GT(refused, mutations / 2);
}

TEST_F(Checkpoint, ReplacesAnEarlierOneAtOnce) {
  write_after(1);
  const State later = write_after(5);
  CheckpointProgram program;
  ASSERT_TRUE(op_restore(path.c_str()));
  EXPECT_EQ(program.state(), later);
  EXPECT_EQ(folder.file_count(), 1U);
}

/// When the file was written; nothing if there is none.
std::optional<std::filesystem::file_time_type> time_of(const std::string& path) {
  std::error_code missing;
  const auto time = std::filesystem::last_write_time(path, missing);
  if (missing) return {};
  return time;
}

/// A program that only writes checkpoints, until it is killed.
[[noreturn]] void write_for_ever(const std::string& path) {
  op_init(0, nullptr, 0);
  CheckpointProgram program;
  op_restore(path.c_str());
  for (;;) {
    program.advance_one_step();
    op_checkpoint(path.c_str());
  }
}

TEST_F(Checkpoint, OfAWriterThatIsKilledIsWhole) {
  op_exit();
  std::mt19937 random(static_cast<unsigned>(number_of("TEST_SEED", 1)));
  const int kills = number_of("TEST_KILLS", 5);
  std::int64_t last = 0;
  for (int k = 0; k < kills; ++k) {
    const auto before = time_of(path);
    const pid_t child = ::fork();
    if (child == 0) write_for_ever(path);
    for (int ms = 0; ms < 20'000 && time_of(path) == before; ++ms) ::usleep(1000);
    ::usleep(random() % 50'000);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    op_init(0, nullptr, 0);
    CheckpointProgram program;
    ASSERT_TRUE(op_restore(path.c_str()));
    EXPECT_GT(program.step, last);
    EXPECT_EQ(program.state().visits,
              std::vector<int>(CheckpointProgram::points, static_cast<int>(program.step)));
    last = program.step;
    op_exit();
  }
  op_init(0, nullptr, 0);
  std::cout << "checked " << kills << " kills, the last after step " << last << "\n";
}

TEST_F(Checkpoint, IsWrittenEverySoManySteps) {
  CheckpointProgram program;
  op_checkpoint_at(path.c_str(), {.every_steps = 3});
  std::vector<int> steps;
  for (int k = 1; k <= 7; ++k) {
    program.advance_one_step();
    EXPECT_FALSE(op_checkpoint_step());
    if (std::filesystem::remove(path)) steps.push_back(k);
  }
  EXPECT_THAT(steps, testing::ElementsAre(3, 6));
}

TEST_F(Checkpoint, IsWrittenEverySoManySeconds) {
  CheckpointProgram program;
  op_checkpoint_at(path.c_str(), {.every_seconds = 1e-4});
  ::usleep(1000);
  op_checkpoint_step();
  EXPECT_TRUE(std::filesystem::remove(path));
  op_checkpoint_at(path.c_str(), {.every_seconds = 1e6});
  op_checkpoint_step();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Checkpoint, IsWrittenWhenASignalComes) {
  CheckpointProgram program;
  op_checkpoint_at(path.c_str(), {.signal = SIGUSR1});
  EXPECT_FALSE(op_checkpoint_step());
  EXPECT_FALSE(std::filesystem::exists(path));
  ::raise(SIGUSR1);
  int steps = 0;
  while (!op_checkpoint_step()) {
    ++steps;
    ::usleep(1000);
  }
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_LT(steps, 5000);
}

/// Steps that become slower do not delay it for long.
TEST_F(Checkpoint, IsWrittenSoonAfterManyFastSteps) {
  CheckpointProgram program;
  op_checkpoint_at(path.c_str(), {.signal = SIGUSR1});
  for (int k = 0; k < 5000; ++k) EXPECT_FALSE(op_checkpoint_step());
  ::raise(SIGUSR1);
  int steps = 1;
  while (!op_checkpoint_step()) ++steps;
  EXPECT_LE(steps, 16);
}

/// A name in Latin-1, one in UTF-8, and bytes that are in neither.
TEST_F(Checkpoint, HasNamesOfAnyBytes) {
  const std::vector<const char*> names = {"H\xf6he", "H\xc3\xb6he \xe2\x82\xac",
                                          "\xff\xfe\"\\\n\x01"};
  const auto declare = [&](double value) {
    const op_set cells = op_decl_set(1, names[0]);
    std::vector<op_dat> dats;
    for (const char* const name : names)
      dats.push_back(op_decl_dat(cells, 1, std::vector{value}, name));
    return dats;
  };
  declare(1.5);
  op_checkpoint(path.c_str());
  begin_again();
  for (const op_dat dat : declare(0)) {
    ASSERT_TRUE(op_restore(path.c_str()));
    double value = 0;
    op_fetch_data(dat, &value);
    EXPECT_EQ(value, 1.5);
  }
}

TEST_F(Checkpoint, LeavesTheSignalToTheProgramAfterwards) {
  static volatile std::sig_atomic_t count = 0;
  std::signal(SIGUSR2, [](int) { count = count + 1; });
  op_checkpoint_at(path.c_str(), {.signal = SIGUSR2});
  ::raise(SIGUSR2);
  EXPECT_EQ(count, 0);
  op_exit();
  ::raise(SIGUSR2);
  EXPECT_EQ(count, 1);
  std::signal(SIGUSR2, SIG_DFL);
  op_init(0, nullptr, 0);
}

TEST_F(Checkpoint, MistakesAreErrors) {
  double value = 0;
  EXPECT_THAT(error_text(ErrorCode::bad_size, [&] { op_keep("x", &value, 0); }),
              HasSubstr("'x', 0"));
  EXPECT_THAT(error_text(ErrorCode::null_data, [] { op_keep("x", static_cast<int*>(nullptr)); }),
              HasSubstr("'x'"));
  op_keep("x", &value);
  EXPECT_THAT(error_text(ErrorCode::bad_name, [&] { op_keep("x", &value); }),
              HasSubstr("kept already"));
  EXPECT_THAT(error_text(ErrorCode::bad_range, [] { op_checkpoint_step(); }),
              HasSubstr("call op_checkpoint_at before"));
  EXPECT_THAT(error_text(ErrorCode::bad_range,
                         [&] { op_checkpoint_at(path.c_str(), {.every_seconds = -1}); }),
              HasSubstr("every -1 seconds"));
  EXPECT_THAT(error_text(ErrorCode::bad_range,
                         [&] { op_checkpoint_at(path.c_str(), {.signal = SIGKILL}); }),
              HasSubstr("the signal cannot be handled: number 9"));
  EXPECT_THAT(error_text(ErrorCode::bad_name, [] { op_checkpoint(""); }),
              HasSubstr("op_checkpoint"));
  EXPECT_THAT(error_text(ErrorCode::io_failure, [] { op_checkpoint("/nowhere/a.ckpt"); }),
              HasSubstr("/nowhere/a.ckpt"));
}

}  // namespace
}  // namespace op2::test
