// SPDX-License-Identifier: BSD-3-Clause
#include <jit/remote/remote_backend.hpp>

#include <system_error>

#include <fmt/format.h>

#include <jit/plugin_loader.hpp>

namespace op2::jit {
namespace {

namespace fs = std::filesystem;

/// The first file that exists, or the first of all.
fs::path first_existing(const std::vector<fs::path>& files) {
  std::error_code ignored;
  for (const fs::path& file : files)
    if (fs::exists(file, ignored)) return file;
  return files.front();
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

void RemoteBackend::warn(const fs::path& file, const std::string& reason) {
  log_.warning_once(
      "op2-compile",
      fmt::format("the helper that compiles kernels cannot be used: '{}', {}; kernels are compiled "
                  "in this process, without limits of OP2_JIT_LIMIT: install libop2 completely, "
                  "and allow it to start processes",
                  file.lexically_normal().string(), reason));
}

/// Starts the helper if there is none.
bool RemoteBackend::has_helper() {
  if (helper_ != nullptr || is_refused_) return helper_ != nullptr;
  const fs::path file = first_existing(settings_.helpers);
  std::string reason;
  helper_ = HelperProcess::start(
      file, {remote_version(), settings_.plugin.string(), settings_.cpu, settings_.limit},
      local_->target(), reason);
  if (helper_ == nullptr) {
    is_refused_ = true;
    warn(file, reason);
  }
  return helper_ != nullptr;
}

/// A helper that has been killed is replaced once.
Descriptor RemoteBackend::new_worker() {
  for (int attempt = 0; attempt < 2 && has_helper(); ++attempt) {
    if (Descriptor worker = helper_->new_worker()) return worker;
    helper_ = nullptr;
  }
  if (!is_refused_) warn(first_existing(settings_.helpers), "it cannot start processes");
  is_refused_ = true;
  return Descriptor();
}

Descriptor RemoteBackend::take_worker() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return new_worker();
  Descriptor worker = std::move(idle_.back());
  idle_.pop_back();
  return worker;
}

RemoteBackend::Reply RemoteBackend::ask(MessageKind kind, const CompileRequest& request) {
  const Message question{kind, to_bytes(request)};
  const auto starts = [&](const Descriptor& worker) {
    const auto answer = send_message(worker, question) ? receive_message(worker) : std::nullopt;
    return answer && answer->kind == MessageKind::started;
  };
  Descriptor worker = take_worker();
  while (worker && !starts(worker)) worker = take_worker();  // it was killed before
  if (!worker) return {false, {}};
  Reply reply{true, receive_message(worker)};
  if (reply.answer && reply.answer->kind == MessageKind::result) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }
  return reply;
}

CompileResult RemoteBackend::compile(const CompileRequest& request) {
  const Reply reply = ask(MessageKind::compile, request);
  if (!reply.has_worker) return local_->compile(request);
  auto result = reply.answer ? from_bytes<CompileResult>(reply.answer->content) : std::nullopt;
  return result ? std::move(*result) : lost_worker();
}

std::shared_ptr<Backend> load_remote_backend(const std::string& plugin_dir, const std::string& cpu,
                                             const CompileLimit& limit, core::Log& log) {
  Plugin plugin = load_plugin(plugin_dir, cpu);
  return std::make_shared<RemoteBackend>(
      std::move(plugin.backend),
      RemoteSettings{helper_files(plugin_dir), std::move(plugin.file), cpu, limit}, log);
}

}  // namespace op2::jit
