// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <op2/version.hpp>

#include <jit/cache_entry.hpp>
#include <jit/loop_nest.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <jit/target/cpu/emit_cpu.hpp>
#include <support/fake_backend.hpp>
#include <support/loop_shapes.hpp>

namespace op2::jit {
namespace {

const LoopNest base = nest_of({.name = "k",
                               .source = "void k(double* a) { *a *= gam; }",
                               .constants = {{"gam", Type::f64, 1}},
                               .includes = {{"a.h", "x"}}},
                              {test::dat(0, 1, OP_RW)});

/// A target on a machine with this CPU.
CpuTarget target_with(const char* cpu, const Sanitizers& sanitizers = {}) {
  auto backend = std::make_shared<test::FakeBackend>();
  backend->cpu = cpu;
  JitOptions options;
  options.sanitizers = sanitizers;
  return {backend, options};
}

KeyFields fields(const LoopNest& nest, const std::vector<std::string>& units = {}) {
  return fields_of(nest, units, target_with("cpu"), "");
}

Key key_of(const LoopNest& nest) {
  return make_key(fields(nest, emit_cpu(nest, {})));
}

TEST(LoopKey, IsTheSameForEqualNests) {
  EXPECT_EQ(key_of(base), key_of(LoopNest(base)));
}

TEST(LoopKey, DiffersWithEverythingThatShapesCode) {
  std::vector<LoopNest> nests(9, base);
  nests[0].calls[0].source += " ";
  nests[1].args[0].dim = 2;
  nests[2].args[0].type = Type::f32;
  nests[3].args[0].access = OP_INC;
  nests[4].args[0].map = 0;
  nests[5].args[0].active = false;
  nests[6].calls[0].constants[0].dim = 4;
  nests[7].calls[0].includes[0].text = "y";
  nests[8].calls.push_back(base.calls[0]);
  for (const LoopNest& nest : nests) EXPECT_NE(key_of(nest), key_of(base));
}

TEST(LoopKey, NamesTheVersionsOfTheLibraryAndOfTheEntry) {
  const std::string generator = fields(base).generator;
  EXPECT_THAT(generator, testing::StartsWith("op2 " OP2_VERSION_STRING ", format "));
  EXPECT_THAT(generator, testing::HasSubstr(std::to_string(cache_format_version)));
}

TEST(LoopKey, DiffersWithTheEmittedSourceTheMachineAndTheOptions) {
  const auto key = [](const char* source, const char* cpu, bool sanitize) {
    return make_key(fields_of(base, {source}, target_with(cpu, {.address = sanitize}), ""));
  };
  EXPECT_NE(key("s", "znver5", false), key("t", "znver5", false));
  EXPECT_NE(key("s", "znver5", false), key("s", "znver4", false));
  EXPECT_NE(key("s", "znver5", false), key("s", "znver5", true));
}

TEST(LoopKey, ConstantsThatAnotherProcessUsesAreThoseOfItsCalls) {
  LoopNest nest = base;
  nest.calls.push_back(
      {.name = "l", .constants = {{"qinf", Type::f32, 4}, {"x", {}, 1, "int x", &base}}});
  const std::vector<ConstantUse> used = constants_used(nest);
  EXPECT_THAT(used, testing::ElementsAre(ConstantUse{0, "gam"}, ConstantUse{1, "qinf"}));
  const std::vector<Constant> declared{{"qinf", Type::f32, 4, nullptr},
                                       {"am", Type::f64, 1, nullptr},
                                       {"gam", Type::f64, 1, nullptr}};
  LoopNest other = nest;
  other.calls[0].constants = {};
  other.calls[1].constants.erase(other.calls[1].constants.begin());
  use_constants(other, used, declared);
  EXPECT_EQ(other, nest);
}

TEST(LoopKey, SourcesOfSeveralKernelsStayApart) {
  const auto text = [](const char* first, const char* second) {
    const LoopNest nest{{{.name = "k", .source = first}, {.name = "k", .source = second}}, {}};
    return fields(nest).source;
  };
  EXPECT_NE(text("ab", "c"), text("a", "bc"));
  EXPECT_EQ(text("", "c"), "k, 1 bytes:\nc\n");
}

TEST(LoopKey, OfSeveralKernelsTheUseOfArgumentsIsExplained) {
  LoopNest nest{{{.name = "k"}, {.name = "l"}}, {test::dat(0, 1, OP_WRITE)}};
  nest.calls[0].args = {{0, OP_WRITE}};
  nest.calls[1].args = {{0, OP_READ}};
  EXPECT_EQ(fields(nest).arguments,
            "dat double x1 write dat=0\nkernel k: 0 write\nkernel l: 0 read\n");
}

TEST(LoopKey, WordsExplainArgumentsAndConstants) {
  EXPECT_EQ(fields(base).arguments, "dat double x1 rw dat=0\n");
  EXPECT_EQ(fields(base).constants, "double gam[1]\n");
}

}  // namespace
}  // namespace op2::jit
