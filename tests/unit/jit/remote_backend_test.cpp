// SPDX-License-Identifier: BSD-3-Clause
// Kernels are compiled in other processes, and what happens to these does not happen to the
// program.
#include <unit/jit/remote_support.hpp>

#include <csignal>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <jit/backend.hpp>
#include <support/stderr_capture.hpp>

namespace op2::jit::test {
namespace {

using op2::test::signal_processes;
using op2::test::StderrCapture;
using testing::AllOf;
using testing::HasSubstr;

TEST_F(RemoteBackendTest, GivesTheCodeThatTheSameCompilerGivesInThisProcess) {
  const auto backend = make();
  const auto result = backend->compile(work("*y = 3 * *x;"));
  ASSERT_EQ(result.status, CompileStatus::ok) << result.message;
  EXPECT_EQ(result.object, load()->compile(work("*y = 3 * *x;")).object);
  const auto linked = backend->link(result.object, "op2_range_work", {});
  EXPECT_EQ(run(*linked.code, 2), 6);
}

TEST_F(RemoteBackendTest, TheProgramDoesNotLoadTheCompiler) {
  const auto has_compiler = [] {
    return op2::test::content_of("/proc/self/maps").find("libclang-cpp") != std::string::npos;
  };
  if (has_compiler()) GTEST_SKIP() << "another test has loaded it";
  EXPECT_EQ(make()->compile(work("*y = *x;")).status, CompileStatus::ok);
  EXPECT_FALSE(has_compiler());
}

TEST_F(RemoteBackendTest, RejectsWithTheMessagesOfTheCompiler) {
  const auto result = make()->compile(work("*y = missing;"));
  EXPECT_EQ(result.status, CompileStatus::rejected);
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics[0].subject, "missing");
  EXPECT_EQ(result.diagnostics[0].line, 10);
}

TEST_F(RemoteBackendTest, ProvesFactsInTheOtherProcess) {
  CompileRequest asked = work("*y = *x;");
  asked.only_facts = true;
  const auto result = make()->compile(asked);
  ASSERT_EQ(result.facts.size(), 2U) << result.message;
  EXPECT_TRUE(result.facts[1].writes_all);
  EXPECT_TRUE(result.object.empty());
}

TEST_F(RemoteBackendTest, StartsNothingBeforeTheFirstKernel) {
  const auto backend = make();
  EXPECT_EQ(processes(), 0U);
}

TEST_F(RemoteBackendTest, OneHelperAndOneWorkerCompileManyKernelsInARow) {
  const auto backend = make();
  for (const char* body : {"*y = *x;", "*y = 2 * *x;", "*y = 3 * *x;"})
    EXPECT_EQ(backend->compile(work(body)).status, CompileStatus::ok);
  EXPECT_EQ(processes(), 2U);
}

TEST_F(RemoteBackendTest, TheHelperEndsWithTheBackend) {
  make()->compile(work("*y = *x;"));
  EXPECT_TRUE(wait_for_end());
}

TEST_F(RemoteBackendTest, AKernelThatTakesTooLongIsAnErrorAndTheNextOneIsCompiled) {
  limit.seconds = 1;
  limit.memory_bytes = std::int64_t{1} << 40;
  const auto backend = make();
  const auto result = backend->compile(endless_work());
  EXPECT_EQ(result.status, CompileStatus::over_limit);
  EXPECT_EQ(result.message, "more than 1 s of CPU time");
  EXPECT_EQ(backend->compile(work("*y = *x;")).status, CompileStatus::ok);
}

TEST_F(RemoteBackendTest, AKernelThatTakesTooMuchMemoryIsAnErrorAndTheNextOneIsCompiled) {
  limit.memory_bytes = std::int64_t{256} << 20;
  const auto backend = make();
  const auto result = backend->compile(endless_work());
  EXPECT_EQ(result.status, CompileStatus::over_limit);
  EXPECT_EQ(result.message, "more than 256 MiB of memory");
  EXPECT_EQ(backend->compile(work("*y = *x;")).status, CompileStatus::ok);
}

/// Three copies of the line for each function would take 1.5 GB.
TEST_F(RemoteBackendTest, ThousandsOfFunctionsOnOneLineTakeLittleMemory) {
  limit.memory_bytes = std::int64_t{512} << 20;
  CompileRequest request = work("*y = f3999(*x, 1);");
  std::string helpers;
  for (int k = 0; k < 4000; ++k)
    helpers += fmt::format("static inline double f{}(double a, double b) {{ return a * b; }} ", k);
  request.units[0].source.insert(request.units[0].source.find("static void work"), helpers);
  const auto result = make()->compile(request);
  EXPECT_EQ(result.status, CompileStatus::ok) << result.message;
}

TEST_F(RemoteBackendTest, AfterACrashOfTheCompilerTheNextKernelIsCompiled) {
  const auto backend = make();
  const auto result = backend->compile(request("#pragma clang __debug crash", {}));
  EXPECT_EQ(result.status, CompileStatus::crashed);
  EXPECT_EQ(backend->compile(work("*y = *x;")).status, CompileStatus::ok);
}

TEST_F(RemoteBackendTest, AWorkerThatIsKilledIsAnErrorOfItsKernel) {
  const auto backend = make();
  std::jthread killer([this] {
    wait_for_worker();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the helper has answered by then
    op2::test::wait_until([this] {  // the list of processes may miss one that has just begun
      signal_processes(helper, SIGKILL);
      return processes() == 0;
    });
  });
  const auto result = backend->compile(endless_work());
  killer.join();
  EXPECT_EQ(result.status, CompileStatus::crashed);
  EXPECT_THAT(result.message, HasSubstr("has disappeared"));
  EXPECT_EQ(backend->compile(work("*y = *x;")).status, CompileStatus::ok);
}

TEST_F(RemoteBackendTest, AHelperThatIsKilledBetweenKernelsIsReplaced) {
  const auto backend = make();
  backend->compile(work("*y = *x;"));
  signal_processes(helper, SIGKILL);
  ASSERT_TRUE(wait_for_end());
  EXPECT_EQ(backend->compile(work("*y = 2 * *x;")).status, CompileStatus::ok);
}

TEST_F(RemoteBackendTest, SignalsToAllProcessesOfAJobLeaveTheHelperAlone) {
  const auto backend = make();
  backend->compile(work("*y = *x;"));
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP})
    signal_processes(helper, number);
  EXPECT_EQ(backend->compile(work("*y = 2 * *x;")).status, CompileStatus::ok);
  EXPECT_EQ(processes(), 2U);
}

