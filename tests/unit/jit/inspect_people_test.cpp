// SPDX-License-Identifier: BSD-3-Clause
// What a person sees of op2-jitinspect: tables on a terminal, and which entries names stand for.
#include <pty.h>
#include <sys/wait.h>

#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include <gmock/gmock.h>

#include <core/hash.hpp>
#include <support/lease.hpp>

#include "inspect_support.hpp"

namespace op2::jit {
namespace {

using test::Answer;
using test::entry_number;
using test::key_of;
using test::path_of;
using test::variant_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
namespace fs = std::filesystem;

class InspectByPeople : public test::Inspect {
 protected:
  /// Its file was used so many seconds ago.
  void put(const CacheEntry& entry, int used_ago) {
    Inspect::put(entry);
    const auto now = fs::file_time_type::clock::now();
    fs::last_write_time(path_of(place_.path(), entry), now - std::chrono::seconds(used_ago));
  }

  /// What the program writes to a terminal with so many columns, without its carriage returns.
  /// @param look  is shown all after each piece
  std::string on_terminal(unsigned short columns, const std::string& arguments,
                          const std::string& environment = "NO_COLOR=1",
                          const std::function<void(const std::string&)>& look = {}) const {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    const std::string command = "env -u COLUMNS -u NO_COLOR TERM=xterm " + environment +
                                " " OP2_JITINSPECT " " + arguments + " --dir '" +
                                place_.path().string() + "'";
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t count = 0; (count = read(terminal, buffer.data(), buffer.size())) > 0;) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
      if (look) look(text);
    }
    close(terminal);
    waitpid(child, nullptr, 0);
    std::erase(text, '\r');
    return text;
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
};

std::string digits_of(const CacheEntry& entry) {
  return short_name_of(key_of(entry));
}

CacheEntry fused_entry() {
  CacheEntry entry = entry_number(1);
  entry.key.kernel = "save_soln+adt_calc+res_calc+bres_calc+update";
  entry.loop = entry.key.kernel;
  return entry;
}

TEST_F(InspectByPeople, AreToldWhatTakesLong) {
  const std::string path = (place_.path() / "values.txt").string();
  std::ofstream(path) << core::first_line_of_hashes() << core::line_of(1, "fetch of dat 'x'");
  std::optional<op2::test::Lease> lease(std::in_place, path, op2::test::Lease::Until::end);
  if (!lease->held()) GTEST_SKIP() << "no leases on this file system";
  const std::string shown =
      on_terminal(120, "diff '" + path + "' '" + path + "'; :", "OP2_DEBUG=patience=20",
                  [&](const std::string& text) {
                    if (text.find("so far") != text.npos) lease.reset();
                  });
  EXPECT_THAT(shown, StartsWith("op2-jitinspect: reading '" + path + "', 0 s so far"));
  EXPECT_THAT(shown, HasSubstr("the same bits: 1 values"));
}

TEST_F(InspectByPeople, FitTheTableIntoTheTerminal) {
  put(fused_entry(), 0);
  const auto lines = lines_of(on_terminal(120, "list"));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0].size(), 120u);
  EXPECT_EQ(lines[1].size(), 120u);
  EXPECT_THAT(lines[1],
              AllOf(HasSubstr("  save_soln..."), HasSubstr("c+update  "), HasSubstr("znver5")));
  EXPECT_THAT(lines[2], StartsWith("1 entry, "));
}

TEST_F(InspectByPeople, LeaveOutColumnsOfANarrowTerminalAndNameThem) {
  put(fused_entry(), 0);
  const auto lines = lines_of(on_terminal(60, "list"));
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_LE(lines[1].size(), 60u);
  EXPECT_EQ(lines[0].substr(0, 20), "key           kernel");
  EXPECT_EQ(lines[2], "not shown in 60 columns: cpu, arguments, loop, target, age");
}

TEST_F(InspectByPeople, ShowAWholeTableInAPipeWhateverColumnsSays) {
  put(fused_entry(), 0);
  const std::string name = fused_entry().key.kernel;
  setenv("COLUMNS", "60", 1);
  const auto lines = lines_of(run("list").text);
  unsetenv("COLUMNS");
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[1], HasSubstr(name + "  " + name + "  1 read, 1 inc  cpu     znver5"));
}

TEST_F(InspectByPeople, TakeTheWidthOfColumnsOnATerminal) {
  put(fused_entry(), 0);
  for (const auto& line : lines_of(on_terminal(200, "list", "COLUMNS=70 NO_COLOR=1")))
    EXPECT_LE(line.size(), 70u);
  EXPECT_EQ(lines_of(on_terminal(100, "list", "COLUMNS=much NO_COLOR=1"))[0].size(), 100u);
}

TEST_F(InspectByPeople, DoNotCutACharacterOfTheNameInTwo) {
  CacheEntry entry = fused_entry();
  entry.key.kernel.clear();
  for (int i = 0; i < 40; ++i) entry.key.kernel += "\xC3\xA9";
  put(entry, 0);
  const std::string text = on_terminal(60, "list");
  EXPECT_THAT(text, HasSubstr("\xC3\xA9...\xC3\xA9"));
  EXPECT_EQ(std::ranges::count(text, '\xC3'), std::ranges::count(text, '\xA9'));
  EXPECT_GT(lines_of(text)[1].size(), 60u);  // bytes, of two for each character
}

