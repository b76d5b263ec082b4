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
  std::vector<std::byte> code_of(const std::vector<LoopRequest>& loops) {
    return serialize(leader.jit.make(loops));
  }
  std::string refusal(std::span<const std::byte> code, int dim = 1) {
    const std::vector<LoopCode> built = other.jit.adopt({{loop(dim)}}, code);
    return built[0].error ? built[0].error->what() : "no error";
  }
};

TEST_F(SerializedCode, CodeIsAdoptedWithoutDiskAndCompiler) {
  const std::vector<LoopRequest> loops{loop(1), loop(2)};
  const std::vector<LoopCode> made = leader.jit.make(loops);
  const std::vector<LoopCode> adopted = other.jit.adopt(loops, serialize(made));
  ASSERT_EQ(adopted.size(), 2U);
  EXPECT_EQ(adopted[1].code->key, made[1].code->key);
  EXPECT_EQ(adopted[1].code->signature, "double*");
  EXPECT_TRUE(adopted[1].code->received);
  EXPECT_EQ(other.backend->compilations, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "other"));
}

TEST_F(SerializedCode, CodeFromDiskIsAsGoodAsFreshCode) {
  leader.jit.make({{loop()}});
  const std::vector<LoopCode> again = leader.jit.make({{loop()}});
  EXPECT_TRUE(again[0].code->from_disk);
  EXPECT_NE(other.jit.adopt({{loop()}}, serialize(again))[0].code, nullptr);
  EXPECT_EQ(leader.backend->compilations, 1);
}

TEST_F(SerializedCode, ConstantsAreThoseOfTheProcessThatLinks) {
  other.jit.adopt({{loop()}}, code_of({loop()}));
  ASSERT_EQ(other.backend->symbols.size(), 1U);
  EXPECT_EQ(other.backend->symbols[0].address, &other.gam);
}

TEST_F(SerializedCode, AConstantThatTheCompilerHasFoundIsLinkedEverywhere) {
  kernel.source = "#define paste(a, b) a##b\nvoid k(double* a) { *a *= paste(e, ps) * gam; }";
  leader.backend->unknown = "eps";
  other.jit.adopt({{loop()}}, code_of({loop()}));
  ASSERT_EQ(other.backend->symbols.size(), 2U);
  EXPECT_EQ(other.backend->symbols[0].name, "op2_const_eps");
  EXPECT_EQ(other.backend->symbols[0].address, &other.eps);
}

TEST_F(SerializedCode, ALoopWithoutCodeLeavesTheOthersAlone) {
  const std::vector<LoopRequest> loops{loop(1), loop(2)};
  leader.backend->failing_links = 1;
  const std::vector<LoopCode> made = leader.jit.make(loops);
  const std::vector<LoopCode> adopted = other.jit.adopt(loops, serialize(made));
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(adopted[i].code == nullptr, made[i].code == nullptr);
}

TEST_F(SerializedCode, CodeThatDoesNotLinkIsAnError) {
  const auto code = code_of({loop()});
  other.backend->failing_links = 1;
  EXPECT_THAT(refusal(code), HasSubstr("OP2-E506 the code cannot be linked: kernel 'k' of loop "
                                       "'loop' (main.cpp:7), does not link"));
}

TEST_F(SerializedCode, DamagedCodeIsAnError) {
  auto code = code_of({loop()});
  code.back() ^= std::byte{1};
  EXPECT_THAT(refusal(code), HasSubstr("(main.cpp:7), checksum"));
  code.resize(20);
  EXPECT_THAT(refusal(code), HasSubstr("(main.cpp:7), length"));
  EXPECT_THAT(refusal({}), HasSubstr("cannot be used: kernel 'k' of loop 'loop' (main.cpp:7)"));
}

TEST_F(SerializedCode, TheCodeOfAnotherLoopIsNotTaken) {
  EXPECT_THAT(refusal(code_of({loop(1)}), 2), HasSubstr("of another loop"));
}

TEST_F(SerializedCode, TheCodeForAnotherMachineIsNotTaken) {
  other.backend->cpu = "older";
  EXPECT_THAT(refusal(code_of({loop()})), HasSubstr("of another loop, machine"));
}

TEST_F(SerializedCode, TargetsDifferIfTheMachinesDo) {
  EXPECT_EQ(leader.jit.target(), other.jit.target());
  other.backend->cpu = "older";
  EXPECT_NE(leader.jit.target(), other.jit.target());
  EXPECT_EQ(other.backend->compilations, 0);
}

TEST_F(SerializedCode, AdoptedCodeCountsAsReceived) {
  other.jit.keep({{loop()}}, other.jit.adopt({{loop()}}, code_of({loop()})));
  const op_jit_statistics statistics = other.jit.statistics();
  EXPECT_EQ(statistics.received, 1);
  EXPECT_EQ(statistics.compiled + statistics.disk_hits, 0);
  EXPECT_EQ(statistics.compile_seconds, 0);
}

}  // namespace
}  // namespace op2::jit
