// SPDX-License-Identifier: BSD-3-Clause
#include <jit/remote/remote_backend.hpp>

#include <algorithm>
#include <functional>
#include <system_error>

#include <fmt/format.h>

#include <jit/plugin_loader.hpp>
#include <jit/plugin_version.hpp>
#include <jit/trusted_path.hpp>

namespace op2::jit {
namespace {

namespace fs = std::filesystem;

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

CompileResult late_worker(std::chrono::milliseconds patience) {
  CompileResult result;
  result.status = CompileStatus::over_limit;
  result.message = fmt::format(
      "the process that compiles it has not answered for {} s, ten times the CPU time that it may "
      "take, and stands still",
      std::chrono::duration<double>(patience).count());
  return result;
}

CompileResult lost_worker() {
  CompileResult result;
  result.message =
      "the process that compiled it has disappeared: it was killed, or the machine is "
      "short of memory";
  return result;
}

}  // namespace

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
  return std::min(start_patience, settings_.patience);
}

/// A helper that has been killed, or stands still, is replaced once.
RemoteBackend::Worker RemoteBackend::new_worker() {
  for (int attempt = 0; attempt < 2 && has_helper(); ++attempt) {
    if (Descriptor socket = helper_->new_worker(start_time())) return {std::move(socket), {}};
    helper_ = nullptr;
  }
  if (!is_refused_) refuse("it cannot start processes", advice_for(settings_.helper));
  return {};
}

RemoteBackend::Worker RemoteBackend::take_worker(const std::vector<std::size_t>& sources) {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return new_worker();
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
bool RemoteBackend::starts(const Descriptor& worker, const Message& question) const {
  set_patience(worker, start_time());
  const Received answer = send_message(worker, question) ? receive_message(worker) : Received();
  set_patience(worker, settings_.patience);
  return answer && answer->kind == MessageKind::started;
}

RemoteBackend::Reply RemoteBackend::ask(MessageKind kind, const CompileRequest& request) {
  const Message question{kind, to_bytes(request)};
  const std::vector<std::size_t> sources = hashes_of(request);
  Worker worker = take_worker(sources);
  while (worker.socket && !starts(worker.socket, question))  // it was killed before
    worker = take_worker(sources);
  if (!worker.socket) return {false, {}};
  Reply reply{true, receive_message(worker.socket)};
  worker.sources.insert(sources.begin(), sources.end());
  if (reply.answer && reply.answer->kind == MessageKind::result) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }
  return reply;
}

CompileResult RemoteBackend::compile(const CompileRequest& request) {
  const Reply reply = ask(MessageKind::compile, request);
  if (!reply.has_worker) return local_->compile(request);
  if (reply.answer.is_late) return late_worker(settings_.patience);
  auto result = reply.answer ? from_bytes<CompileResult>(reply.answer->content) : std::nullopt;
  return result ? std::move(*result) : lost_worker();
}

std::shared_ptr<Backend> load_remote_backend(const std::string& plugin_dir, const std::string& cpu,
                                             const CompileLimit& limit, core::Log& log) {
  Plugin plugin = load_plugin(plugin_dir, cpu);
  return std::make_shared<RemoteBackend>(
      std::move(plugin.backend),
      RemoteSettings{plugin.file.parent_path() / helper_name, plugin.file, cpu, limit}, log);
}

}  // namespace op2::jit
