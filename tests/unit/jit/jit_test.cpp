// SPDX-License-Identifier: BSD-3-Clause
#include <barrier>
#include <future>
#include <thread>

#include <gmock/gmock.h>

#include <core/error.hpp>
#include <core/measurements/trace.hpp>
#include <jit/jit.hpp>
#include <jit/kernel_cache.hpp>
#include <support/expect_error.hpp>
#include <support/fake_backend.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::jit {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

struct JitTest : testing::Test {
  test::TemporaryDirectory folder;
  core::Log log{core::LogLevel::off};
  std::shared_ptr<test::FakeBackend> backend = std::make_shared<test::FakeBackend>();
  double gam = 1.4, eps = 0.05;
  std::vector<Constant> declared{{"gam", Type::f64, 1, &gam}, {"eps", Type::f64, 1, &eps}};
  op_kernel_core kernel{
      "k", "void k(double* a) { *a *= gam; }", "none.cpp", 1, false, nullptr, nullptr, nullptr, -1};

  JitOptions options() {
    return test::jit_options(folder.path(), [this] { return declared; });
  }
  std::unique_ptr<Jit> make(JitOptions given) {
    return std::make_unique<Jit>(std::move(given), log, [this] { return backend; });
  }
  std::unique_ptr<Jit> make() { return make(options()); }

  /// Loops that differ in the dim of their argument.
  LoopRequest loop(int dim = 1) {
    return test::loop_request(kernel, {test::dat(0, dim, OP_RW)}, declared);
  }
};

TEST_F(JitTest, ACallNamesOnlyTheConstantsInTheSource) {
  EXPECT_THAT(loop().nest.calls[0].constants, ElementsAre(ConstantShape{"gam", Type::f64, 1}));
}

TEST_F(JitTest, CodeIsLinkedAgainstTheAddressesOfItsConstants) {
  make()->get({{loop()}});
  ASSERT_THAT(backend->symbols, ElementsAre(Field(&LinkSymbol::name, "op2_const_gam")));
  EXPECT_EQ(backend->symbols[0].address, &gam);
}

TEST_F(JitTest, EqualLoopsOfAChainAreCompiledOnce) {
  const auto jit = make();
  const std::vector<LoopRequest> chain{loop(1), loop(2), loop(1)};
  const auto outcomes = jit->get(chain);
  EXPECT_EQ(backend->compilations, 2);
  EXPECT_EQ(outcomes[0].code, outcomes[2].code);
  EXPECT_NE(outcomes[0].code, outcomes[1].code);
}

TEST_F(JitTest, ThreadsThatWantTheSameCodeCompileItOnce) {
  backend->duration = std::chrono::milliseconds(20);
  const auto jit = make();
  std::barrier start(8);
  std::vector<const CompiledLoop*> codes(8);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        codes[i] = jit->get({{loop()}})[0].code;
      });
    }
  }
  EXPECT_EQ(backend->compilations, 1);
  EXPECT_THAT(codes, testing::Each(testing::AllOf(codes[0], testing::NotNull())));
}

TEST_F(JitTest, MissingLoopsAreCompiledAtTheSameTime) {
  backend->duration = std::chrono::milliseconds(50);
  make()->get({{loop(1), loop(2)}});
  EXPECT_EQ(backend->most_at_once, 2);
}

TEST_F(JitTest, NoMoreThreadsThanAllowedCompile) {
  auto one = options();
  one.threads = 1;
  backend->duration = std::chrono::milliseconds(5);
  make(one)->get({{loop(1), loop(2), loop(3)}});
  EXPECT_EQ(backend->most_at_once, 1);
}

TEST_F(JitTest, WhoDoesNotWaitGetsCodeWhenItIsMade) {
  std::promise<void> may_go_on;
  backend->meanwhile = [gate = may_go_on.get_future().share()] { gate.wait(); };
  const auto jit = make();
  const std::vector<LoopRequest> chain{loop(1), loop(2)};
  for (int plan = 0; plan < 2; ++plan)
    for (const Outcome& outcome : jit->get_ready(chain)) {
      EXPECT_EQ(outcome.code, nullptr);
      EXPECT_FALSE(outcome.error);
    }
  EXPECT_TRUE(jit->making());
  may_go_on.set_value();
  while (jit->making()) std::this_thread::yield();
  const auto outcomes = jit->get_ready(chain);
  EXPECT_NE(outcomes[0].code, nullptr);
  EXPECT_NE(outcomes[1].code, nullptr);
  EXPECT_EQ(backend->compilations, 2);
}

