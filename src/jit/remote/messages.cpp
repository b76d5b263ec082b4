// SPDX-License-Identifier: BSD-3-Clause
#include <jit/remote/messages.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <core/signals.hpp>

namespace op2::jit {
namespace {

using core::uninterrupted;

/// What precedes the content; both processes run on one machine.
struct Header {
  std::uint64_t kind = 0;
  std::uint64_t bytes = 0;
};

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;

bool send_all(int socket, const std::byte* data, std::size_t size) {
  while (size > 0) {
    const auto sent = uninterrupted([&] { return send(socket, data, size, MSG_NOSIGNAL); });
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

enum class Arrival { whole, late, never };

Arrival receive_all(int socket, std::byte* data, std::size_t size) {
  while (size > 0) {
    const auto got = uninterrupted([&] { return recv(socket, data, size, 0); });
    if (got < 0 && errno == EAGAIN) return Arrival::late;
    if (got <= 0) return Arrival::never;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return Arrival::whole;
}

/// A message of one byte with room for a descriptor.
struct OneByte {
  OneByte() {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  OneByte(const OneByte&) = delete;

  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
};

/// The same file above the standard streams, to which a program may write anything.
FileDescriptor above_streams(int number) {
  const FileDescriptor low(number);
  return FileDescriptor(fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

}  // namespace

SocketPair make_sockets() {
  int numbers[2];
  SocketPair pair;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, numbers) != 0) return pair;
  pair.ours = above_streams(numbers[0]);
  pair.theirs = above_streams(numbers[1]);
  return pair;
}

bool send_message(const FileDescriptor& socket, const Message& message) {
  const Header header{static_cast<std::uint64_t>(message.kind), message.content.size()};
  return send_all(socket.get(), reinterpret_cast<const std::byte*>(&header), sizeof header) &&
         send_all(socket.get(), message.content.data(), message.content.size());
}

void set_timeout(const FileDescriptor& socket, std::chrono::milliseconds timeout) {
  const auto microseconds = std::chrono::microseconds(timeout).count();
  const timeval time{microseconds / 1'000'000, microseconds % 1'000'000};
  for (const int direction : {SO_RCVTIMEO, SO_SNDTIMEO})
    setsockopt(socket.get(), SOL_SOCKET, direction, &time, sizeof time);
}

Received receive_message(const FileDescriptor& socket) {
  Header header;
  Arrival arrival = receive_all(socket.get(), reinterpret_cast<std::byte*>(&header), sizeof header);
  if (arrival != Arrival::whole || header.bytes > most_bytes)
    return {.is_late = arrival == Arrival::late};
  Message message{static_cast<MessageKind>(header.kind), std::vector<std::byte>(header.bytes)};
  arrival = receive_all(socket.get(), message.content.data(), message.content.size());
  if (arrival != Arrival::whole) return {.is_late = arrival == Arrival::late};
  return {std::move(message)};
}

bool send_descriptor(const FileDescriptor& socket, const FileDescriptor& sent) {
  OneByte one;
  cmsghdr* const header = CMSG_FIRSTHDR(&one.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int number = sent.get();
  std::memcpy(CMSG_DATA(header), &number, sizeof number);
  return uninterrupted([&] { return sendmsg(socket.get(), &one.message, MSG_NOSIGNAL); }) == 1;
}

std::optional<FileDescriptor> receive_descriptor(const FileDescriptor& socket) {
  OneByte one;
  const auto got =
      uninterrupted([&] { return recvmsg(socket.get(), &one.message, MSG_CMSG_CLOEXEC); });
  const cmsghdr* const header = got == 1 ? CMSG_FIRSTHDR(&one.message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return {};
  int number = -1;
  std::memcpy(&number, CMSG_DATA(header), sizeof number);
  return FileDescriptor(number);
}

}  // namespace op2::jit