TEST_F(InspectByPeople, SeeTheEntryUsedLastFirst) {
  put(entry_number(1), 3000);
  put(entry_number(2), 1000);
  put(entry_number(3), 2000);
  std::vector<std::string> kernels;
  for (const auto& entry : run_json("list")) kernels.push_back(entry["kernel"]);
  EXPECT_THAT(kernels, ElementsAre("kernel2", "kernel3", "kernel1"));
  EXPECT_THAT(lines_of(on_terminal(200, "list")).back(),
              AllOf(StartsWith("3 entries, "), EndsWith(", compiled in 0.375 s")));
}

TEST_F(InspectByPeople, SeeColoursOnlyWhereTheyWantThem) {
  put(entry_number(1), 0);
  EXPECT_THAT(on_terminal(200, "list", "TERM=xterm"),
              HasSubstr("\x1b[33m" + digits_of(entry_number(1)) + "\x1b[0m  kernel1"));
  for (const char* environment : {"NO_COLOR=1", "TERM=dumb", "-u TERM"})
    EXPECT_THAT(on_terminal(200, "list", environment), Not(HasSubstr("\x1b"))) << environment;
  EXPECT_THAT(on_terminal(200, "list", "NO_COLOR="), HasSubstr("\x1b[33m"));
  put(variant_of(1), 0);
  EXPECT_THAT(on_terminal(200, "why-missed kernel1", "TERM=xterm"),
              HasSubstr("\x1b[31m- znver5\x1b[0m\n    \x1b[32m+ skylake\x1b[0m"));
}

TEST_F(InspectByPeople, GetTheEntryUsedLastAndTheNamesOfTheOthers) {
  put(entry_number(1), 400);
  put(variant_of(1), 500);
  const std::string text = run("show kernel1").text;
  EXPECT_THAT(text, AllOf(HasSubstr("'kernel1' is 2 entries; this is " +
                                    digits_of(entry_number(1)) + ", used last."),
                          HasSubstr("\n  " + digits_of(variant_of(1)) +
                                    "  used 8 min ago, other cpu, features, source\n"),
                          HasSubstr("machine    x86_64-linux-gnu znver5")));
  EXPECT_THAT(run("show " + digits_of(variant_of(1))).text,
              AllOf(HasSubstr("skylake"), Not(HasSubstr("is 2 entries"))));
}

TEST_F(InspectByPeople, FindAnEntryByItsLoopOrByOneOfItsFusedKernels) {
  CacheEntry fused = fused_entry();
  fused.loop = "nest";
  put(fused, 0);
  for (const char* name : {"nest", "res_calc", "save_soln+adt_calc+res_calc+bres_calc+update"})
    EXPECT_THAT(run(std::string("show ") + name).text, HasSubstr("loop       nest\n")) << name;
  EXPECT_EQ(run("show calc").code, 2);
  CacheEntry alone = entry_number(2);
  alone.key.kernel = "res_calc";
  put(alone, 1000);
  EXPECT_THAT(run("show res_calc").text, HasSubstr("loop       loop2\n"));
}

TEST_F(InspectByPeople, AreAskedForMoreDigitsOfAKey) {
  std::vector<CacheEntry> entries;
  for (int number = 1; number < 18; ++number) put(entries.emplace_back(entry_number(number)), 0);
  std::ranges::sort(entries, {}, digits_of);
  const auto both = std::ranges::adjacent_find(
      entries, {}, [](const CacheEntry& entry) { return digits_of(entry).front(); });
  const Answer answer = run("show " + digits_of(*both).substr(0, 1));
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.text, AllOf(HasSubstr("more digits"), HasSubstr(digits_of(both[0])),
                                 HasSubstr(digits_of(both[1]))));
}

TEST_F(InspectByPeople, CompareWithTheNearestOfSeveralNamedEntries) {
  CacheEntry near = entry_number(1), entry = entry_number(2);
  near.key.source = entry.key.source;
  near.created += 2000;
  put(near, 0);
  put(variant_of(1), 0);
  put(entry, 0);
  EXPECT_EQ(run_json("why-missed kernel2 kernel1")["other"], name_of(key_of(near)));
}

TEST_F(InspectByPeople, CompareALoopWithOneThatWasFusedOtherwise) {
  put(fused_entry(), 0);
  CacheEntry shorter = fused_entry();
  shorter.key.kernel = "res_calc+bres_calc";
  shorter.created += 1;
  put(shorter, 0);
  put(entry_number(3), 0);
  EXPECT_EQ(run_json("why-missed res_calc")["other"], name_of(key_of(fused_entry())));
  EXPECT_THAT(run("why-missed res_calc").text,
              AllOf(HasSubstr("is the only entry of this kernel"),
                    HasSubstr("the nearest entry with one of its kernels:\n  entry (+)  "),
                    HasSubstr("- save_soln+adt_calc+res_calc+bres_calc+update\n"
                              "    + res_calc+bres_calc\n")));
}

}  // namespace
}  // namespace op2::jit
