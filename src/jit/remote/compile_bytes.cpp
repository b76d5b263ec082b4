// SPDX-License-Identifier: BSD-3-Clause
#include <jit/remote/compile_bytes.hpp>

#include <concepts>
#include <type_traits>

#include <jit/finding_fields.hpp>

namespace op2::jit {

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

template <class Stream, Is<SimdChoice> Choice>
void fields(Stream& stream, Choice& choice) {
  small(stream, choice.reason);
  stream.values(choice.width, choice.argument, choice.amount, choice.limit, choice.detail);
}

template <class Stream, Is<CompileResult> Result>
void fields(Stream& stream, Result& result) {
  small(stream, result.status);
  stream.values(result.message, result.unit, result.diagnostics, result.signatures, result.object,
                result.ir, result.assembly);
  fields(stream, result.scalar);
  stream.values(result.findings, result.facts, result.flops, result.parsed, result.seconds);
}

namespace {

std::vector<std::byte> written(const auto& value) {
  Writer out;
  fields(out, value);
  return std::move(out.bytes());
}

}  // namespace

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
