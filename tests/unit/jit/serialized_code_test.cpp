// SPDX-License-Identifier: BSD-3-Clause
// Code that one process makes and another one runs.
#include <gmock/gmock.h>

#include <core/error.hpp>
#include <jit/jit.hpp>
#include <support/fake_backend.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A process with separate memory, compiler and constants.
struct Process {
  std::shared_ptr<test::FakeBackend> backend = std::make_shared<test::FakeBackend>();
  double gam = 1.4, eps = 0.05;
  core::Log log{core::LogLevel::off};
  Jit jit;

  explicit Process(const std::string& folder)
      : jit(test::jit_options(folder, [this] { return declared(); }), log,
            [this] { return backend; }) {}

  std::vector<Constant> declared() {
    return {{"gam", Type::f64, 1, &gam}, {"eps", Type::f64, 1, &eps}};
  }
};

struct SerializedCode : testing::Test {
  test::TemporaryDirectory folder;
  Process leader{folder / "leader"}, other{folder / "other"};
  op_kernel_core kernel{
      "k", "void k(double* a) { *a *= gam; }", "none.cpp", 1, false, nullptr, nullptr, nullptr, -1};

  LoopRequest loop(int dim = 1) {
    return test::loop_request(kernel, {test::dat(0, dim, OP_RW)}, leader.declared());
  }
  std::string refusal(std::span<const std::byte> code, int dim = 1) {
    const std::vector<Built> built = other.jit.adopt({{loop(dim)}}, code);
    return built[0].error ? built[0].error->what() : "no error";
  }
};

TEST_F(SerializedCode, CodeIsAdoptedWithoutDiskAndCompiler) {
  const std::vector<LoopRequest> loops{loop(1), loop(2)};
  const Production made = leader.jit.produce(loops);
  const std::vector<Built> adopted = other.jit.adopt(loops, made.code);
  ASSERT_EQ(adopted.size(), 2U);
  EXPECT_EQ(adopted[1].code->key, made.built[1].code->key);
  EXPECT_EQ(adopted[1].code->signature, "double*");
  EXPECT_TRUE(adopted[1].code->received);
  EXPECT_EQ(other.backend->compilations, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "other"));
}

TEST_F(SerializedCode, CodeFromDiskIsAsGoodAsFreshCode) {
  leader.jit.produce({{loop()}});
  const Production again = leader.jit.produce({{loop()}});
  EXPECT_TRUE(again.built[0].code->from_disk);
  EXPECT_NE(other.jit.adopt({{loop()}}, again.code)[0].code, nullptr);
  EXPECT_EQ(leader.backend->compilations, 1);
}

TEST_F(SerializedCode, ConstantsAreThoseOfTheProcessThatLinks) {
  other.jit.adopt({{loop()}}, leader.jit.produce({{loop()}}).code);
  ASSERT_EQ(other.backend->symbols.size(), 1U);
  EXPECT_EQ(other.backend->symbols[0].address, &other.gam);
}

TEST_F(SerializedCode, AConstantThatTheCompilerHasFoundIsLinkedEverywhere) {
  kernel.source = "#define paste(a, b) a##b\nvoid k(double* a) { *a *= paste(e, ps) * gam; }";
  leader.backend->unknown = "eps";
  other.jit.adopt({{loop()}}, leader.jit.produce({{loop()}}).code);
  ASSERT_EQ(other.backend->symbols.size(), 2U);
  EXPECT_EQ(other.backend->symbols[0].name, "op2_const_eps");
  EXPECT_EQ(other.backend->symbols[0].address, &other.eps);
}

TEST_F(SerializedCode, ALoopWithoutCodeLeavesTheOthersAlone) {
  const std::vector<LoopRequest> loops{loop(1), loop(2)};
  leader.backend->failing_links = 1;
  const Production made = leader.jit.produce(loops);
  const std::vector<Built> adopted = other.jit.adopt(loops, made.code);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(adopted[i].code == nullptr, made.built[i].code == nullptr);
}

TEST_F(SerializedCode, CodeThatDoesNotLinkIsAnError) {
  const Production made = leader.jit.produce({{loop()}});
  other.backend->failing_links = 1;
  EXPECT_THAT(refusal(made.code),
              HasSubstr("OP2-E506 the code cannot be linked: kernel 'k' of loop "
                        "'loop' (main.cpp:7), does not link"));
}

TEST_F(SerializedCode, DamagedCodeIsAnError) {
  Production made = leader.jit.produce({{loop()}});
  made.code.back() ^= std::byte{1};
  EXPECT_THAT(refusal(made.code), HasSubstr("(main.cpp:7), checksum"));
  made.code.resize(20);
  EXPECT_THAT(refusal(made.code), HasSubstr("(main.cpp:7), length"));
  EXPECT_THAT(refusal({}), HasSubstr("cannot be used: kernel 'k' of loop 'loop' (main.cpp:7)"));
}

TEST_F(SerializedCode, TheCodeOfAnotherLoopIsNotTaken) {
  EXPECT_THAT(refusal(leader.jit.produce({{loop(1)}}).code, 2), HasSubstr("of another loop"));
}

TEST_F(SerializedCode, TheCodeForAnotherMachineIsNotTaken) {
  other.backend->cpu = "older";
  EXPECT_THAT(refusal(leader.jit.produce({{loop()}}).code), HasSubstr("of another loop, machine"));
}

TEST_F(SerializedCode, TargetsDifferIfTheMachinesDo) {
  EXPECT_EQ(leader.jit.target(), other.jit.target());
  other.backend->cpu = "older";
  EXPECT_NE(leader.jit.target(), other.jit.target());
  EXPECT_EQ(other.backend->compilations, 0);
}

TEST_F(SerializedCode, AMakerIsAskedOnceForWhatIsNotInMemory) {
  std::vector<std::size_t> asked;
  const Maker make = [&](std::span<const LoopRequest> missing) {
    asked.push_back(missing.size());
    return leader.jit.produce(missing).built;
  };
  for (int plan = 0; plan < 2; ++plan) leader.jit.get({{loop(1), loop(2), loop(1)}}, make);
  EXPECT_THAT(asked, ElementsAre(2));
}

TEST_F(SerializedCode, WhatAMakerThrowsReachesTheCallerAndIsForgotten) {
  const Maker broken = [](std::span<const LoopRequest>) -> std::vector<Built> {
    core::fail(ErrorCode::communication_failure, "the network is down");
  };
  EXPECT_THROW(leader.jit.get({{loop()}}, broken), Error);
  EXPECT_NE(leader.jit.get({{loop()}})[0].code, nullptr);
}

TEST_F(SerializedCode, AdoptedCodeCountsAsReceived) {
  const Production made = leader.jit.produce({{loop()}});
  other.jit.get({{loop()}}, [&](auto missing) { return other.jit.adopt(missing, made.code); });
  const op_jit_statistics statistics = other.jit.statistics();
  EXPECT_EQ(statistics.received, 1);
  EXPECT_EQ(statistics.compiled + statistics.disk_hits, 0);
  EXPECT_EQ(statistics.compile_seconds, 0);
}

}  // namespace
}  // namespace op2::jit
