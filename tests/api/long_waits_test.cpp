// SPDX-License-Identifier: BSD-3-Clause
// An op_init or op_exit that takes long says so on a terminal, and for what: here a tool waits, and
// no file gets its name, before the terminal has shown it.
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include <gmock/gmock.h>

#include <support/failing_calls.hpp>
#include <support/series_program.hpp>
#include <support/terminal.hpp>

namespace op2::test {
namespace {

class LongWait : public testing::Test {
 protected:
  LongWait() { setenv("OP2_DEBUG", "patience=20", 1); }
  ~LongWait() override {
    unsetenv("OP2_DEBUG");
    unsetenv(variable_.c_str());
  }

  void start(const std::string& variable, const std::string& value) {
    variable_ = variable;
    setenv(variable_.c_str(), value.c_str(), 1);
    op_init(0, nullptr);
    program_.emplace();
    program_->advance();
    op_flush();
    held_.emplace(folder.path().string());
  }
  void write() const { program_->write_pieces(folder / "a.pvtu"); }

  /// What the terminal shows until that contains `text`.
  std::string shown_by_exit(const std::string& text) {
    std::string shown;
    std::thread reader([&] {
      shown = terminal.wait_for(text);
      held_->release();
    });
    op_exit();
    reader.join();
    return shown;
  }
  void expect_written_by_exit(const std::string& variable, const char* name) {
    start(variable, folder / name);
    const std::string text = "op2: writing '" + (folder / name) + "', 0 s so far";
    EXPECT_THAT(shown_by_exit(text), testing::HasSubstr(text));
  }

  const TemporaryDirectory folder;
  const Terminal terminal;

 private:
  std::optional<HeldRenaming> held_;
  std::optional<SeriesProgram> program_;
  std::string variable_;
};

TEST_F(LongWait, InTheBeginning) {
  const std::string seen = folder / "seen";
  setenv("TEST_FILE", seen.c_str(), 1);
  std::string shown;
  std::thread reader([&] {
    shown = terminal.wait_for("so far");
    std::ofstream{seen};
  });
  start("OP2_TOOLS", OP2_TEST_TOOL);
  reader.join();
  op_exit();
  EXPECT_THAT(shown, testing::StartsWith("op2: op_init, 0 s so far"));
}

TEST_F(LongWait, AtTheEndForResultsInTheBackground) {
  start("OP2_ASYNC_IO", "100");
  write();
  const std::string text = "op2: writing results that are left in the background, 0 s so far";
  EXPECT_THAT(shown_by_exit(text), testing::HasSubstr(text));
}

TEST_F(LongWait, AtTheEndForARecordOfTheRun) {
  expect_written_by_exit("OP2_MODEL", "run.json");
}

TEST_F(LongWait, AtTheEndForHashes) {
  expect_written_by_exit("OP2_HASH", "values.txt");
}

TEST_F(LongWait, AtTheEndForATrace) {
  expect_written_by_exit("OP2_TRACE", "trace.json");
}

TEST_F(LongWait, AtTheEndForATable) {
  expect_written_by_exit("OP2_TIMING", "loops.csv");
}

}  // namespace
}  // namespace op2::test