TEST_F(JitTest, WhoWaitsGetsWhatIsBeingMadeForOthers) {
  backend->duration = std::chrono::milliseconds(20);
  const auto jit = make();
  jit->get_ready({{loop()}});
  EXPECT_NE(jit->get({{loop()}})[0].code, nullptr);
  EXPECT_EQ(backend->compilations, 1);
}

TEST_F(JitTest, WhatFailsBehindIsAnOutcomeToo) {
  backend->rejects = true;
  const auto jit = make();
  jit->get_ready({{loop()}});
  while (jit->making()) std::this_thread::yield();
  EXPECT_TRUE(jit->get_ready({{loop()}})[0].error);
}

TEST_F(JitTest, ARejectedSourceIsCompiledOnce) {
  const auto jit = make();
  backend->rejects = true;
  for (int plan = 0; plan < 2; ++plan) {
    const auto failed = jit->get({{loop()}});
    EXPECT_EQ(failed[0].code, nullptr);
    ASSERT_TRUE(failed[0].error);
    EXPECT_THAT(failed[0].error->what(), HasSubstr("OP2-E101 loop 'loop' (main.cpp:7)"));
  }
  EXPECT_EQ(backend->compilations, 1);
}

TEST_F(JitTest, AFailureOfTheMachineIsTriedAgain) {
  const auto jit = make();
  backend->failing_links = 1;
  EXPECT_TRUE(jit->get({{loop()}})[0].error);
  EXPECT_NE(jit->get({{loop()}})[0].code, nullptr);
}

TEST_F(JitTest, NothingIsKeptOnDiskOfAFailure) {
  backend->rejects = true;
  make()->get({{loop()}});
  backend->rejects = false;
  EXPECT_FALSE(make()->get({{loop()}})[0].code->from_disk);
}

TEST_F(JitTest, AnotherProcessFindsTheCodeOnDisk) {
  make()->get({{loop()}});
  const auto second = make();
  const auto outcome = second->get({{loop()}})[0];
  EXPECT_TRUE(outcome.code->from_disk);
  EXPECT_EQ(outcome.code->signature, "double*");
  EXPECT_EQ(backend->compilations, 1);
}

TEST_F(JitTest, AnEntryThatDoesNotLinkIsCompiledAgainAndReplaced) {
  make()->get({{loop()}});
  backend->failing_links = 1;
  EXPECT_FALSE(make()->get({{loop()}})[0].code->from_disk);
  EXPECT_EQ(backend->compilations, 2);
  EXPECT_TRUE(make()->get({{loop()}})[0].code->from_disk);
}

TEST_F(JitTest, FreshCodeThatDoesNotLinkIsAnErrorAndIsNotKept) {
  backend->failing_links = 1;
  const auto outcome = make()->get({{loop()}})[0];
  EXPECT_EQ(outcome.error->code(), ErrorCode::link_failure);
  EXPECT_THAT(
      outcome.error->what(),
      HasSubstr("cannot be linked: kernel 'k' of loop 'loop' (main.cpp:7), does not link; write"));
  EXPECT_FALSE(make()->get({{loop()}})[0].code->from_disk);
}

TEST_F(JitTest, ValuesAndOtherConstantsDoNotChangeTheKey) {
  const Key before = make()->get({{loop()}})[0].code->key;
  gam = 2;
  declared.push_back({"mach", Type::f64, 1, &eps});
  EXPECT_EQ(make()->get({{loop()}})[0].code->key, before);
  kernel.source = "void k(double* a) { *a *= gam * mach; }";
  EXPECT_NE(make()->get({{loop()}})[0].code->key, before);
}

TEST_F(JitTest, WarningsOfTheCompilerAreShownOncePerKernel) {
  testing::internal::CaptureStderr();
  core::Log shown(core::LogLevel::warning);
  backend->warns = true;
  Jit(options(), shown, [this] { return backend; }).get({{loop(1), loop(2)}});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("loop 'loop' (main.cpp:7): the compiler warns of kernel 'k':\n"
                              "kernel 'k' line 1: warning: message"));
  EXPECT_EQ(said.find("the compiler warns"), said.rfind("the compiler warns"));
}

TEST_F(JitTest, AConstantThatMacrosNameIsAddedWhenItIsMissed) {
  kernel.source = "#define paste(a, b) a##b\nvoid k(double* a) { *a *= paste(e, ps); }";
  backend->unknown = "eps";
  ASSERT_NE(make()->get({{loop()}})[0].code, nullptr);
  ASSERT_THAT(backend->symbols, ElementsAre(Field(&LinkSymbol::name, "op2_const_eps")));
}

