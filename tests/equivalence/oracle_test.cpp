// SPDX-License-Identifier: BSD-3-Clause
// What OP2_TARGET=reference computes with OP2_REPRODUCIBLE=on, to which the bits of all other ways
// are compared, is right: up to rounding it is what host functions compute, one after the other, in
// the declared order. TEST_CHAINS and TEST_SEED choose how many chains and which.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>
#include <regex>

#include <gmock/gmock.h>

#include <equivalence/against_reference.hpp>
#include <support/stderr_capture.hpp>

namespace op2::test {
namespace {

using Settings = std::vector<Setting>;

const Settings oracle = {
    {"OP2_TARGET", "reference"}, {"OP2_DEBUG", "queue_max=1"}, {"OP2_REPRODUCIBLE", "on"}};

/// Of values that have been rounded some thousand times.
template <class T>
constexpr double tolerance = sizeof(T) == sizeof(double) ? 1e-12 : 1e-4;

template <class T>
bool is_near(T a, T b) {
  return std::abs(a - b) <= tolerance<T> * std::max({T{1}, std::abs(a), std::abs(b)});
}

template <class T>
std::size_t count_far(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  std::vector<T> one(a.size() / sizeof(T)), other(one.size());
  std::memcpy(one.data(), a.data(), a.size());
  std::memcpy(other.data(), b.data(), b.size());
  std::size_t far = 0;
  for (std::size_t k = 0; k < one.size(); ++k) far += is_near(one[k], other[k]) ? 0 : 1;
  return far;
}

void expect_near(const Observed& expected, const Observed& got, const std::string& place) {
  ASSERT_EQ(expected.values.size(), got.values.size()) << place;
  for (std::size_t k = 0; k < expected.values.size(); ++k) {
    if (expected.is_chosen[k] != 0) continue;
    const auto& a = expected.values[k];
    const auto& b = got.values[k];
    const std::string what = place + ", " + got.what[k];
    ASSERT_EQ(a.size(), b.size()) << what;
    if (expected.types[k] == Type::f64)
      ASSERT_EQ(count_far<double>(a, b), 0) << what;
    else if (expected.types[k] == Type::f32)
      ASSERT_EQ(count_far<float>(a, b), 0) << what;
    else
      ASSERT_EQ(a, b) << what;
  }
}

/// Loops that depend on the order of their elements run in colours, a different order.
ProgramShape without_ordered(ProgramShape shape) {
  shape.ordered = OrderedLoops::none;
  return shape;
}

TEST(Oracle, ComputesWhatHostFunctionsComputeUpToRounding) {
  const int wanted = static_cast<int>(from_environment("TEST_CHAINS", 125));
  int chains = 0, different = 0;
  std::size_t values = 0;
  for (std::uint64_t seed = from_environment("TEST_SEED", 1); chains < wanted; ++seed) {
    const ProgramShape shape = without_ordered(shape_for(seed, wanted));
    const Observed expected = run_program(shape, settings_of_reference);
    const Observed got = run_program(shape, oracle);
    expect_near(expected, got, "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
    chains += expected.chains;
    values += expected.values.size();
    for (std::size_t k = 0; k < expected.values.size(); ++k)
      different += expected.values[k] != got.values[k] ? 1 : 0;
  }
  std::cout << "checked " << values << " observations of " << chains << " random chains, of which "
            << different << " have other bits\n";
  EXPECT_GT(different, 0) << "sums are not rounded, so that the tolerance is not used";
}

/// It adds in the canonical order because it stores and executes elements in that order.
TEST(Oracle, NeedsNoSlots) {
  Settings settings = oracle;
  settings.push_back({"OP2_DUMP", "schedule"});
  StderrCapture said;
  run_program(without_ordered(shape_for(1, ProgramShape{}.chains)), settings);
  const std::string text = said.news();
  EXPECT_THAT(text, testing::HasSubstr(", 0 of "));
  std::smatch found;
  const std::regex slots("[^\n]*, [1-9][0-9]* of [0-9]+ rows are added to slots");
  EXPECT_FALSE(std::regex_search(text, found, slots)) << found.str();
}

}  // namespace
}  // namespace op2::test
