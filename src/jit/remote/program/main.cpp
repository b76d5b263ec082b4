// SPDX-License-Identifier: BSD-3-Clause
// op2-compile: compiles kernels for a program that starts it, with which it talks over its standard
// input. It loads the compiler once, and forks a process for each socket that the program sends.
#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include <jit/backend.hpp>
#include <jit/remote/messages.hpp>

namespace {

using namespace op2::jit;

/// Files of the program, for example sockets of its message layer, must end with the program.
void close_inherited_files() {
  constexpr unsigned first = STDERR_FILENO + 1;
  constexpr long most = 65536;
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  for (long file = first; file < std::min(sysconf(_SC_OPEN_MAX), most); ++file)
    close(static_cast<int>(file));
}

/// Null with a reason, for the user.
std::unique_ptr<Backend> load(const Greeting& greeting, std::string& reason) {
  void* library = dlopen(greeting.plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    reason = dlerror();
    return nullptr;
  }
  const auto make =
      reinterpret_cast<BackendFactory>(find_in_plugin(library, "op2_jit_backend", reason));
  return std::unique_ptr<Backend>(make ? make(greeting.cpu.c_str(), &reason) : nullptr);
}

/// Resident, at most, of this process.
std::int64_t memory_bytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return std::int64_t{use.ru_maxrss} * 1024;
}

/// What this process has used too much of since a time of `std::clock`: "more than 60 s of CPU
/// time"; empty: nothing.
std::string excess_since(std::clock_t before, const CompileLimit& limit) {
  if (std::clock() - before > limit.seconds * CLOCKS_PER_SEC)
    return fmt::format("more than {} s of CPU time", limit.seconds);
  if (memory_bytes() > limit.memory_bytes)
    return fmt::format("more than {} MiB of memory", limit.memory_bytes >> 20);
  return {};
}

/// Looks 50 times a second, on another thread, while the result exists.
/// @param exceeded  called once, by the other thread, with what was too much
/// @throws std::system_error  if there is no thread to be had
std::jthread watch_limit(const CompileLimit& limit, const auto& exceeded) {
  return std::jthread([&, before = std::clock()](const std::stop_token& over) {
    constexpr std::chrono::milliseconds period{20};
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, over, period, [&] { return over.stop_requested(); })) {
      const std::string what = excess_since(before, limit);
      if (!what.empty()) return exceeded(what);
    }
  });
}

/// After a crash, what the compiler left behind cannot be trusted. Memory that a large kernel took
/// may not all be returned, and must not count for the next one.
bool is_spent(const CompileResult& result, const CompileLimit& limit) {
  return result.status == CompileStatus::crashed || memory_bytes() > limit.memory_bytes / 4;
}

/// @return whether the worker can go on
bool serve_one(const FileDescriptor& socket, const CompileRequest& request, Backend& backend,
               const CompileLimit& limit) {
  std::atomic<bool> is_answered = false;
  const auto answer = [&](const CompileResult& result, bool is_last) {  // whichever thread is first
    if (is_answered.exchange(true)) return;
    send_message(socket,
                 {is_last ? MessageKind::last_result : MessageKind::result, to_bytes(result)});
  };
  const auto give_up = [&](const std::string& what) {
    answer(failed_compilation(CompileStatus::over_limit, what), true);
    _exit(0);  // the other thread is still compiling
  };
  CompileResult result;
  try {
    const std::jthread watch = watch_limit(limit, give_up);
    result = backend.compile(request);
  } catch (const std::system_error& refusal) {
    result = failed_compilation(CompileStatus::no_thread, refusal.code().message());
  }
  const bool is_last = is_spent(result, limit);
  answer(result, is_last);
  return !is_last;
}

/// Compiles one kernel after the other: answers requests until the program closes its end of
/// `socket`, the compiler fails, or a kernel costs more than the limit.
void serve(const FileDescriptor& socket, Backend& backend, const CompileLimit& limit) {
  if (!send_message(socket, {MessageKind::ready, {}})) return;
  while (const auto message = receive_message(socket)) {
    const auto request = from_bytes<CompileRequest>(message->content);
    if (!request || !send_message(socket, {MessageKind::started, {}}) ||
        !serve_one(socket, *request, backend, limit))
      return;
  }
}

/// Forks a worker for every socket that arrives, until the program ends.
void fork_workers(const FileDescriptor& control, Backend& backend, const CompileLimit& limit) {
  std::signal(SIGCHLD, SIG_IGN);  // nobody waits for workers
  const pid_t helper = getpid();
  while (auto socket = receive_descriptor(control)) {
    if (fork() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "op2-worker");  // in lists of processes
    close(control.get());
    if (getppid() == helper) serve(*socket, backend, limit);
    _exit(0);
  }
}

int run(const FileDescriptor& control) {
  const auto refuse = [&](const std::string& reason) {
    send_message(control, {MessageKind::refused, to_bytes(reason)});
    return 1;
  };
  const auto message = receive_message(control);
  const auto greeting = message ? from_bytes<Greeting>(message->content) : std::nullopt;
  if (!greeting || greeting->version != plugin_version())
    return refuse(std::string("it is of another version of libop2: ") + plugin_version());
  std::string reason;
  const std::unique_ptr<Backend> backend = load(*greeting, reason);
  if (backend == nullptr) return refuse(reason);
  backend->prepare();
  if (send_message(control, {MessageKind::ready, to_bytes(backend->target())}))
    fork_workers(control, *backend, greeting->limit);
  return 0;
}

}  // namespace

int main() {
  if (fork() > 0) _exit(0);  // the program need not wait for this process when it ends
  close_inherited_files();
  if (chdir("/") != 0) return 1;
  const FileDescriptor control(STDIN_FILENO);
  _exit(run(control));  // no destructors of LLVM
}