TEST_F(JitTest, AnUnknownNameThatIsNoConstantIsAnError) {
  backend->unknown = "mach";
  EXPECT_EQ(make()->get({{loop()}})[0].error->code(), ErrorCode::unknown_symbol);
  EXPECT_EQ(backend->compilations, 1);
}

TEST_F(JitTest, StatisticsCountWhereCodeCameFrom) {
  make()->get({{loop(1)}});
  const auto jit = make();
  jit->get({{loop(1), loop(2)}});
  jit->get({{loop(1), loop(2)}});
  const op_jit_statistics statistics = jit->statistics();
  EXPECT_EQ(statistics.disk_hits, 1);
  EXPECT_EQ(statistics.compiled, 1);
  EXPECT_EQ(statistics.memory_hits, 2);
  EXPECT_EQ(statistics.compile_seconds, 0.5);
  EXPECT_GT(statistics.wait_seconds, 0);
}

TEST_F(JitTest, AMissingPluginIsTheOutcomeOfEveryLoop) {
  Jit jit(options(), log, []() -> std::shared_ptr<Backend> {
    core::fail(ErrorCode::plugin_failure, "no plug-in");
  });
  for (const Outcome& outcome : jit.get({{loop(1), loop(2)}})) {
    EXPECT_EQ(outcome.error->code(), ErrorCode::plugin_failure);
  }
}

TEST_F(JitTest, AnyOtherExceptionIsAnOutcomeToo) {
  auto broken = options();
  broken.constants = []() -> std::vector<Constant> { throw std::runtime_error("no constants"); };
  const auto jit = make(broken);
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_THAT(jit->get({{loop()}})[0].error->what(),
                HasSubstr("OP2-E901 the code cannot be made: loop 'loop' (main.cpp:7)"));
  }
}

TEST_F(JitTest, NothingIsLoadedForAnEmptyChain) {
  Jit jit(options(), log, []() -> std::shared_ptr<Backend> {
    core::fail(ErrorCode::plugin_failure, "no plug-in");
  });
  EXPECT_TRUE(jit.get({}).empty());
}

TEST_F(JitTest, CompilationsAreInTheTrace) {
  core::Listeners listeners;
  const auto& trace =
      dynamic_cast<core::Trace&>(*listeners.emplace_back(std::make_unique<core::Trace>()));
  auto traced = options();
  traced.listeners = &listeners;
  make(traced)->get({{loop()}});
  std::string text;
  text = core::trace_as_json({trace.events(0)}, trace.dropped());
  EXPECT_THAT(text, HasSubstr("compile"));
}

TEST_F(JitTest, CodeInMemoryIsFoundWithoutMakingAny) {
  const auto jit = make();
  EXPECT_EQ(jit->in_memory(loop().nest), nullptr);
  const Outcome outcome = jit->get({{loop()}})[0];
  EXPECT_EQ(jit->in_memory(loop().nest), outcome.code);
  EXPECT_EQ(jit->in_memory(loop(2).nest), nullptr);
  EXPECT_EQ(backend->compilations, 1);
}

/// Whether a later call has to build again after this error.
bool is_forgotten(ErrorCode code) {
  KernelCache cache;
  const LoopNest nest = nest_of({.name = "k"}, {});
  auto first = cache.find_or_add(nest);
  const auto second = cache.find_or_add(nest);
  EXPECT_FALSE(second.promise);
  cache.complete(nest, *first.promise, {nullptr, Error(code, "wrong")});
  EXPECT_TRUE(first.result.get().error);
  EXPECT_TRUE(second.result.get().error);
  return cache.find_or_add(nest).promise.has_value();
}

TEST(KernelCache, ErrorsOfTheMachineReachAllWhoWaitAndAreForgotten) {
  EXPECT_TRUE(is_forgotten(ErrorCode::plugin_failure));
  EXPECT_TRUE(is_forgotten(ErrorCode::out_of_memory));
  EXPECT_TRUE(is_forgotten(ErrorCode::compiler_crash));
}

TEST(KernelCache, VerdictsOnASourceStay) {
  EXPECT_FALSE(is_forgotten(ErrorCode::kernel_source));
  EXPECT_FALSE(is_forgotten(ErrorCode::kernel_signature));
  EXPECT_FALSE(is_forgotten(ErrorCode::kernel_limits));
}

}  // namespace
}  // namespace op2::jit
