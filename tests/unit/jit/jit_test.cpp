// SPDX-License-Identifier: BSD-3-Clause
#include <thread>

#include <gmock/gmock.h>

#include <core/error.hpp>
#include <core/measurements/trace.hpp>
#include <jit/cache_directory.hpp>
#include <jit/cache_entry.hpp>
#include <jit/jit.hpp>
#include <jit/source_rules.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <support/expect_error.hpp>
#include <support/fake_backend.hpp>
#include <support/fake_target.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/stderr_capture.hpp>
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
  make()->compile({{loop()}});
  ASSERT_THAT(backend->symbols, ElementsAre(Field(&LinkSymbol::name, "op2_const_gam")));
  EXPECT_EQ(backend->symbols[0].address, &gam);
}

TEST_F(JitTest, EqualLoopsOfAChainAreCompiledOnce) {
  const auto jit = make();
  const std::vector<LoopRequest> chain{loop(1), loop(2), loop(1)};
  const auto outcomes = jit->compile(chain);
  EXPECT_EQ(backend->compilations, 2);
  EXPECT_EQ(outcomes[0].code, outcomes[2].code);
  EXPECT_NE(outcomes[0].code, outcomes[1].code);
}

TEST_F(JitTest, MissingLoopsAreCompiledAtTheSameTime) {
  backend->duration = std::chrono::milliseconds(50);
  make()->compile({{loop(1), loop(2)}});
  EXPECT_EQ(backend->most_at_once, 2);
}

TEST_F(JitTest, NoMoreThreadsThanAllowedCompile) {
  auto one = options();
  one.threads = 1;
  backend->duration = std::chrono::milliseconds(5);
  make(one)->compile({{loop(1), loop(2), loop(3)}});
  EXPECT_EQ(backend->most_at_once, 1);
}

TEST_F(JitTest, ALongCompilationSaysHowFarItIs) {
  test::StderrCapture captured;
  core::Log shown(core::LogLevel::info, "", std::chrono::milliseconds(1));
  std::string said;
  backend->meanwhile = [&, kernel = 0]() mutable {  // a test that waits in vain ends by its limit
    const std::string awaited = "compiling " + std::to_string(++kernel) + " of 2 kernels";
    for (; said.find(awaited) == said.npos; said += captured.news())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  auto one = options();
  one.threads = 1;
  Jit(one, shown, [this] { return backend; }).compile({{loop(1), loop(2)}});
  EXPECT_EQ(backend->compilations, 2);
}

TEST_F(JitTest, ARejectedSourceIsCompiledOnce) {
  const auto jit = make();
  backend->rejects = true;
  for (int plan = 0; plan < 2; ++plan) {
    const auto failed = jit->compile({{loop()}});
    EXPECT_EQ(failed[0].code, nullptr);
    ASSERT_TRUE(failed[0].error);
    EXPECT_THAT(failed[0].error->what(), HasSubstr("OP2-E101 loop 'loop' (main.cpp:7)"));
  }
  EXPECT_EQ(backend->compilations, 1);
}

TEST_F(JitTest, AFailureOfTheMachineIsTriedAgain) {
  const auto jit = make();
  backend->failing_links = 1;
  EXPECT_TRUE(jit->compile({{loop()}})[0].error);
  EXPECT_NE(jit->compile({{loop()}})[0].code, nullptr);
}

TEST_F(JitTest, NothingIsKeptOnDiskOfAFailure) {
  backend->rejects = true;
  make()->compile({{loop()}});
  backend->rejects = false;
  EXPECT_FALSE(make()->compile({{loop()}})[0].code->from_disk);
}

TEST_F(JitTest, AnotherProcessFindsTheCodeOnDisk) {
  make()->compile({{loop()}});
  const auto second = make();
  const auto outcome = second->compile({{loop()}})[0];
  EXPECT_TRUE(outcome.code->from_disk);
  EXPECT_EQ(outcome.code->signature, "double*");
  EXPECT_EQ(backend->compilations, 1);
}

TEST_F(JitTest, AnEntryThatDoesNotLinkIsCompiledAgainAndReplaced) {
  make()->compile({{loop()}});
  backend->failing_links = 1;
  EXPECT_FALSE(make()->compile({{loop()}})[0].code->from_disk);
  EXPECT_EQ(backend->compilations, 2);
  EXPECT_TRUE(make()->compile({{loop()}})[0].code->from_disk);
}

TEST_F(JitTest, FreshCodeThatDoesNotLinkIsAnErrorAndIsNotKept) {
  backend->failing_links = 1;
  const auto outcome = make()->compile({{loop()}})[0];
  EXPECT_EQ(outcome.error->code(), ErrorCode::link_failure);
  EXPECT_THAT(
      outcome.error->what(),
      HasSubstr("cannot be linked: kernel 'k' of loop 'loop' (main.cpp:7), does not link; write"));
  EXPECT_FALSE(make()->compile({{loop()}})[0].code->from_disk);
}

TEST_F(JitTest, ValuesAndOtherConstantsDoNotChangeTheKey) {
  const Key before = make()->compile({{loop()}})[0].code->key;
  gam = 2;
  declared.push_back({"mach", Type::f64, 1, &eps});
  EXPECT_EQ(make()->compile({{loop()}})[0].code->key, before);
  kernel.source = "void k(double* a) { *a *= gam * mach; }";
  EXPECT_NE(make()->compile({{loop()}})[0].code->key, before);
}

TEST_F(JitTest, WarningsOfTheCompilerAreShownOncePerKernel) {
  testing::internal::CaptureStderr();
  core::Log shown(core::LogLevel::warning);
  backend->warns = true;
  Jit(options(), shown, [this] { return backend; }).compile({{loop(1), loop(2)}});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("loop 'loop' (main.cpp:7): the compiler warns of kernel 'k':\n"
                              "kernel 'k' line 1: warning: message"));
  EXPECT_EQ(said.find("the compiler warns"), said.rfind("the compiler warns"));
}

