// SPDX-License-Identifier: BSD-3-Clause
// Messages between the program and the processes that compile for it, over sockets of one machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <jit/backend.hpp>
#include <jit/byte_stream.hpp>
#include <jit/file_descriptor.hpp>
#include <jit/loop_nest.hpp>

namespace op2::jit {

/// Two connected sockets, which no program that is started inherits, and neither of which is one of
/// the standard streams. Empty if the system has none left; then errno says why.
struct SocketPair {
  FileDescriptor ours{}, theirs{};
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
void set_timeout(const FileDescriptor& socket, std::chrono::milliseconds timeout);

/// @return false, with the reason in errno, if the process at the other end is gone or stands still
bool send_message(const FileDescriptor& socket, const Message& message);

/// Waits for a message. @return nothing if the process at the other end is gone or stands still
Received receive_message(const FileDescriptor& socket);

/// Gives another process a copy of a descriptor. @return false if that process is gone
bool send_descriptor(const FileDescriptor& socket, const FileDescriptor& sent);

/// @return nothing if the process at the other end is gone
std::optional<FileDescriptor> receive_descriptor(const FileDescriptor& socket);

// What the program and the processes that compile for it tell each other, as bytes. Both are of one
// build, which the greeting makes sure.

/// The program's first message.
struct Greeting {
  std::string version;  ///< `plugin_version`
  std::string plugin;   ///< file to load
  std::string cpu;      ///< as for BackendFactory
  CompileLimit limit;
  bool operator==(const Greeting&) const = default;
};

void fields(auto& stream, Is<TargetInfo> auto& target) {
  stream.values(target.triple, target.cpu, target.features, target.compiler, target.vector_bytes,
                target.vector_math);
}

void fields(auto& stream, Is<CompileLimit> auto& limit) {
  stream.values(limit.seconds, limit.memory_bytes);
}

void fields(auto& stream, Is<Greeting> auto& greeting) {
  stream.values(greeting.version, greeting.plugin, greeting.cpu, greeting.limit);
}

void fields(auto& stream, Is<ArgShape> auto& arg) {
  stream.values(arg.kind, arg.access, arg.type, arg.active, arg.dim, arg.dat, arg.map, arg.column,
                arg.arity, arg.padding, arg.extreme);
}

void fields(auto& stream, Is<ParameterShape> auto& shape) {
  stream.values(shape.arg, shape.rows);
}

void fields(auto& stream, Is<IncludedFile> auto& file) {
  stream.values(file.name, file.text);
}

void fields(auto& stream, Is<CompileUnit> auto& unit) {
  stream.values(unit.kernel, unit.source, unit.parameters, unit.includes, unit.any_const,
                unit.compare_access);
}

void fields(auto& stream, Is<Sanitizers> auto& sanitizers) {
  stream.values(sanitizers.address, sanitizers.undefined, sanitizers.thread);
}

void fields(auto& stream, Is<CompileRequest> auto& request) {
  stream.values(request.units, request.symbol, request.blocks, request.width, request.must_gain,
                request.traps, request.vector_math, request.consistent_math, request.sanitizers,
                request.only_facts);
}

void fields(auto& stream, Is<Diagnostic> auto& message) {
  stream.values(message.severity, message.kind, message.file, message.line, message.column,
                message.text, message.source_line, message.subject, message.unit);
}

void fields(auto& stream, Is<CompileResult> auto& result) {
  stream.values(result.status, result.message, result.unit, result.diagnostics, result.signatures,
                result.object, result.ir, result.assembly, result.scalar, result.findings,
                result.facts, result.flops, result.parsed, result.seconds);
}

template <class Value>
std::vector<std::byte> to_bytes(const Value& value) {
  Writer out;
  out.values(value);
  return std::move(out.bytes());
}

/// @return nothing if the bytes are not those of such a value
template <class Value>
std::optional<Value> from_bytes(Bytes bytes) {
  Reader in(bytes);
  Value value{};
  in.values(value);
  return in.consumed() ? std::optional<Value>(std::move(value)) : std::nullopt;
}

}  // namespace op2::jit
