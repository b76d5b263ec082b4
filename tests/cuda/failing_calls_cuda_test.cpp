// SPDX-License-Identifier: BSD-3-Clause
// Whichever call of the driver or the compiler fails, a program gets the right results or a named
// error. TEST_CALLS is how many calls are tried, evenly among all, of a program whose code is in
// the cache, TEST_COLD_CALLS of one that compiles; 0: each. tests/support/gpu/README.md has the
// counts.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <airfoil/flow.hpp>
#include <equivalence/against_reference.hpp>

#include "emulator.hpp"

namespace op2::test {
namespace {

/// Results of all calls in turn: out of memory of the driver, which for NVRTC is a program that it
/// cannot create; an illegal address.
constexpr int common_results[] = {2, 700};
/// Of every third call each: a launch that failed, a device that is used, out of memory of NVRTC.
constexpr int rare_results[] = {719, 46, 1};

/// The emulator begins anew.
void reset(const std::string& failure) {
  if (failure.empty())
    unsetenv("OP2_EMU_FAIL");
  else
    setenv("OP2_EMU_FAIL", failure.c_str(), 1);
  reset_emulator();
}

struct RandomProgram {
  using Results = Observed;
  static constexpr const char *name = "RandomProgram", *increments = "auto";
  static constexpr ProgramShape shape{.seed = 3, .meshes = 1, .chains = 3};

  static Results run(const std::vector<Setting>& settings) { return run_program(shape, settings); }
  static void expect_right(const Results& expected, const Results& got, const std::string& place) {
    expect_equal(expected, got, place);
  }
};

/// Three iterations on a small mesh; the second time a chain runs it is a graph.
struct Airfoil {
  using Results = std::vector<double>;  ///< the residual after each iteration, then the state