TEST_F(JitTest, AConstantThatMacrosNameIsAddedWhenItIsMissed) {
  kernel.source = "#define paste(a, b) a##b\nvoid k(double* a) { *a *= paste(e, ps); }";
  backend->unknown = "eps";
  ASSERT_NE(make()->compile({{loop()}})[0].code, nullptr);
  ASSERT_THAT(backend->symbols, ElementsAre(Field(&LinkSymbol::name, "op2_const_eps")));
}

TEST_F(JitTest, AnUnknownNameThatIsNoConstantIsAnError) {
  backend->unknown = "mach";
  EXPECT_EQ(make()->compile({{loop()}})[0].error->code(), ErrorCode::unknown_symbol);
  EXPECT_EQ(backend->compilations, 1);
}

TEST_F(JitTest, StatisticsCountWhereCodeCameFrom) {
  make()->compile({{loop(1)}});
  const auto jit = make();
  jit->compile({{loop(1), loop(2)}});
  jit->compile({{loop(1), loop(2)}});
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
  for (const LoopCode& outcome : jit.compile({{loop(1), loop(2)}})) {
    EXPECT_EQ(outcome.error->code(), ErrorCode::plugin_failure);
  }
}

TEST_F(JitTest, AnyOtherExceptionIsAnOutcomeToo) {
  auto broken = options();
  broken.constants = []() -> std::vector<Constant> { throw std::runtime_error("no constants"); };
  const auto jit = make(broken);
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_THAT(jit->compile({{loop()}})[0].error->what(),
                HasSubstr("OP2-E901 the code cannot be made: loop 'loop' (main.cpp:7)"));
  }
}

TEST_F(JitTest, NothingIsLoadedForAnEmptyChain) {
  Jit jit(options(), log, []() -> std::shared_ptr<Backend> {
    core::fail(ErrorCode::plugin_failure, "no plug-in");
  });
  EXPECT_TRUE(jit.compile({}).empty());
}

TEST_F(JitTest, CompilationsAreInTheTrace) {
  core::Listeners listeners;
  const auto& trace =
      dynamic_cast<core::Trace&>(*listeners.emplace_back(std::make_unique<core::Trace>()));
  auto traced = options();
  traced.listeners = &listeners;
  make(traced)->compile({{loop()}});
  std::string text;
  text = core::trace_as_json({trace.events(0)}, trace.dropped());
  EXPECT_THAT(text, HasSubstr("compile"));
}

TEST_F(JitTest, OnlyWhatMemoryHasNoAnswerToIsMissing) {
  const auto jit = make();
  const std::vector<LoopRequest> chain{loop(1), loop(2), loop(1)};
  EXPECT_EQ(jit->missing(chain).size(), 2U);
  jit->compile({{loop(2)}});
  const auto missing = jit->missing(chain);
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].nest, loop(1).nest);
}

/// Whether the next call compiles again after this error.
bool is_tried_again(Jit& jit, const LoopRequest& request, ErrorCode code) {
  jit.keep({{request}}, {{nullptr, Error(code, "wrong")}});
  EXPECT_EQ(jit.in_memory({{request}})[0].error->code(), code);
  return !jit.missing({{request}}).empty();
}

