// SPDX-License-Identifier: BSD-3-Clause
#include <jit/remote/program/worker.hpp>

#include <unistd.h>

#include <atomic>
#include <system_error>

#include <jit/remote/messages.hpp>
#include <jit/remote/program/limit_watch.hpp>

namespace op2::jit {
namespace {

/// Sends the answer to one request, whichever thread has it first.
class Answer {
 public:
  explicit Answer(const FileDescriptor& socket) : socket_(socket) {}

  void send(const CompileResult& result, bool is_last) {
    if (is_given_.exchange(true)) return;
    send_message(socket_,
                 {is_last ? MessageKind::last_result : MessageKind::result, to_bytes(result)});
  }

 private:
  const FileDescriptor& socket_;
  std::atomic<bool> is_given_ = false;
};

CompileResult too_expensive(const std::string& what) {
  CompileResult result;
  result.status = CompileStatus::over_limit;
  result.message = what;
  return result;
}

/// After a crash, what the compiler left behind cannot be trusted. Memory that a large kernel took
/// may not all be returned, and must not count for the next one.
bool is_spent(const CompileResult& result, const CompileLimit& limit) {
  return result.status == CompileStatus::crashed ||
         use_of_process().memory_bytes > limit.memory_bytes / 4;
}

/// @return whether the worker can go on
bool serve_one(const FileDescriptor& socket, const CompileRequest& request, Backend& backend,
               const CompileLimit& limit) {
  Answer answer(socket);
  CompileResult result;
  try {
    const LimitWatch watch(limit, [&](const std::string& what) {
      answer.send(too_expensive(what), true);
      _exit(0);  // the other thread is still compiling
    });
    result = backend.compile(request);
  } catch (const std::system_error& refusal) {
    result.status = CompileStatus::no_thread;
    result.message = refusal.code().message();
  }
  const bool is_last = is_spent(result, limit);
  answer.send(result, is_last);
  return !is_last;
}

}  // namespace

void serve(const FileDescriptor& socket, Backend& backend, const CompileLimit& limit) {
  if (!send_message(socket, {MessageKind::ready, {}})) return;
  while (const auto message = receive_message(socket)) {
    const auto request = from_bytes<CompileRequest>(message->content);
    if (!request || !send_message(socket, {MessageKind::started, {}}) ||
        !serve_one(socket, *request, backend, limit))
      return;
  }
}

}  // namespace op2::jit
