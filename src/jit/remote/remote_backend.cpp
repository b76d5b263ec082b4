// SPDX-License-Identifier: BSD-3-Clause
#include <jit/remote/remote_backend.hpp>

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <system_error>

#include <fmt/format.h>

#include <jit/backend.hpp>
#include <jit/trusted_path.hpp>

namespace op2::jit {
namespace {

namespace fs = std::filesystem;

/// Workers that get a question, if all before have been killed.
constexpr int most_attempts = 3;

CompileResult disappeared() {
  return failed_compilation(CompileStatus::crashed,
                            "the process that compiled it has disappeared: it was killed, or the "
                            "machine is short of memory");
}

std::vector<std::size_t> hashes_of(const CompileRequest& request) {
  std::vector<std::size_t> hashes;
  for (const CompileUnit& unit : request.units)
    hashes.push_back(std::hash<std::string>()(unit.source));
  return hashes;
}

/// What to do if a helper cannot be used.
const char* advice_for(const fs::path& file) {
  std::error_code ignored;
  const fs::file_status found = fs::status(file, ignored);
  if (!fs::exists(found)) return "install libop2 completely";
  constexpr auto executable =
      fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  if ((found.permissions() & executable) == fs::perms::none)
    return "make it executable (chmod +x), or install libop2 again";
  return "install libop2 again, and allow it to start processes";
}

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
  explicit SpawnSettings(const FileDescriptor& socket) {
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
int spawn(const fs::path& file, const FileDescriptor& socket, pid_t& child) {
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
    return fmt::format("it does not answer for {} s", start_timeout.count() / 1000);
  if (!answer) return no_answer;
  if (answer->kind == MessageKind::refused)
    return from_bytes<std::string>(answer->content).value_or("it is of another version of libop2");
  const auto found = from_bytes<TargetInfo>(answer->content);
  if (answer->kind != MessageKind::ready || !found) return "it is of another version of libop2";
  if (found->compiler != target.compiler) return "it has another compiler: " + found->compiler;
  return *found == target ? ""
                          : fmt::format("it compiles for another processor: {} with {}", found->cpu,
                                        found->features);
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
  sockets.theirs = FileDescriptor();
  set_timeout(sockets.ours, start_timeout);
  if (send_message(sockets.ours, {MessageKind::greeting, to_bytes(greeting)}))
    reason = fault_of(receive_message(sockets.ours), target);
  else
    reason =
        errno == EPIPE ? no_answer : fmt::format("it takes no message: {}", std::strerror(errno));
  end_first_process(child);
  if (!reason.empty()) return nullptr;
  return std::unique_ptr<HelperProcess>(new HelperProcess(std::move(sockets.ours)));
}

FileDescriptor HelperProcess::new_worker(std::chrono::milliseconds timeout) {
  SocketPair sockets = make_sockets();
  if (!sockets || !send_descriptor(socket_, sockets.theirs)) return FileDescriptor();
  sockets.theirs = FileDescriptor();
  set_timeout(sockets.ours, timeout);
  const Received answer = receive_message(sockets.ours);
  return answer && answer->kind == MessageKind::ready ? std::move(sockets.ours) : FileDescriptor();
}

void RemoteBackend::prepare() {
  const std::lock_guard lock(mutex_);
  has_helper();
}

/// From now on this process compiles.
void RemoteBackend::refuse(const std::string& reason, const std::string& advice) {
  is_refused_ = true;
  log_.warning_once(
      "op2-compile",
      fmt::format("the helper that compiles kernels cannot be used: '{}', {}; kernels are compiled "
                  "in this process, which OP2_JIT_LIMIT does not bound; {}",
                  settings_.helper.lexically_normal().string(), reason, advice));
}

/// Starts the helper if there is none.
bool RemoteBackend::has_helper() {
  if (helper_ != nullptr || is_refused_) return helper_ != nullptr;
  const fs::path& file = settings_.helper;
  std::string reason =
      exposure_of_file(file, writers_of_code(reinterpret_cast<const void*>(&load_remote_backend)));
  if (!reason.empty()) {
    refuse(reason, advice_on_exposure);
    return false;
  }
  helper_ = HelperProcess::start(
      file, {plugin_version(), settings_.plugin.string(), settings_.cpu, settings_.limit},
      local_->target(), reason);
  if (helper_ == nullptr) refuse(reason, advice_for(file));
  return helper_ != nullptr;
}

/// For what takes milliseconds, unless the process stands still.
std::chrono::milliseconds RemoteBackend::start_time() const {
  return std::min(start_timeout, settings_.answer_timeout);
}

/// A helper that has been killed, or stands still, is replaced once.
RemoteBackend::Worker RemoteBackend::new_worker() {
  for (int attempt = 0; attempt < 2 && has_helper(); ++attempt) {
    if (FileDescriptor socket = helper_->new_worker(start_time())) return {std::move(socket), {}};
    helper_ = nullptr;
  }
  if (!is_refused_) refuse("it cannot start processes", advice_for(settings_.helper));
  return {};
}

RemoteBackend::Worker RemoteBackend::take_worker(const std::vector<std::size_t>& sources,
                                                 bool is_new) {
  const std::lock_guard lock(mutex_);
  if (idle_.empty() || is_new) return new_worker();
  const auto known = [&](const Worker& worker) {
    return std::ranges::count_if(
        sources, [&](std::size_t source) { return worker.sources.contains(source); });
  };
  const auto best = std::ranges::max_element(idle_, {}, known);
  Worker worker = std::move(*best);
  idle_.erase(best);
  return worker;
}

/// @return whether the worker has the question
bool RemoteBackend::starts(const FileDescriptor& worker, const Message& question) const {
  set_timeout(worker, start_time());
  const Received answer = send_message(worker, question) ? receive_message(worker) : Received();
  set_timeout(worker, settings_.answer_timeout);
  return answer && answer->kind == MessageKind::started;
}

CompileResult RemoteBackend::compile(const CompileRequest& request) {
  const Message question{MessageKind::compile, to_bytes(request)};
  const std::vector<std::size_t> sources = hashes_of(request);
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    Worker worker = take_worker(sources, attempt > 0);  // the one before was killed
    if (!worker.socket) return local_->compile(request);
    if (starts(worker.socket, question)) return result_of(std::move(worker), sources);
  }
  return disappeared();
}

CompileResult RemoteBackend::result_of(Worker worker, const std::vector<std::size_t>& sources) {
  const Received answer = receive_message(worker.socket);
  if (answer.is_late)
    return failed_compilation(
        CompileStatus::over_limit,
        fmt::format(
            "the process that compiles it has not answered for {} s, ten times the CPU time "
            "that it may take, and stands still",
            std::chrono::duration<double>(settings_.answer_timeout).count()));
  auto result = answer ? from_bytes<CompileResult>(answer->content) : std::nullopt;
  if (answer && answer->kind == MessageKind::result) {
    worker.sources.insert(sources.begin(), sources.end());
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }
  return result ? std::move(*result) : disappeared();
}

std::shared_ptr<Backend> load_remote_backend(const std::string& plugin_dir, const std::string& cpu,
                                             const CompileLimit& limit, core::Log& log) {
  Plugin plugin = load_plugin(plugin_dir, cpu);
  return std::make_shared<RemoteBackend>(
      std::move(plugin.backend),
      RemoteSettings{plugin.file.parent_path() / helper_name, plugin.file, cpu, limit}, log);
}

}  // namespace op2::jit
