// SPDX-License-Identifier: BSD-3-Clause
// Cache, memory and sharing treat every target alike, and never mix their code.
#include <gmock/gmock.h>

#include <jit/cache_directory.hpp>
#include <jit/cache_format.hpp>
#include <jit/jit.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <support/fake_target.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using testing::HasSubstr;

/// A process with a target; all processes share the folder of the cache.
struct Process {
  std::shared_ptr<test::FakeTarget> target;
  core::Log log{core::LogLevel::off};
  Jit jit;

  Process(const std::string& folder, const char* name)
      : target(std::make_shared<test::FakeTarget>(name)),
        jit(test::jit_options(folder, [] { return std::vector<Constant>(); }), log,
            [this]() -> std::shared_ptr<Target> { return target; }) {}
};

struct TargetTest : testing::Test {
  test::TemporaryDirectory folder;
  Process one{folder.path(), "device"}, same{folder.path(), "device"}, other{folder.path(), "chip"};
  op_kernel_core kernel{
      "k", "void k(double* a) {}", "none.cpp", 1, false, nullptr, nullptr, nullptr, -1};
  LoopRequest loop = test::loop_request(kernel, {test::dat(0, 1, OP_RW)}, {});
};

TEST_F(TargetTest, CodeCarriesItsTarget) {
  const Outcome outcome = one.jit.get({{loop}})[0];
  ASSERT_NE(outcome.code, nullptr);
  EXPECT_EQ(outcome.code->target, "device");
  EXPECT_EQ(outcome.code->symbol, "start");
  EXPECT_NE(outcome.code->entry, nullptr);
}

TEST_F(TargetTest, AnotherProcessOfTheTargetFindsItOnDisk) {
  one.jit.get({{loop}});
  EXPECT_TRUE(same.jit.get({{loop}})[0].code->from_disk);
  EXPECT_EQ(same.target->compilations, 0);
  EXPECT_EQ(same.target->loads, 1);
}

TEST_F(TargetTest, AnotherTargetDoesNotTakeItFromDisk) {
  one.jit.get({{loop}});
  EXPECT_FALSE(other.jit.get({{loop}})[0].code->from_disk);
  EXPECT_EQ(other.target->compilations, 1);
}

TEST_F(TargetTest, CodeIsSharedWithinATarget) {
  const Production made = one.jit.produce({{loop}});
  EXPECT_EQ(one.jit.target(), same.jit.target());
  EXPECT_TRUE(same.jit.adopt({{loop}}, made.code)[0].code->received);
}

TEST_F(TargetTest, CodeOfAnotherTargetIsNotAdopted) {
  const Production made = one.jit.produce({{loop}});
  EXPECT_NE(one.jit.target(), other.jit.target());
  const std::vector<Built> adopted = other.jit.adopt({{loop}}, made.code);
  EXPECT_THAT(adopted[0].error->what(), HasSubstr("another loop, machine or library"));
}

TEST_F(TargetTest, ItsSourceIsShown) {
  EXPECT_EQ(one.jit.compiled_source(loop.nest), "run k");
}

TEST_F(TargetTest, TheCpuRunsNoCodeOfAnotherTarget) {
  EXPECT_THROW(range_of(*one.jit.get({{loop}})[0].code), Error);
}

}  // namespace
}  // namespace op2::jit
