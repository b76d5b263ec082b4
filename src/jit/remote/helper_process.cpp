// SPDX-License-Identifier: BSD-3-Clause
#include <jit/remote/helper_process.hpp>

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

namespace op2::jit {
namespace {

namespace fs = std::filesystem;

/// What the helper needs of the program's environment: nothing in a program with more privileges
/// than its user. Variables of MPI libraries, and libraries that are loaded before all others, are
/// not for it.
constexpr const char* kept_variables[] = {"ASAN_OPTIONS", "HOME", "LANG",         "LD_LIBRARY_PATH",
                                          "LC_ALL",       "PATH", "TMPDIR",       "TSAN_OPTIONS",
                                          "TZ",           "TERM", "UBSAN_OPTIONS"};

std::vector<std::string> kept_environment() {
  std::vector<std::string> kept;
  for (const char* name : kept_variables)
    if (const char* value = secure_getenv(name)) kept.push_back(fmt::format("{}={}", name, value));
  return kept;
}

/// Signals of a terminal or a batch system are for the program; those of crashes are not blocked.
sigset_t blocked_signals() {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int crash : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP})
    sigdelset(&blocked, crash);
  return blocked;
}

/// How the helper begins.
class SpawnSettings {
 public:
  explicit SpawnSettings(const Descriptor& socket) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, socket.get(), STDIN_FILENO);
    posix_spawnattr_init(&attributes);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes, &all);
    const sigset_t blocked = blocked_signals();
    posix_spawnattr_setsigmask(&attributes, &blocked);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
  }
  SpawnSettings(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

/// @param socket  becomes the standard input of the process
/// @return 0, or the number of the error
int spawn(const fs::path& file, const Descriptor& socket, pid_t& child) {
  const SpawnSettings settings(socket);
  std::string name = file.string();
  char* const arguments[] = {name.data(), nullptr};
  std::vector<std::string> environment = kept_environment();
  std::vector<char*> variables;
  for (std::string& variable : environment) variables.push_back(variable.data());
  variables.push_back(nullptr);
  return posix_spawn(&child, name.c_str(), &settings.files, &settings.attributes, arguments,
                     variables.data());
}

/// A helper continues as a child of its first process, which ends at once.
/// Nothing happens if the program has waited for it already: its number may be another's by now.
void end_first_process(pid_t child) {
  if (waitpid(child, nullptr, WNOHANG) != 0) return;
  kill(child, SIGKILL);  // it may be some other program
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

constexpr const char* no_answer = "it ends without an answer";

/// The first thing that a helper says. @return empty if it is ready for the target
std::string fault_of(const Received& answer, const TargetInfo& target) {
  if (answer.is_late)
    return fmt::format("it does not answer for {} s", start_patience.count() / 1000);
  if (!answer) return no_answer;
  if (answer->kind == MessageKind::refused)
    return from_bytes<std::string>(answer->content).value_or("it is of another version of libop2");
  const auto found = from_bytes<TargetInfo>(answer->content);
  if (answer->kind != MessageKind::ready || !found) return "it is of another version of libop2";
  return *found == target ? "" : "it has another compiler: " + found->compiler;
}

}  // namespace

std::unique_ptr<HelperProcess> HelperProcess::start(const fs::path& file, const Greeting& greeting,
                                                    const TargetInfo& target, std::string& reason) {
  SocketPair sockets = make_sockets();
  pid_t child = 0;
  const int failure = sockets ? spawn(file, sockets.theirs, child) : errno;
  if (failure != 0) {
    reason = std::strerror(failure);
    return nullptr;
  }
  sockets.theirs = Descriptor();
  set_patience(sockets.ours, start_patience);
  if (send_message(sockets.ours, {MessageKind::greeting, to_bytes(greeting)}))
    reason = fault_of(receive_message(sockets.ours), target);
  else
    reason =
        errno == EPIPE ? no_answer : fmt::format("it takes no message: {}", std::strerror(errno));
  end_first_process(child);
  if (!reason.empty()) return nullptr;
  return std::unique_ptr<HelperProcess>(new HelperProcess(std::move(sockets.ours)));
}

Descriptor HelperProcess::new_worker(std::chrono::milliseconds patience) {
  SocketPair sockets = make_sockets();
  if (!sockets || !send_descriptor(socket_, sockets.theirs)) return Descriptor();
  sockets.theirs = Descriptor();
  set_patience(sockets.ours, patience);
  const Received answer = receive_message(sockets.ours);
  return answer && answer->kind == MessageKind::ready ? std::move(sockets.ours) : Descriptor();
}

}  // namespace op2::jit
