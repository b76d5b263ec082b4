// SPDX-License-Identifier: BSD-3-Clause
#include <jit/cache_format.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include <fmt/core.h>

#include <core/hash.hpp>
#include <jit/byte_stream.hpp>
#include <jit/cache_key.hpp>

namespace op2::jit {

namespace {

constexpr std::string_view magic = "OP2JIT\r\n";
constexpr std::size_t checksum_offset = 56;
constexpr std::size_t prologue_bytes = 88;

struct Prologue {
  std::uint32_t version = 0;
  std::uint32_t header_bytes = 0;
  std::uint64_t payload_bytes = 0;
  Key key{};
};

core::Digest checksum_of(Bytes file) {
  return core::Hasher()
      .bytes(file.first(checksum_offset))
      .bytes(file.subspan(prologue_bytes))
      .finish();
}

bool checksum_holds(Bytes file) {
  const core::Digest digest = checksum_of(file);
  return std::memcmp(digest.data(), file.data() + checksum_offset, digest.size()) == 0;
}

void write_prologue(Writer& out, const Prologue& prologue) {
  out.raw(std::as_bytes(std::span(magic)));
  out.integer(prologue.version);
  out.integer(prologue.header_bytes);
  out.integer(prologue.payload_bytes);
  out.raw(std::as_bytes(std::span(prologue.key)));
  out.raw(std::array<std::byte, prologue_bytes - checksum_offset>{});
}

Prologue read_prologue(Bytes file) {
  Reader in(file.subspan(magic.size()));
  Prologue prologue;
  prologue.version = in.integer<std::uint32_t>();
  prologue.header_bytes = in.integer<std::uint32_t>();
  prologue.payload_bytes = in.integer<std::uint64_t>();
  std::memcpy(prologue.key.data(), in.raw(prologue.key.size()).data(), prologue.key.size());
  return prologue;
}

std::vector<std::byte> bytes_of(const std::vector<ConstantUse>& constants) {
  Writer out;
  for (const ConstantUse& constant : constants) {
    out.integer(static_cast<std::uint32_t>(constant.call));
    out.text(constant.name);
  }
  return std::move(out.bytes());
}

/// @return false if the bytes end within one
bool read_constants(Bytes bytes, std::vector<ConstantUse>& constants) {
  Reader in(bytes);
  while (!in.is_empty()) {
    ConstantUse& constant = constants.emplace_back();
    constant.call = static_cast<std::int32_t>(in.integer<std::uint32_t>());
    constant.name = in.text();
  }
  return in.consumed();
}

std::vector<std::byte> bytes_of(const std::vector<AccessFinding>& findings) {
  Writer out;
  for (const AccessFinding& finding : findings) {
    out.integer(static_cast<std::uint32_t>(finding.call));
    out.integer(static_cast<std::uint32_t>(finding.argument));
    out.integer(static_cast<std::uint32_t>(finding.is_omission));
    out.text(finding.what);
    out.text(finding.advice);
    out.text(finding.file);
    out.integer(static_cast<std::uint32_t>(finding.line));
    out.integer(static_cast<std::uint32_t>(finding.column));
    out.text(finding.source_line);
  }
  return std::move(out.bytes());
}

/// @return false if the bytes end within one
bool read_findings(Bytes bytes, std::vector<AccessFinding>& findings) {
  Reader in(bytes);
  while (!in.is_empty()) {
    AccessFinding& finding = findings.emplace_back();
    finding.call = static_cast<std::int32_t>(in.integer<std::uint32_t>());
    finding.argument = static_cast<std::int32_t>(in.integer<std::uint32_t>());
    finding.is_omission = static_cast<std::int32_t>(in.integer<std::uint32_t>());
    finding.what = in.text();
    finding.advice = in.text();
    finding.file = in.text();
    finding.line = static_cast<std::int32_t>(in.integer<std::uint32_t>());
    finding.column = static_cast<std::int32_t>(in.integer<std::uint32_t>());
    finding.source_line = in.text();
  }
  return in.consumed();
}

void write_simd(Writer& out, const SimdChoice& simd) {
  out.integer(static_cast<std::uint32_t>(simd.width));
  out.integer(static_cast<std::uint32_t>(simd.reason));
  out.integer(static_cast<std::uint32_t>(simd.argument));
  out.integer(static_cast<std::uint64_t>(simd.amount));
  out.integer(static_cast<std::uint64_t>(simd.limit));
  out.text(simd.detail);
}

/// @return false if the stored reason does not exist
bool read_simd(Reader& in, SimdChoice& simd) {
  simd.width = static_cast<std::int32_t>(in.integer<std::uint32_t>());
  const auto reason = in.integer<std::uint32_t>();
  if (reason >= scalar_reason_count) return false;
  simd.reason = static_cast<ScalarReason>(reason);
  simd.argument = static_cast<std::int32_t>(in.integer<std::uint32_t>());
  simd.amount = static_cast<std::int64_t>(in.integer<std::uint64_t>());
  simd.limit = static_cast<std::int64_t>(in.integer<std::uint64_t>());
  simd.detail = in.text();
  return true;
}

void write_header(Writer& out, const CacheEntry& entry) {
  for (const KeyField& field : key_fields) out.text(entry.key.*field.value);
  out.text(entry.symbol);
  out.text(entry.signature);
  out.block(bytes_of(entry.constants));
  out.text(entry.loop);
  write_simd(out, entry.simd);
  out.block(bytes_of(entry.findings));
  out.integer(std::bit_cast<std::uint64_t>(entry.compile_seconds));
  out.integer(static_cast<std::uint64_t>(entry.created));
}

bool read_header(Bytes header, CacheEntry& entry) {
  Reader in(header);
  for (const KeyField& field : key_fields) entry.key.*field.value = in.text();
  entry.symbol = in.text();
  entry.signature = in.text();
  if (!read_constants(in.block(), entry.constants)) return false;
  entry.loop = in.text();
  if (!read_simd(in, entry.simd)) return false;
  if (!read_findings(in.block(), entry.findings)) return false;
  entry.compile_seconds = std::bit_cast<double>(in.integer<std::uint64_t>());
  entry.created = static_cast<std::int64_t>(in.integer<std::uint64_t>());
  return in.consumed();
}

void write_payload(Writer& out, const CacheEntry& entry) {
  out.text(entry.source);
  out.text(entry.ir);
  out.text(entry.assembly);
  out.block(entry.object);
}

bool read_payload(Bytes payload, CacheEntry& entry) {
  Reader in(payload);
  entry.source = in.text();
  entry.ir = in.text();
  entry.assembly = in.text();
  const Bytes object = in.block();
  entry.object.assign(object.begin(), object.end());
  return in.consumed();
}

/// Why the 88 bytes and the file around them cannot be trusted; empty if they can.
std::string fault_of(Bytes file, const Prologue& prologue) {
  const std::uint64_t rest = file.size() - prologue_bytes;
  if (prologue.header_bytes > rest || prologue.payload_bytes != rest - prologue.header_bytes)
    return fmt::format("length: the file has {} bytes, its prologue says {} + {} + {}", file.size(),
                       prologue_bytes, prologue.header_bytes, prologue.payload_bytes);
  if (!checksum_holds(file)) return "checksum: the content has changed";
  return {};
}

}  // namespace

std::vector<std::byte> serialise(const Key& key, const CacheEntry& entry) {
  Writer header, payload, file;
  write_header(header, entry);
  write_payload(payload, entry);
  write_prologue(file, {.version = cache_format_version,
                        .header_bytes = static_cast<std::uint32_t>(header.bytes().size()),
                        .payload_bytes = payload.bytes().size(),
                        .key = key});
  file.raw(header.bytes());
  file.raw(payload.bytes());
  const core::Digest digest = checksum_of(file.bytes());
  std::memcpy(file.bytes().data() + checksum_offset, digest.data(), digest.size());
  return std::move(file.bytes());
}

ParsedEntry parse_entry(Bytes file) {
  ParsedEntry parsed;
  const auto refuse = [&](EntryState state, std::string reason) {
    parsed.state = state;
    parsed.reason = std::move(reason);
    return parsed;
  };
  if (file.size() < prologue_bytes)
    return refuse(EntryState::bad, fmt::format("length: the file has only {} bytes", file.size()));
  if (std::memcmp(file.data(), magic.data(), magic.size()) != 0)
    return refuse(EntryState::bad, "magic: this is not an entry of the cache");
  const Prologue prologue = read_prologue(file);
  parsed.key = prologue.key;
  if (std::string fault = fault_of(file, prologue); !fault.empty())
    return refuse(EntryState::bad, std::move(fault));
  if (prologue.version != cache_format_version)
    return refuse(EntryState::other_version,
                  fmt::format("version: the entry has format {}, this program reads {}",
                              prologue.version, cache_format_version));
  const Bytes body = file.subspan(prologue_bytes);
  if (!read_header(body.first(prologue.header_bytes), parsed.entry) ||
      !read_payload(body.subspan(prologue.header_bytes), parsed.entry))
    return refuse(EntryState::bad, "sections: their lengths contradict the length of the file");
  if (make_key(parsed.entry.key) != parsed.key)
    return refuse(EntryState::bad, "key: it is not the hash of the stored fields");
  parsed.state = EntryState::good;
  return parsed;
}

}  // namespace op2::jit