TEST_F(JitTest, ErrorsOfTheMachineAreForgottenAndThoseOfASourceStay) {
  const auto jit = make();
  EXPECT_TRUE(is_tried_again(*jit, loop(), ErrorCode::plugin_failure));
  EXPECT_TRUE(is_tried_again(*jit, loop(), ErrorCode::out_of_memory));
  EXPECT_TRUE(is_tried_again(*jit, loop(), ErrorCode::compiler_crash));
  EXPECT_FALSE(is_tried_again(*jit, loop(), ErrorCode::kernel_source));
  EXPECT_FALSE(is_tried_again(*jit, loop(), ErrorCode::kernel_signature));
  EXPECT_FALSE(is_tried_again(*jit, loop(), ErrorCode::kernel_limits));
}

/// A device whose compiler knows little, beside a CPU whose compiler reads kernels.
struct ReaderTest : JitTest {
  std::shared_ptr<test::FakeTarget> device = std::make_shared<test::FakeTarget>("device");
  std::unique_ptr<Jit> host = make();

  static Diagnostic error_in_line(int line, const std::string& text) {
    return {.file = "k", .line = line, .column = 1, .text = text, .source_line = "", .subject = ""};
  }
  void host_says(CompileStatus status, std::vector<Diagnostic> messages) {
    backend->read.emplace();
    backend->read->status = status;
    backend->read->message = "it has another signature";
    backend->read->diagnostics = std::move(messages);
  }
  std::string error() {
    JitOptions with_reader = options();
    with_reader.cache.mode = core::CacheMode::off;
    with_reader.reader = host.get();
    const std::function<std::shared_ptr<Target>()> load = [this] { return device; };
    const LoopCode code = Jit(std::move(with_reader), log, load).compile({{loop()}})[0];
    return code.error ? code.error->what() : "";
  }
};

TEST_F(ReaderTest, ExplainsErrorsThatBothCompilersFind) {
  device->errors = {error_in_line(2, "expected something")};
  host_says(CompileStatus::rejected, {error_in_line(2, "use of undeclared identifier")});
  EXPECT_THAT(error(), HasSubstr("use of undeclared identifier"));
  host_says(CompileStatus::rejected, {error_in_line(1, "unknown 'atomicAdd'")});
  EXPECT_THAT(error(), HasSubstr("expected something"));
  host_says(CompileStatus::wrong_signature, {});
  EXPECT_THAT(error(), HasSubstr("OP2-E102 loop 'loop' (main.cpp:7): it has another signature"));
  host_says(CompileStatus::unavailable, {});
  EXPECT_THAT(error(), HasSubstr("expected something"));
}

TEST_F(ReaderTest, RefusesOnlyWhatNoKernelShouldContain) {
  host_says(CompileStatus::rejected, {error_in_line(1, "unknown 'atomicAdd'")});
  EXPECT_EQ(error(), "");
  host_says(CompileStatus::rejected, {error_in_line(1, allocates)});
  EXPECT_THAT(error(), HasSubstr("a kernel must not allocate"));
}

// Cache, memory and sharing treat every target alike, and never mix their code.

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
  const LoopCode outcome = one.jit.compile({{loop}})[0];
  ASSERT_NE(outcome.code, nullptr);
  EXPECT_EQ(outcome.code->target, "device");
  EXPECT_EQ(outcome.code->symbol, "start");
  EXPECT_NE(outcome.code->entry, nullptr);
}

TEST_F(TargetTest, AnotherProcessOfTheTargetFindsItOnDisk) {
  one.jit.compile({{loop}});
  EXPECT_TRUE(same.jit.compile({{loop}})[0].code->from_disk);
  EXPECT_EQ(same.target->compilations, 0);
  EXPECT_EQ(same.target->loads, 1);
}

TEST_F(TargetTest, AnotherTargetDoesNotTakeItFromDisk) {
  one.jit.compile({{loop}});
  EXPECT_FALSE(other.jit.compile({{loop}})[0].code->from_disk);
  EXPECT_EQ(other.target->compilations, 1);
}

TEST_F(TargetTest, CodeIsSharedWithinATarget) {
  const auto code = serialize(one.jit.make({{loop}}));
  EXPECT_EQ(one.jit.target(), same.jit.target());
  EXPECT_TRUE(same.jit.adopt({{loop}}, code)[0].code->received);
}

TEST_F(TargetTest, CodeOfAnotherTargetIsNotAdopted) {
  const auto code = serialize(one.jit.make({{loop}}));
  EXPECT_NE(one.jit.target(), other.jit.target());
  const std::vector<LoopCode> adopted = other.jit.adopt({{loop}}, code);
  EXPECT_THAT(adopted[0].error->what(), HasSubstr("another loop, machine or library"));
}

TEST_F(TargetTest, ItsSourceIsShown) {
  EXPECT_EQ(one.jit.compiled_source(loop.nest), "run k");
}

TEST_F(TargetTest, TheCpuRunsNoCodeOfAnotherTarget) {
  EXPECT_THROW(range_of(*one.jit.compile({{loop}})[0].code), Error);
}

}  // namespace
}  // namespace op2::jit
