// SPDX-License-Identifier: BSD-3-Clause
#include <jit/remote/messages.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <concepts>
#include <cstring>
#include <type_traits>

#include <core/signals.hpp>
#include <jit/kernel_facts.hpp>

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

std::vector<std::byte> written(const auto& value) {
  Writer out;
  fields(out, value);
  return std::move(out.bytes());
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

/// Values of `Plain`, const for a Writer.
template <class Value, class Plain>
concept Is = std::same_as<std::remove_const_t<Value>, Plain>;

/// An enumeration or a bool as a number.
template <class Stream, class Value>
void small(Stream& stream, Value& value) {
  auto number = static_cast<std::int32_t>(value);
  stream.values(number);
  if constexpr (!std::is_const_v<Value>) value = static_cast<Value>(number);
}

template <class Stream>
void fields(Stream& stream, std::string& text) {
  stream.values(text);
}
template <class Stream>
void fields(Stream& stream, const std::string& text) {
  stream.values(text);
}

template <class Stream, Is<TargetInfo> Target>
void fields(Stream& stream, Target& target) {
  stream.values(target.triple, target.cpu, target.features, target.compiler, target.vector_bytes,
                target.vector_math);
}

template <class Stream, Is<CompileLimit> Limit>
void fields(Stream& stream, Limit& limit) {
  stream.values(limit.seconds, limit.memory_bytes);
}

template <class Stream, Is<Greeting> Value>
void fields(Stream& stream, Value& greeting) {
  stream.values(greeting.version, greeting.plugin, greeting.cpu);
  fields(stream, greeting.limit);
}

template <class Stream, Is<ParameterShape> Shape>
void fields(Stream& stream, Shape& shape) {
  auto& arg = shape.arg;
  small(stream, arg.kind);
  small(stream, arg.access);
  small(stream, arg.type);
  small(stream, arg.active);
  stream.values(arg.dim, arg.dat, arg.map, arg.column, arg.arity, arg.padding, arg.extreme,
                shape.rows);
}

template <class Stream, Is<IncludedFile> File>
void fields(Stream& stream, File& file) {
  stream.values(file.name, file.text);
}

template <class Stream, Is<CompileUnit> Unit>
void fields(Stream& stream, Unit& unit) {
  stream.values(unit.kernel, unit.source, unit.parameters, unit.includes);
  small(stream, unit.any_const);
  small(stream, unit.compare_access);
}

template <class Stream, Is<CompileRequest> Request>
void fields(Stream& stream, Request& request) {
  stream.values(request.units, request.symbol, request.blocks, request.width);
  small(stream, request.must_gain);
  small(stream, request.traps);
  small(stream, request.vector_math);
  small(stream, request.consistent_math);
  small(stream, request.sanitizers.address);
  small(stream, request.sanitizers.undefined);
  small(stream, request.sanitizers.thread);
  small(stream, request.only_facts);
}

template <class Stream, Is<Diagnostic> Message>
void fields(Stream& stream, Message& message) {
  small(stream, message.severity);
  small(stream, message.kind);
  stream.values(message.file, message.line, message.column, message.text, message.source_line,
                message.subject, message.unit);
}

template <class Stream, Is<CompileResult> Result>
void fields(Stream& stream, Result& result) {
  small(stream, result.status);
  stream.values(result.message, result.unit, result.diagnostics, result.signatures, result.object,
                result.ir, result.assembly);
  fields(stream, result.scalar);
  stream.values(result.findings, result.facts, result.flops, result.parsed, result.seconds);
}

std::vector<std::byte> to_bytes(const Greeting& greeting) {
  return written(greeting);
}
std::vector<std::byte> to_bytes(const TargetInfo& target) {
  return written(target);
}
std::vector<std::byte> to_bytes(const CompileRequest& request) {
  return written(request);
}
std::vector<std::byte> to_bytes(const CompileResult& result) {
  return written(result);
}
std::vector<std::byte> to_bytes(const std::string& text) {
  return written(text);
}

template <class Value>
std::optional<Value> from_bytes(Bytes bytes) {
  Reader in(bytes);
  Value value{};
  fields(in, value);
  return in.consumed() ? std::optional<Value>(std::move(value)) : std::nullopt;
}
template std::optional<Greeting> from_bytes(Bytes);
template std::optional<TargetInfo> from_bytes(Bytes);
template std::optional<CompileRequest> from_bytes(Bytes);
template std::optional<CompileResult> from_bytes(Bytes);
template std::optional<std::string> from_bytes(Bytes);

}  // namespace op2::jit
