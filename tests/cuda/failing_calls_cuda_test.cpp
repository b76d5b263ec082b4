// SPDX-License-Identifier: BSD-3-Clause
// Whichever call of the driver or the compiler fails, a program gets the right results or a named
// error. TEST_CALLS is how many calls are tried, evenly among all; 0: each.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <equivalence/against_reference.hpp>

#include "emulator.hpp"

namespace op2::test {
namespace {

constexpr int out_of_memory = 2, illegal_address = 700;
const ProgramShape shape{.seed = 3, .meshes = 1, .chains = 3};

/// The emulator begins anew.
void reset(const std::string& failure) {
  if (failure.empty())
    unsetenv("OP2_EMU_FAIL");
  else
    setenv("OP2_EMU_FAIL", failure.c_str(), 1);
  reset_emulator();
}

std::vector<Setting> settings(bool cached) {
  return {tested_target(), {"OP2_CACHE", cached ? "rw" : "off"}, {"OP2_JIT", "require"}};
}

/// After an error in the middle of a program.
void end_program(bool cached) {
  try {
    op_exit();
  } catch (const Error&) {  // what failed before has failed again
  }
  for (const Setting& s : settings(cached)) unsetenv(s.name.c_str());
}

/// Errors that say what the device, or the compiler for it, has refused.
bool is_named(const Error& error) {
  return error.code() == ErrorCode::device_failure || error.code() == ErrorCode::out_of_memory ||
         error.code() == ErrorCode::no_device || error.code() == ErrorCode::device_compiler;
}

struct Outcomes {
  int right = 0, named = 0;
};

/// The program with the k-th call failing.
void run_failing(std::int64_t k, int code, bool cached, const Observed& reference,
                 Outcomes& outcomes) {
  reset(std::to_string(k) + ":" + std::to_string(code));
  const std::string place = "call " + std::to_string(k) + ", code " + std::to_string(code);
  try {
    expect_equal(reference, run_program(shape, settings(cached)), place);
    ++outcomes.right;
  } catch (const Error& error) {
    EXPECT_TRUE(is_named(error)) << place << ": " << error.what();
    ++outcomes.named;
    end_program(cached);
  }
}

std::int64_t calls_without_failure(bool cached, const Observed& reference) {
  reset("");
  expect_equal(reference, run_program(shape, settings(cached)), "no failure");
  return emulated_calls("");
}

void try_calls(bool cached, std::int64_t wanted) {
  const Observed reference = run_program(shape, settings_of_reference);
  const std::int64_t calls = calls_without_failure(cached, reference);
  const std::int64_t tries = wanted == 0 ? calls : std::min(wanted, calls);
  for (const int code : {out_of_memory, illegal_address}) {
    Outcomes outcomes;
    for (std::int64_t n = 0; n < tries; ++n)
      run_failing(1 + n * calls / tries, code, cached, reference, outcomes);
    std::cout << "result " << code << " of " << tries << " among " << calls
              << " calls: " << outcomes.named << " named errors, " << outcomes.right
              << " right results\n";
    EXPECT_GT(outcomes.named, 0);
  }
  reset("");
}

TEST(FailingCalls, GiveTheRightResultsOrANamedError) {
  calls_without_failure(true, run_program(shape, settings_of_reference));  // fills the cache
  try_calls(true, static_cast<std::int64_t>(from_environment("TEST_CALLS", 30)));
}

TEST(FailingCalls, OfTheCompilerDoSoToo) {
  try_calls(false, static_cast<std::int64_t>(from_environment("TEST_COLD_CALLS", 6)));
}

}  // namespace
}  // namespace op2::test