  static Results run(const std::vector<Setting>& settings) {
    for (const Setting& s : settings) setenv(s.name.c_str(), s.value.c_str(), 1);
    op_init(0, nullptr);
    const airfoil::Flow flow = airfoil::declare_flow(airfoil::make_c_grid(4, 3));
    airfoil::Residual residual(true);
    Results results;
    for (int iteration = 0; iteration < 3; ++iteration) {
      airfoil::iterate(flow, residual);
      results.push_back(residual.value());
    }
    std::vector<double> state(4 * static_cast<std::size_t>(op_get_size(flow.cells)));
    op_fetch_data(flow.q, state.data());
    results.insert(results.end(), state.begin(), state.end());
    op_exit();
    for (const Setting& s : settings) unsetenv(s.name.c_str());
    return results;
  }
  static void expect_right(const Results& expected, const Results& got, const std::string& place) {
    ASSERT_EQ(expected.size(), got.size()) << place;
    for (std::size_t k = 0; k < expected.size(); ++k)
      ASSERT_NEAR(expected[k], got[k], 1e-12 * std::max(1.0, std::fabs(expected[k])))
          << place << ", value " << k;
  }
};
struct AirfoilByRows : Airfoil {
  static constexpr const char *name = "AirfoilByRows", *increments = "rows";
};
struct AirfoilByPull : Airfoil {
  static constexpr const char *name = "AirfoilByPull", *increments = "pull";
};

enum class Start { warm, cold };

template <class Program>
std::vector<Setting> settings(Start start) {
  return {tested_target(),
          {"OP2_GPU_INC", Program::increments},
          {"OP2_CACHE", start == Start::warm ? "rw" : "off"},
          {"OP2_JIT", "require"}};
}

/// After an error in the middle of a program.
void end_program(const std::vector<Setting>& settings) {
  try {
    op_exit();
  } catch (const Error&) {  // what failed before has failed again
  }
  for (const Setting& s : settings) unsetenv(s.name.c_str());
}

/// Errors that say what the device, or the compiler for it, has refused.
bool is_named(const Error& error) {
  return error.code() == ErrorCode::device_failure || error.code() == ErrorCode::out_of_memory ||
         error.code() == ErrorCode::no_device || error.code() == ErrorCode::device_compiler;
}

struct Outcomes {
  int right = 0, named = 0;
};

/// With LLVM, which decides what is fused, and so how many calls there are.
void expect_on_page([[maybe_unused]] const std::string& row) {
#if OP2_HAVE_LLVM
  std::ifstream file(OP2_SOURCE_FOLDER "/tests/support/gpu/README.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(page.find("\n" + row), page.npos) << "tests/support/gpu/README.md lacks: " << row;
#endif
}

/// Runs a program again and again, and counts what it does if a call fails.
template <class Program>
class Trials {
 public:
  explicit Trials(Start start)
      : row_(std::string("| `") + Program::name +
             (start == Start::warm ? "` | cache | " : "` | none | ")),
        settings_(settings<Program>(start)),
        expected_(Program::run(settings_of_reference)) {
    if (start == Start::warm) run_without_failure();  // fills the cache
    run_without_failure();
    calls_ = emulated_calls("");
    row_ += std::to_string(calls_) + " |";
  }

  void run(std::int64_t wanted) {
    const std::int64_t tries = wanted == 0 ? calls_ : std::min(wanted, calls_);
    for (const int code : common_results) run_all(std::array{code}, tries);
    run_all(rare_results, tries);
    reset("");
    expect_on_page(row_);
  }

 private:
  void run_without_failure() {
    reset("");
    Program::expect_right(expected_, Program::run(settings_), "no failure");
  }

  void run_all(std::span<const int> codes, std::int64_t tries) {
    outcomes_.clear();
    for (std::int64_t n = 0; n < tries; ++n)
      run_failing(1 + n * calls_ / tries, codes[static_cast<std::size_t>(n) % codes.size()]);
    report(codes, tries);
  }

  void run_failing(std::int64_t k, int code) {
    reset(std::to_string(k) + ":" + std::to_string(code));
    const std::string place = "call " + std::to_string(k) + ", code " + std::to_string(code);
    try {
      const auto got = Program::run(settings_);
      Program::expect_right(expected_, got, place + " of " + failed_call());
      ++outcomes_[failed_call()].right;
    } catch (const Error& error) {
      EXPECT_TRUE(is_named(error)) << place << " of " << failed_call() << ": " << error.what();
      ++outcomes_[failed_call()].named;
      end_program(settings_);
    }
  }

  void report(std::span<const int> codes, std::int64_t tries) {
    Outcomes all;
    for (const auto& [function, some] : outcomes_) {
      std::cout << "  " << (function.empty() ? "not reached" : function) << ": " << some.named
                << " named errors, " << some.right << " right results\n";
      all.named += some.named;
      all.right += some.right;
    }
    for (const int code : codes) std::cout << "result " << code << ' ';
    std::cout << "of " << tries << " among " << calls_ << " calls: " << all.named
              << " named errors, " << all.right << " right results\n";
    EXPECT_GT(all.named, 0);
  }

  std::string row_;  ///< of the page, up to its calls
  const std::vector<Setting> settings_;
  const typename Program::Results expected_;
  std::int64_t calls_ = 0;
  std::map<std::string, Outcomes> outcomes_;  ///< by function
};

struct Names {
  template <class Program>
  static std::string GetName(int) {
    return Program::name;
  }
};
using Programs = testing::Types<RandomProgram, AirfoilByRows, AirfoilByPull>;
template <class Program>
struct FailingCalls : testing::Test {};
TYPED_TEST_SUITE(FailingCalls, Programs, Names);

TYPED_TEST(FailingCalls, GiveTheRightResultsOrANamedError) {
  Trials<TypeParam>(Start::warm).run(static_cast<std::int64_t>(from_environment("TEST_CALLS", 12)));
}

TYPED_TEST(FailingCalls, OfTheCompilerDoSoToo) {
  Trials<TypeParam>(Start::cold)
      .run(static_cast<std::int64_t>(from_environment("TEST_COLD_CALLS", 2)));
}

}  // namespace
}  // namespace op2::test
