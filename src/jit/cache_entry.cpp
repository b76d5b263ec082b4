// SPDX-License-Identifier: BSD-3-Clause
#include <jit/cache_entry.hpp>

#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/core.h>

#include <core/hash.hpp>
#include <core/text.hpp>
#include <jit/byte_stream.hpp>

namespace op2::jit {

void fields(auto& stream, Is<ConstantUse> auto& constant) {
  stream.values(constant.call, constant.name);
}

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

void write_prologue(Writer& out, const Prologue& prologue) {
  out.raw(std::as_bytes(std::span(magic)));
  out.values(prologue.version, prologue.header_bytes, prologue.payload_bytes);
  out.raw(std::as_bytes(std::span(prologue.key)));
  out.raw(std::array<std::byte, prologue_bytes - checksum_offset>{});
}

Prologue read_prologue(Bytes file) {
  Reader in(file.subspan(magic.size()));
  Prologue prologue;
  in.values(prologue.version, prologue.header_bytes, prologue.payload_bytes);
  std::memcpy(prologue.key.data(), in.raw(prologue.key.size()).data(), prologue.key.size());
  return prologue;
}

/// Writes the header of a const entry, or reads one.
void header_fields(auto& stream, Is<CacheEntry> auto& entry) {
  for (const KeyField& field : key_fields) stream.values(entry.key.*field.value);
  stream.values(entry.symbol, entry.signature, entry.constants, entry.loop, entry.simd, entry.flops,
                entry.findings, entry.facts, entry.compile_seconds, entry.created);
}

/// Writes the payload of a const entry, or reads one.
void payload_fields(auto& stream, Is<CacheEntry> auto& entry) {
  stream.values(entry.source, entry.ir, entry.assembly, entry.object);
}

bool read_sections(Bytes header, Bytes payload, CacheEntry& entry) {
  Reader of_header(header), of_payload(payload);
  header_fields(of_header, entry);
  payload_fields(of_payload, entry);
  return of_header.consumed() && of_payload.consumed();
}

/// Why the 88 bytes and the file around them cannot be trusted; empty if they can.
std::string fault_of(Bytes file, const Prologue& prologue) {
  const std::uint64_t rest = file.size() - prologue_bytes;
  if (prologue.header_bytes > rest || prologue.payload_bytes != rest - prologue.header_bytes)
    return fmt::format("length: the file has {} bytes, its prologue says {} + {} + {}", file.size(),
                       prologue_bytes, prologue.header_bytes, prologue.payload_bytes);
  const core::Digest digest = checksum_of(file);
  if (std::memcmp(digest.data(), file.data() + checksum_offset, digest.size()) != 0)
    return "checksum: the content has changed";
  return {};
}

/// The number in front of `words`; 0 if the line does not have them.
int number_before(std::string_view line, std::string_view words) {
  const std::size_t end = line.find(words);
  if (end == line.npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
  return std::atoi(std::string(line.substr(begin, end - begin)).c_str());
}

void take(KernelResources& kernel, std::string_view line) {
  kernel.registers += number_before(line, " registers");
  kernel.shared_bytes += number_before(line, " bytes smem");
  kernel.stack_bytes += number_before(line, " bytes stack frame");
  kernel.spill_store_bytes += number_before(line, " bytes spill stores");
  kernel.spill_load_bytes += number_before(line, " bytes spill loads");
}

}  // namespace

Key make_key(const KeyFields& fields) {
  core::Hasher hasher;
  for (const KeyField& field : key_fields) hasher.field(fields.*field.value);
  return hasher.finish();
}

std::string name_of(const Key& key) {
  return core::to_hex(key);
}

std::string short_name_of(const Key& key) {
  return name_of(key).substr(0, 12);
}

std::vector<std::byte> serialise(const Key& key, const CacheEntry& entry) {
  Writer header, payload, file;
  header_fields(header, entry);
  payload_fields(payload, entry);
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
  if (!read_sections(body.first(prologue.header_bytes), body.subspan(prologue.header_bytes),
                     parsed.entry))
    return refuse(EntryState::bad, "sections: their lengths contradict the length of the file");
  if (make_key(parsed.entry.key) != parsed.key)
    return refuse(EntryState::bad, "key: it is not the hash of the stored fields");
  parsed.state = EntryState::good;
  return parsed;
}

std::vector<KernelResources> resources_in(std::string_view assembly) {
  constexpr std::string_view beginning = "Compiling entry function '";
  std::vector<KernelResources> kernels;
  while (!assembly.empty()) {
    const std::string_view line = core::next_part(assembly, '\n');
    if (!line.starts_with("// ")) continue;
    if (const auto at = line.find(beginning); at != line.npos) {
      const std::string_view name = line.substr(at + beginning.size());
      kernels.emplace_back().kernel = name.substr(0, name.find('\''));
    } else if (!kernels.empty()) {
      take(kernels.back(), line);
    }
  }
  return kernels;
}

}  // namespace op2::jit
