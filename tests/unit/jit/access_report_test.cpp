// SPDX-License-Identifier: BSD-3-Clause
// What is said of kernels that break an access mode, when, and how often.
#include <gmock/gmock.h>

#include <jit/jit.hpp>
#include <support/fake_backend.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct AccessReport : testing::Test {
  test::TemporaryDirectory folder;
  std::shared_ptr<test::FakeBackend> backend = std::make_shared<test::FakeBackend>();
  op_kernel_core kernel{
      "k", "void k(double* a) { *a = 1; }", "none.cpp", 1, false, nullptr, nullptr, nullptr, -1};

  void SetUp() override {
    backend->findings = {{.argument = 0,
                          .what = "assigns to it instead of adding",
                          .advice = "add with += or -=",
                          .file = "k",
                          .line = 1,
                          .column = 21,
                          .source_line = "void k(double* a) { *a = 1; }"}};
  }
  JitOptions options(bool check) {
    JitOptions options = test::jit_options(folder.path(), [] { return std::vector<Constant>{}; });
    options.check_access = check;
    return options;
  }
  /// Loops that differ in the dim of their argument.
  LoopRequest loop(int dim = 1) {
    return test::loop_request(kernel, {test::dat(0, dim, OP_INC)}, {});
  }
  /// What a new process logs when it gets code of the loops.
  std::string log_of(const std::vector<LoopRequest>& loops) {
    testing::internal::CaptureStderr();
    core::Log log(core::LogLevel::warning);
    Jit jit(options(false), log, [this] { return backend; });
    for (const LoopCode& outcome : jit.compile(loops)) EXPECT_NE(outcome.code, nullptr);
    return testing::internal::GetCapturedStderr();
  }
  /// The error of a new process that checks.
  std::string error_of(const LoopRequest& loop) {
    core::Log log(core::LogLevel::off);
    Jit jit(options(true), log, [this] { return backend; });
    const LoopCode outcome = jit.compile({{loop}})[0];
    return outcome.error ? outcome.error->what() : "";
  }
};

TEST_F(AccessReport, NamesLoopArgumentKernelPlaceAndWhatToDo) {
  EXPECT_EQ(log_of({loop()}),
            "op2 warning: loop 'loop' (main.cpp:7): arg 0 (OP_INC): kernel 'k' assigns to it "
            "instead of adding (none.cpp:1: kernel 'k' line 1); add with += or -=\n"
            "void k(double* a) { *a = 1; }\n"
            "                    ^\n");
}

TEST_F(AccessReport, IsLoggedOncePerKernelAndFinding) {
  const std::string said = log_of({loop(1), loop(2)});
  EXPECT_EQ(backend->compilations, 2);
  EXPECT_EQ(said.find("assigns"), said.rfind("assigns"));
}

TEST_F(AccessReport, IsLoggedAgainWhenTheCodeComesFromDisk) {
  const std::string first = log_of({loop()});
  EXPECT_EQ(log_of({loop()}), first);
  EXPECT_EQ(backend->compilations, 1);
}

TEST_F(AccessReport, ReportsNothingOfAnOmissionThatAFlagMayExplain) {
  backend->findings[0].is_omission = 1;
  LoopRequest flagged = loop(1);
  flagged.origins[0].optional = {0};
  EXPECT_THAT(log_of({flagged}), IsEmpty());
  EXPECT_THAT(log_of({loop(1)}), HasSubstr("arg 0")) << "the same code, from disk";
}

TEST_F(AccessReport, IsAnErrorOnRequestAndStaysOne) {
  core::Log log(core::LogLevel::off);
  Jit jit(options(true), log, [this] { return backend; });
  for (int k = 0; k < 2; ++k) {
    const LoopCode outcome = jit.compile({{loop()}})[0];
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code(), ErrorCode::kernel_access);
    EXPECT_THAT(outcome.error->what(),
                StartsWith("OP2-E107 loop 'loop' (main.cpp:7): arg 0 (OP_INC): kernel 'k' assigns "
                           "to it instead of adding"));
  }
  EXPECT_EQ(backend->compilations, 1);
}

TEST_F(AccessReport, IsAnErrorOfCodeFromDiskToo) {
  log_of({loop()});
  EXPECT_THAT(error_of(loop()), HasSubstr("OP2-E107"));
  EXPECT_EQ(backend->compilations, 1);
}

TEST_F(AccessReport, ValuesOfOthersAreAnErrorWithoutARequest) {
  backend->findings.push_back(backend->findings[0]);
  backend->findings[1].beyond = Beyond::certain;
  backend->findings[1].what = "uses index 3, but its dimension is 3";
  core::Log log(core::LogLevel::off);
  Jit jit(options(false), log, [this] { return backend; });
  const std::string said = jit.compile({{loop()}})[0].error.value().what();
  EXPECT_THAT(said, StartsWith("OP2-E107 loop 'loop' (main.cpp:7): arg 0 (OP_INC): kernel 'k' uses "
                               "index 3, but its dimension is 3"));
  EXPECT_THAT(said, Not(HasSubstr("assigns"))) << "a warning";
  EXPECT_THAT(said, Not(HasSubstr("OP2_CHECK")));
}

TEST_F(AccessReport, AnErrorShowsAllFindings) {
  backend->findings.push_back(backend->findings[0]);
  backend->findings[1].what = "reads it";
  EXPECT_THAT(error_of(loop()), testing::AllOf(HasSubstr("assigns to it"), HasSubstr("reads it")));
}

TEST_F(AccessReport, KernelsThatAreMadeOfOthersAreNotCompared) {
  LoopRequest made = loop();
  made.origins[0].compare_access = false;
  EXPECT_THAT(log_of({made}), IsEmpty());
}

TEST_F(AccessReport, CodeThatWasNotComparedIsNotTakenFromDiskWhereFindingsAreWanted) {
  LoopRequest made = loop();
  made.origins[0].compare_access = false;
  log_of({made});
  EXPECT_THAT(error_of(loop()), HasSubstr("OP2-E107"));
}

}  // namespace
}  // namespace op2::jit
