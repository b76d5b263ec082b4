// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/checkpoint_header.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <core/arithmetic.hpp>
#include <core/error.hpp>
#include <core/hash.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckpointHeader::Set, name, size)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckpointHeader::Map, name, from, to, dim, checksum)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckpointHeader::Dat, name, set, type, dim, row_bytes, offset,
                                   checksum)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckpointHeader::Values, name, type, dim, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckpointHeader, sets, maps, dats, globals, kept)

namespace {

constexpr std::string_view checkpoint_kind = "op2 checkpoint ", written_form = "2";
constexpr std::int64_t alignment = 4096;

/// The beginning of the file.
struct Front {
  std::array<char, 16> magic;
  std::int64_t begin, bytes;  ///< of the text
  core::Digest digest;
};
static_assert(sizeof(Front) == 64);

std::array<char, 16> magic() {
  std::array<char, 16> letters{};
  std::ranges::copy(written_form, std::ranges::copy(checkpoint_kind, letters.begin()).out);
  return letters;
}

core::Digest digest_of(std::string_view text) {
  return core::Hasher().bytes(std::as_bytes(std::span(text))).finish();
}

std::string shown(const CheckpointHeader::Set& set) {
  return fmt::format("set '{}' of {} elements", set.name, set.size);
}
std::string shown(const CheckpointHeader::Map& map) {
  return fmt::format("map '{}' from '{}' to '{}' of arity {} with entries of checksum {:016x}",
                     map.name, map.from, map.to, map.dim, map.checksum);
}
std::string shown(const CheckpointHeader::Dat& dat) {
  return fmt::format("dat '{}' on '{}' of dim {} and type \"{}\" with {} bytes a row", dat.name,
                     dat.set, dat.dim, dat.type, dat.row_bytes);
}
std::string shown(const CheckpointHeader::Values& values) {
  return fmt::format("'{}' of dim {} and type \"{}\"", values.name, values.dim, values.type);
}

/// Each byte as the character of its number: names need not be UTF-8, but JSON must be.
std::string utf8_of_bytes(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto number = static_cast<unsigned char>(byte);
    if (number >= 0x80) text += static_cast<char>(0xc0 | number >> 6);
    text += static_cast<char>(number < 0x80 ? number : 0x80 | (number & 0x3f));
  }
  return text;
}

/// The reverse; other characters are "?".
/// @param text  UTF-8
std::string bytes_of_utf8(const std::string& text) {
  std::string bytes;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto lead = static_cast<unsigned char>(text[k]);
    if ((lead & 0xc0) == 0x80) continue;  // belongs to the character before
    if (lead < 0x80)
      bytes += text[k];
    else
      bytes += lead <= 0xc3 ? static_cast<char>(lead << 6 | (text[k + 1] & 0x3f)) : '?';
  }
  return bytes;
}

template <class Change>
void change_strings(CheckpointHeader& header, const Change& change) {
  const auto to = [&](auto&... strings) { ((strings = change(strings)), ...); };
  for (CheckpointHeader::Set& set : header.sets) to(set.name);
  for (CheckpointHeader::Map& map : header.maps) to(map.name, map.from, map.to);
  for (CheckpointHeader::Dat& dat : header.dats) to(dat.name, dat.set, dat.type);
  for (auto* const all : {&header.globals, &header.kept})
    for (CheckpointHeader::Values& values : *all) to(values.name, values.type);
}

template <class Entry>
std::string first_difference(const char* what, const std::vector<Entry>& file,
                             const std::vector<Entry>& program) {
  for (std::size_t k = 0; k < std::max(file.size(), program.size()); ++k) {
    const std::string there = k < file.size() ? shown(file[k]) : "nothing more";
    const std::string here = k < program.size() ? shown(program[k]) : "nothing more";
    if (there != here)
      return fmt::format("{} number {} is {} in the file, and {} in the program", what, k + 1,
                         there, here);
  }
  return "";
}

[[noreturn]] void fail_as_damaged(const std::string& path, std::string_view what) {
  core::fail(ErrorCode::bad_checkpoint,
             "the checkpoint is damaged: '{}', {}; use an older one, or remove it to begin anew",
             path, what);
}