TEST_F(RemoteBackendTest, TheHelperKeepsNoFilesOfTheProgramOpen) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // without FD_CLOEXEC
  const auto backend = make();
  backend->compile(work("*y = *x;"));
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "waits for ever if the helper has the other end";
  close(ends[0]);
}

TEST_F(RemoteBackendTest, AllProcessesEndWithAProgramThatIsKilled) {
  const pid_t program = fork();
  if (program == 0) {
    make()->compile(endless_work());
    _exit(0);
  }
  EXPECT_TRUE(wait_for_worker());
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  EXPECT_TRUE(wait_for_end());
}

TEST_F(RemoteBackendTest, TheProgramHasNoChildToWaitFor) {
  const auto backend = make();
  backend->compile(work("*y = *x;"));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(RemoteBackendTest, KernelsThatNeedNoOtherAreCompiledAtTheSameTime) {
  const auto backend = make();
  std::jthread busy([&] { backend->compile(endless_work()); });
  ASSERT_TRUE(wait_for_worker());
  EXPECT_EQ(backend->compile(work("*y = *x;")).status, CompileStatus::ok);
  EXPECT_EQ(processes(), 3U);
  signal_processes(helper, SIGKILL);
}

TEST_F(RemoteBackendTest, TheWorkerThatHasParsedAKernelCompilesItsNextLoop) {
  const auto backend = make();
  {
    std::jthread other([&] { backend->compile(loop_of("*y = *x;", "2")); });
    backend->compile(loop_of("*y = -*x;", "2"));
  }
  EXPECT_EQ(backend->compile(loop_of("*y = *x;", "3")).parsed, 1);
  EXPECT_EQ(backend->compile(loop_of("*y = -*x;", "3")).parsed, 1);
  EXPECT_EQ(backend->compile(loop_of("*y = *x;", "4")).parsed, 1);
}

/// What is logged while a kernel is compiled, which must succeed.
std::string warning_of(RemoteBackend& backend) {
  StderrCapture captured;
  for (const char* body : {"*y = *x;", "*y = 2 * *x;"})
    EXPECT_EQ(backend.compile(work(body)).status, CompileStatus::ok);
  return captured.news();
}

TEST_F(RemoteBackendTest, WithoutAHelperKernelsAreCompiledInTheProgramWithOneWarning) {
  fs::remove(helper);
  const std::string warning = warning_of(*make());
  EXPECT_THAT(warning, AllOf(HasSubstr(helper.string()), HasSubstr("No such file"),
                             HasSubstr("compiled in this process"),
                             HasSubstr("; install libop2 completely")));
  EXPECT_EQ(warning.find("op2 warning"), warning.rfind("op2 warning"));
}

TEST_F(RemoteBackendTest, AHelperThatMayNotBeStartedIsReplacedByTheProgram) {
  fs::permissions(helper, fs::perms::owner_read);
  EXPECT_THAT(warning_of(*make()), AllOf(HasSubstr("Permission denied"), HasSubstr("chmod +x")));
}

TEST_F(RemoteBackendTest, AProgramThatIsNotTheHelperIsReplacedByTheProgram) {
  fs::copy_file("/bin/false", helper, fs::copy_options::overwrite_existing);
  EXPECT_THAT(warning_of(*make()), HasSubstr("it ends without an answer"));
}

TEST_F(RemoteBackendTest, AHelperOfAnotherVersionIsRefused) {
  std::string reason;
  const Greeting greeting{"libop2 0.0.1 interface 3", "", "", limit};
  EXPECT_EQ(HelperProcess::start(helper, greeting, {}, reason), nullptr);
  EXPECT_THAT(reason, HasSubstr(std::string("another version of libop2: ") + plugin_version()));
}

TEST_F(RemoteBackendTest, AHelperWithAnotherCompilerIsRefused) {
  std::string reason;
  const Plugin plugin = load_plugin(op2::test::plugin_folder(), "");
  const Greeting greeting{plugin_version(), plugin.file.string(), "", limit};
  TargetInfo other = plugin.backend->target();
  other.compiler = "LLVM 12";
  EXPECT_EQ(HelperProcess::start(helper, greeting, other, reason), nullptr);
  EXPECT_THAT(reason, HasSubstr("it has another compiler: " + plugin.backend->target().compiler));
}

TEST_F(RemoteBackendTest, AHelperThatCannotLoadThePluginIsRefused) {
  std::string reason;
  EXPECT_EQ(HelperProcess::start(helper, {plugin_version(), "/none.so", "", limit}, {}, reason),
            nullptr);
  EXPECT_THAT(reason, HasSubstr("/none.so"));
}

}  // namespace
}  // namespace op2::jit::test
