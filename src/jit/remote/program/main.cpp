// SPDX-License-Identifier: BSD-3-Clause
// op2-compile: compiles kernels for a program that starts it, with which it talks over its standard
// input. It loads the compiler once, and forks a process for each socket that the program sends.
#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>

#include <jit/backend.hpp>
#include <jit/plugin_version.hpp>
#include <jit/remote/messages.hpp>
#include <jit/remote/program/worker.hpp>

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