void check_length(const CheckpointHeader::Values& values, const std::string& path) {
  const std::optional<Type> type = core::type_named(values.type.c_str());
  if (type && values.dim > 0 && values.bytes.size() == core::size_of(*type, values.dim)) return;
  fail_as_damaged(path, fmt::format("'{}' of dim {} and type \"{}\" has {} bytes", values.name,
                                    values.dim, values.type, values.bytes.size()));
}

Front read_front(const OpenFile& file) {
  Front front{};
  file.read_at(0, &front, sizeof front);
  const std::string_view letters(front.magic.data(), front.magic.size());
  if (!letters.starts_with(checkpoint_kind))
    core::fail(ErrorCode::bad_checkpoint,
               "not a checkpoint: '{}', of {} bytes; check the path, or remove the file to begin "
               "anew",
               file.shown(), file.size());
  if (front.magic != magic())
    core::fail(ErrorCode::bad_checkpoint,
               "a checkpoint of another version: '{}' has form '{}', but this library reads form "
               "{}; go on with the version that has written it",
               file.shown(), letters.substr(checkpoint_kind.size()), written_form);
  const std::int64_t size = file.size();
  if (front.begin < 0 || front.bytes < 0 || front.begin > size || front.bytes > size - front.begin)
    fail_as_damaged(file.shown(), fmt::format("it has only {} bytes", size));
  return front;
}

}  // namespace

std::string first_difference(const CheckpointHeader& file, const CheckpointHeader& program) {
  for (const std::string& found : {first_difference("set", file.sets, program.sets),
                                   first_difference("map", file.maps, program.maps),
                                   first_difference("dat", file.dats, program.dats),
                                   first_difference("global", file.globals, program.globals),
                                   first_difference("kept value", file.kept, program.kept)})
    if (!found.empty()) return found;
  return "";
}

std::int64_t assign_offsets(CheckpointHeader& header) {
  std::int64_t end = alignment;
  for (CheckpointHeader::Dat& dat : header.dats) {
    const auto set = std::ranges::find(header.sets, dat.set, &CheckpointHeader::Set::name);
    dat.offset = end;
    end = core::round_up(end + set->size * dat.row_bytes, alignment);
  }
  return end;
}

void write_header(OpenFile& file, std::int64_t begin, CheckpointHeader header) {
  change_strings(header, utf8_of_bytes);
  const std::string text = nlohmann::json(header).dump();
  const Front front{magic(), begin, std::ssize(text), digest_of(text)};
  file.write_at(begin, text.data(), text.size());
  file.write_at(0, &front, sizeof front);
}

std::string read_header(const OpenFile& file) {
  const Front front = read_front(file);
  std::string text(static_cast<std::size_t>(front.bytes), '\0');
  file.read_at(front.begin, text.data(), text.size());
  if (digest_of(text) != front.digest)
    fail_as_damaged(file.shown(), "its description has been changed");
  return text;
}

bool has_header(const OpenFile& file, const std::string& text) {
  Front front{};
  file.read_at(0, &front, sizeof front);
  return front.magic == magic() && front.bytes == std::ssize(text) &&
         front.digest == digest_of(text);
}

CheckpointHeader header_of(const std::string& text, const std::string& path) {
  CheckpointHeader header;
  try {
    header = nlohmann::json::parse(text).get<CheckpointHeader>();
  } catch (const nlohmann::json::exception& error) {
    fail_as_damaged(path, fmt::format("its description is not understood ({})", error.what()));
  }
  change_strings(header, bytes_of_utf8);
  for (const auto* all : {&header.globals, &header.kept})
    for (const CheckpointHeader::Values& values : *all) check_length(values, path);
  return header;
}

void check_offsets(const CheckpointHeader& file, const CheckpointHeader& program,
                   const std::string& path) {
  for (std::size_t d = 0; d < program.dats.size(); ++d)
    if (file.dats[d].offset != program.dats[d].offset)
      fail_as_damaged(
          path, fmt::format("the rows of dat '{}' are at byte {} and not at {}", file.dats[d].name,
                            file.dats[d].offset, program.dats[d].offset));
}

}  // namespace op2::comm
