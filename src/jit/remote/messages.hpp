// SPDX-License-Identifier: BSD-3-Clause
// Messages between the program and the processes that compile for it, over sockets of one machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace op2::jit {

/// A file descriptor; closed when destroyed.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// Two connected sockets, which no program that is started inherits, and neither of which is one of
/// the standard streams. Empty if the system has none left; then errno says why.
struct SocketPair {
  Descriptor ours{}, theirs{};
  explicit operator bool() const { return ours && theirs; }
};
SocketPair make_sockets();

enum class MessageKind : std::uint32_t {
  greeting,    ///< the first one, to the helper
  ready,       ///< the helper, or a worker, waits for requests
  refused,     ///< the helper cannot serve; the content is the reason
  compile,     ///< a request to a worker
  started,     ///< a worker has a request; if it ends now, that may be the kernel's fault
  result,      ///< of a request
  last_result  ///< the same; the worker ends now
};

struct Message {
  MessageKind kind = MessageKind::greeting;
  std::vector<std::byte> content;
};

/// What `receive_message` returns.
struct Received {
  std::optional<Message> message{};
  bool is_late = false;  ///< the process at the other end may still live
  explicit operator bool() const { return message.has_value(); }
  const Message* operator->() const { return &*message; }
};

/// How long sending to and receiving from the process at the other end may stand still; without a
/// call, for ever.
void set_patience(const Descriptor& socket, std::chrono::milliseconds patience);

/// @return false, with the reason in errno, if the process at the other end is gone or stands still
bool send_message(const Descriptor& socket, const Message& message);

/// Waits for a message. @return nothing if the process at the other end is gone or stands still
Received receive_message(const Descriptor& socket);

/// Gives another process a copy of a descriptor. @return false if that process is gone
bool send_descriptor(const Descriptor& socket, const Descriptor& sent);

/// @return nothing if the process at the other end is gone
std::optional<Descriptor> receive_descriptor(const Descriptor& socket);

}  // namespace op2::jit
