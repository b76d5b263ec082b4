// SPDX-License-Identifier: BSD-3-Clause
// Each call of the system that a series makes fails once. What the file of a series names has the
// values of its time, also where a program that goes on from a checkpoint replaces times.
#include <cstdlib>
#include <fstream>
#include <map>
#include <ostream>
#include <regex>
#include <string>

#include <gmock/gmock.h>

#include <op2/op2.hpp>

#include <support/failing_calls.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

using Then = FailingCall::Then;
using Files = std::map<std::string, std::string>;

struct Kind {
  const char* name;
  const char* index;
  bool in_background;
};
void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.name;
}

class FailedSeries : public testing::TestWithParam<Kind> {
 protected:
  FailedSeries() {
    if (GetParam().in_background) setenv("OP2_ASYNC_IO", "1", 1);
  }
  ~FailedSeries() override { unsetenv("OP2_ASYNC_IO"); }

  /// A session that adds times. @return the errors
  std::string write(const std::vector<double>& times, double value) const {
    std::string errors;
    const auto attempt = [&](const auto& action) {
      try {
        action();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::io_failure) << error.what();
        errors += error.what();
      }
    };
    op_init(0, nullptr, 0);
    const op_set points = op_decl_set(3, "points"), lines = op_decl_set(2, "lines");
    const op_map map = op_decl_map(lines, points, 2, {0, 1, 1, 2}, "ends");
    const op_dat x = op_decl_dat(points, 2, {0.0, 0.0, 1.0, 0.0, 2.0, 0.0}, "x");
    const op_dat u = op_decl_dat(points, 1, std::vector<double>(3, value), "u");
    for (const double time : times)
      attempt([&] { op_write_series((folder / index.c_str()).c_str(), time, map, x, {&u, 1}); });
    attempt([] { op_exit(); });
    return errors;
  }
  Files files() const {
    Files all;
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
      all[file.path().filename().string()] = content_of(file.path().string());
    return all;
  }
  void restore(const Files& all) const {
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
      std::filesystem::remove(file);
    for (const auto& [name, bytes] : all)
      std::ofstream(folder / name.c_str(), std::ios::binary) << bytes;
  }
  /// The files of each time that the series names, by their common beginning.
  std::map<std::string, Files> named(const Files& all) const {
    std::map<std::string, Files> times;
    const std::string& text = all.at(index);
    const std::regex name("flow_[0-9]{4}");
    for (std::sregex_iterator found(text.begin(), text.end(), name), end; found != end; ++found)
      for (const auto& file : all)
        if (file.first.starts_with(found->str()) && !file.first.ends_with(".tmp"))
          times[found->str()].insert(file);
    return times;
  }
  /// Adds a time to `old` while every call fails in turn.
  int fail_everywhere(const Files& old, double time, Then then) const {
    restore(old);
    EXPECT_EQ(write({time}, 7), "");
    const Files complete = files();
    for (int k = 1;; ++k) {
      restore(old);
      const FailingCall failing(folder.path().string(), k, then);
      const std::string errors = write({time}, 7);
      if (!failing.happened()) return k - 1;
      const Files now = files();
      const bool is_complete = now.at(index) == complete.at(index);
      EXPECT_TRUE(is_complete || !errors.empty()) << k;
      const auto right = named(is_complete ? complete : old);
      for (const auto& [beginning, content] : named(now))
        EXPECT_TRUE(content == right.at(beginning)) << beginning << " at " << k << ": " << errors;
    }
  }

  const TemporaryDirectory folder;
  const std::string index = GetParam().index;
};

const Kind kinds[] = {{"Vtu", "flow.pvd", false},
                      {"VtuInTheBackground", "flow.pvd", true},
#if OP2_TEST_HDF5
                      {"Xdmf", "flow.xdmf", false}
#endif
};
INSTANTIATE_TEST_SUITE_P(Of, FailedSeries, testing::ValuesIn(kinds),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(FailedSeries, HasTheFilesOfItsTimes) {
  write({0, 1, 2}, 0);
  EXPECT_GE(fail_everywhere(files(), 3, Then::work), 10);
}

TEST_P(FailedSeries, HasTheFilesOfTimesThatAreReplaced) {
  write({0, 1, 2}, 0);
  EXPECT_GE(fail_everywhere(files(), 1, Then::work), 10);
}

TEST_P(FailedSeries, HasTheFilesOfItsTimesOnAFullDisk) {
  write({0, 1, 2}, 0);
  EXPECT_GE(fail_everywhere(files(), 0, Then::be_full), 10);
}

/// A grid in pieces, which replaces another: each file is the old one or the new one.
TEST(FailedPieces, AreOldOrNew) {
  const TemporaryDirectory folder;
  op_init(0, nullptr, 0);
  const op_set points = op_decl_set(3, "points"), lines = op_decl_set(2, "lines");
  const op_map map = op_decl_map(lines, points, 2, {0, 1, 1, 2}, "ends");
  const op_dat x = op_decl_dat(points, 2, {0.0, 0.0, 1.0, 0.0, 2.0, 0.0}, "x");
  const auto write = [&] {
    try {
      op_write_pvtu((folder / "flow.pvtu").c_str(), map, x, {&x, 1});
      return std::string();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::io_failure) << error.what();
      return std::string(error.what());
    }
  };
  EXPECT_EQ(write(), "");
  const std::string index = content_of(folder / "flow.pvtu");
  const std::string piece = content_of(folder / "flow_0.vtu");
  for (const Then then : {Then::work, Then::be_full}) {
    int calls = 0;
    for (bool happened = true; happened; ++calls) {
      for (const auto& file : std::filesystem::directory_iterator(folder.path()))
        std::filesystem::remove(file);
      std::ofstream(folder / "flow.pvtu") << "old";
      std::ofstream(folder / "flow_0.vtu") << "old";
      const FailingCall failing(folder.path().string(), calls + 1, then);
      const std::string error = write();
      happened = failing.happened();
      const std::string new_index = content_of(folder / "flow.pvtu");
      const std::string new_piece = content_of(folder / "flow_0.vtu");
      EXPECT_TRUE(new_index == index || (new_index == "old" && !error.empty())) << calls;
      EXPECT_TRUE(new_piece == piece || (new_piece == "old" && new_index == "old")) << calls;
    }
    EXPECT_GE(calls, 12);
  }
  op_exit();
}

/// A mistake of the program changes nothing.
TEST_P(FailedSeries, IsLeftAsItWasByMistakes) {
  write({0, 1, 2, 3}, 0);
  const Files old = files();
  op_init(0, nullptr, 0);
  const op_set points = op_decl_set(2, "points"), cells = op_decl_set(1, "cells");
  const op_map map = op_decl_map(cells, points, 7, {0, 1, 0, 1, 0, 1, 0}, "nodes");
  const op_dat x = op_decl_dat(points, 2, {0.0, 0.0, 1.0, 0.0}, "x");
  EXPECT_THROW(op_write_series((folder / index.c_str()).c_str(), 1, map, x, {}), Error);
  op_exit();
  EXPECT_EQ(files(), old);
}

}  // namespace
}  // namespace op2::test
