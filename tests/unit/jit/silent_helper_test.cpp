// SPDX-License-Identifier: BSD-3-Clause
// Helpers and workers that stand still, that get no thread, or that others could have written.
#include <unit/jit/remote_support.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <jit/backend.hpp>
#include <jit/remote/messages.hpp>
#include <support/stderr_capture.hpp>

namespace {
std::atomic<bool> socket_is_full = false;
std::atomic<int> refused_questions =
    -1;  // to workers, which are as good as dead then; negative: none
}  // namespace

/// Replaces that of the system in this program.
extern "C" ssize_t send(int socket, const void* bytes, std::size_t size, int flags) {
  if (socket_is_full) {
    errno = ENOBUFS;
    return -1;
  }
  std::uint64_t kind = 0;
  if (size == 2 * sizeof kind) std::memcpy(&kind, bytes, sizeof kind);
  if (refused_questions >= 0 &&
      kind == static_cast<std::uint64_t>(op2::jit::MessageKind::compile)) {
    ++refused_questions;
    errno = EPIPE;
    return -1;
  }
  static auto* const real = reinterpret_cast<decltype(&send)>(dlsym(RTLD_NEXT, "send"));
  return real(socket, bytes, size, flags);
}

namespace op2::jit::test {
namespace {

using op2::test::signal_processes;
using testing::AllOf;
using testing::HasSubstr;

TEST_F(RemoteBackendTest, AWorkerThatStandsStillIsAnErrorOfItsKernelAndTheNextOneIsCompiled) {
  timeout = std::chrono::milliseconds(300);
  const auto backend = make();
  backend->prepare();
  std::jthread stopper([this] {
    wait_for_worker();
    for (const pid_t worker : op2::test::processes_named(helper, "op2-worker"))
      kill(worker, SIGSTOP);
  });
  const auto result = backend->compile(endless_work());
  stopper.join();
  EXPECT_EQ(result.status, CompileStatus::over_limit);
  EXPECT_THAT(result.message, AllOf(HasSubstr("not answered for 0.3 s"), HasSubstr("ten times")));
  EXPECT_EQ(backend->compile(work("*y = *x;")).status, CompileStatus::ok);
  signal_processes(helper, SIGKILL);
}

TEST_F(RemoteBackendTest, AHelperThatStandsStillIsReplaced) {
  timeout = std::chrono::milliseconds(300);
  const auto backend = make();
  backend->prepare();
  signal_processes(helper, SIGSTOP);
  EXPECT_EQ(backend->compile(work("*y = *x;")).status, CompileStatus::ok);
  signal_processes(helper, SIGKILL);
}

TEST_F(RemoteBackendTest, AWorkerThatStandsStillBetweenKernelsIsReplaced) {
  timeout = std::chrono::milliseconds(300);
  const auto backend = make();
  backend->compile(work("*y = *x;"));
  for (const pid_t worker : op2::test::processes_named(helper, "op2-worker")) kill(worker, SIGSTOP);
  EXPECT_EQ(backend->compile(work("*y = 2 * *x;")).status, CompileStatus::ok);
  signal_processes(helper, SIGKILL);
}

TEST_F(RemoteBackendTest, AKernelIsGivenUpIfNoWorkerLivesLongEnoughToStart) {
  const auto backend = make();
  refused_questions = 0;
  const auto result = backend->compile(work("*y = *x;"));
  EXPECT_EQ(refused_questions, 3);
  refused_questions = -1;
  EXPECT_EQ(result.status, CompileStatus::crashed);
  EXPECT_THAT(result.message, HasSubstr("has disappeared"));
  EXPECT_EQ(backend->compile(work("*y = *x;")).status, CompileStatus::ok);
}

TEST_F(RemoteBackendTest, AHelperThatOthersCanWriteIsNotStarted) {
  chmod(helper.c_str(), 0777);
  op2::test::StderrCapture captured;
  EXPECT_EQ(make()->compile(work("*y = *x;")).status, CompileStatus::ok);
  EXPECT_EQ(processes(), 0U);
  EXPECT_THAT(captured.news(),
              AllOf(HasSubstr("'" + helper.string() + "': owner "), HasSubstr("mode 777"),
                    HasSubstr("compiled in this process"), HasSubstr("chmod go-w")));
}

TEST_F(RemoteBackendTest, TheTimeByTheClockIsTenTimesThatOfTheProcessor) {
  EXPECT_EQ(answer_timeout_for({.seconds = 60}), std::chrono::seconds(600));
}

TEST_F(RemoteBackendTest, AHelperThatTakesNoMessageIsGivenUpAtOnce) {
  fs::remove(helper);
  std::ofstream(helper) << "#!/bin/sh\nexec sleep 100\n";
  chmod(helper.c_str(), 0755);
  std::string reason;
  socket_is_full = true;
  EXPECT_EQ(HelperProcess::start(helper, {plugin_version(), "", "", limit}, {}, reason), nullptr);
  socket_is_full = false;
  EXPECT_EQ(reason, "it takes no message: No buffer space available");
}

/// Starts the real helper without threads: its environment has no LD_PRELOAD.
/// With a library that is loaded into the helper.
struct Preloaded : RemoteBackendTest {
  CompileResult compile_with(const char* library) {
    const fs::path wrapper = helper.parent_path() / "wrapper";
    std::ofstream(wrapper) << "#!/bin/sh\nLD_PRELOAD='" << library << "' exec '" << helper.string()
                           << "'\n";
    chmod(wrapper.c_str(), 0755);
    Plugin plugin = load_plugin(op2::test::plugin_folder(), "");
    backend = std::make_unique<RemoteBackend>(std::move(plugin.backend),
                                              RemoteSettings{wrapper, plugin.file, "", limit}, log);
    return backend->compile(work("*y = *x;"));
  }

  std::unique_ptr<RemoteBackend> backend;  ///< with which its processes end
};

TEST_F(Preloaded, AWorkerThatCannotWatchItsLimitsSaysSo) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers must be loaded first, and need threads";
#endif
  const auto result = compile_with(OP2_NO_THREADS);
  EXPECT_EQ(result.status, CompileStatus::no_thread);
  EXPECT_EQ(result.message, "Resource temporarily unavailable");
  EXPECT_EQ(processes(), 2U) << "the worker goes on";
}

#if defined(OP2_OTHER_LLVM)
TEST_F(Preloaded, AnotherVersionOfLlvmThanThatOfTheBuildIsNotUsed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers must be loaded first";
#endif
  const auto result = compile_with(OP2_OTHER_LLVM);
  EXPECT_EQ(result.status, CompileStatus::unavailable);
  EXPECT_THAT(result.message, testing::HasSubstr("but LLVM 12.3.4 is loaded; remove its library"));
}
#endif

}  // namespace
}  // namespace op2::jit::test
