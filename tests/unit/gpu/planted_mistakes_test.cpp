// SPDX-License-Identifier: BSD-3-Clause
// One request to the device of rank 0 is left out of a program that runs through the whole engine:
// each in turn is found, by the device or by a wrong value, or is shown to be of no effect.
#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "small_program.hpp"

namespace op2::test::gpu {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::array orders{"lazy", "eager", "others", "reversed", "random:1"};

/// A request that was left out, once for each order of the device's work.
struct Mistake {
  Omitted what;
  bool is_found = false;      ///< in at least one order
  bool is_always = true;      ///< in all orders
  std::string finding;        ///< of the device, the first; empty: none
  bool gives_values = false;  ///< wrong ones
};

Mistake leave_out(Request kind, std::int64_t k, core::ChainMode chain) {
  Mistake mistake;
  for (const char* order : orders) {
    const Trial trial = try_small_program(
        order, chain, [&](Device& device) { device.omissions().leave_out(kind, k); });
    mistake.what = trial.omitted;
    mistake.is_found = mistake.is_found || !trial.right();
    mistake.is_always = mistake.is_always && !trial.right();
    mistake.gives_values = mistake.gives_values || trial.wrong > 0;
    if (mistake.finding.empty() && !trial.findings.empty())
      mistake.finding = trial.findings.front();
    if (trial.omitted.text.empty()) break;
  }
  return mistake;
}

/// How many there are, were found, and had nothing to do.
std::string counts(const std::vector<Mistake>& mistakes) {
  return fmt::format("{}, found {}, idle {}", mistakes.size(),
                     std::ranges::count_if(mistakes, &Mistake::is_found),
                     std::ranges::count_if(mistakes, [](const auto& m) { return m.what.idle; }));
}

/// All requests of a kind, each left out in turn.
/// @param on, off  counts() with chains and without, which README.md of tests/support/gpu lists
std::vector<Mistake> leave_out_each(Request kind, core::ChainMode chain, const std::string& on,
                                    const std::string& off) {
  std::vector<Mistake> mistakes;
  while (mistakes.empty() || !mistakes.back().what.text.empty())
    mistakes.push_back(leave_out(kind, std::ssize(mistakes) + 1, chain));
  mistakes.pop_back();
  std::cout << "left out in turn, beginning with '" << mistakes.front().what.text
            << "': " << counts(mistakes) << "\n";
  EXPECT_EQ(counts(mistakes), chain == core::ChainMode::on ? on : off);
  return mistakes;
}

std::vector<Mistake> leave_out_each_kernel(core::ChainMode chain) {
  return leave_out_each(Request::launch, chain, "24, found 24, idle 0", "30, found 30, idle 0");
}

std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  return out << mistake.what.text << (mistake.what.idle ? ", idle" : "")
             << (mistake.is_found ? ", found " : ", not found ") << mistake.finding;
}

std::vector<Mistake> only(std::vector<Mistake> mistakes, const std::string& begin) {
  std::erase_if(mistakes, [&](const Mistake& m) { return !m.what.text.starts_with(begin); });
  return mistakes;
}

class PlantedMistake : public ::testing::TestWithParam<core::ChainMode> {};
INSTANTIATE_TEST_SUITE_P(Chains, PlantedMistake,
                         ::testing::Values(core::ChainMode::on, core::ChainMode::off),
                         [](const auto& chain) {
                           return chain.param == core::ChainMode::on ? "on" : "off";
                         });

TEST_P(PlantedMistake, IsNotFoundWhereThereIsNone) {
  for (const char* order : orders) {
    const Trial trial = try_small_program(order, GetParam(), [](Device&) {});
    EXPECT_EQ(trial.wrong, 0) << order;
    EXPECT_THAT(trial.findings, IsEmpty());
    EXPECT_EQ(trial.error, "");
  }
}

TEST_P(PlantedMistake, AMissingUploadIsFoundInEveryOrder) {
  const auto uploads =
      leave_out_each(Request::upload, GetParam(), "19, found 19, idle 0", "23, found 23, idle 0");
  EXPECT_THAT(uploads, Each(Field(&Mistake::is_always, true)));
  EXPECT_THAT(uploads.front().finding, HasSubstr("'pack' reads memory without a value"));
}

TEST_P(PlantedMistake, AMissingDownloadGivesWrongValuesInEveryOrder) {
  EXPECT_THAT(
      leave_out_each(Request::download, GetParam(), "15, found 15, idle 0", "18, found 18, idle 0"),
      Each(AllOf(Field(&Mistake::is_always, true), Field(&Mistake::gives_values, true))));
}

TEST_P(PlantedMistake, AMissingFillOrKernelIsFoundInEveryOrder) {
  EXPECT_THAT(leave_out_each(Request::fill, GetParam(), "1, found 1, idle 0", "2, found 2, idle 0"),
              Each(Field(&Mistake::is_always, true)));
  EXPECT_THAT(leave_out_each_kernel(GetParam()), Each(Field(&Mistake::is_always, true)));
}

TEST_P(PlantedMistake, AStaleHaloGivesWrongValuesInEveryOrder) {
  const auto stale = only(leave_out_each_kernel(GetParam()), "launch 'unpack'");
  EXPECT_GE(stale.size(), 3);
  EXPECT_THAT(stale,
              Each(AllOf(Field(&Mistake::is_always, true), Field(&Mistake::gives_values, true))));
}

TEST_P(PlantedMistake, AMissingOrderOfStreamsIsARaceUnlessThereWasNothingToOrder) {
  // A loop alone does not write, in its interior, what was packed for it to read: three executions.
  int unneeded = GetParam() == core::ChainMode::off ? 3 : 0;
  for (const Mistake& order : leave_out_each(Request::wait_for, GetParam(), "12, found 9, idle 3",
                                             "24, found 18, idle 3")) {
    if (!order.is_found && !order.what.idle && unneeded-- > 0) continue;
    EXPECT_NE(order.is_always, order.what.idle) << order;
    EXPECT_THAT(order.finding, order.is_found ? HasSubstr("nothing orders") : HasSubstr(""));
  }
}

TEST_P(PlantedMistake, AMissingWaitOfTheHostIsFoundUnlessThereWasNothingToWaitFor) {
  for (const Mistake& wait :
       leave_out_each(Request::wait, GetParam(), "18, found 9, idle 9", "21, found 12, idle 9"))
    EXPECT_NE(wait.is_found, wait.what.idle) << wait;
}

}  // namespace
}  // namespace op2::test::gpu
