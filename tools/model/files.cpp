// SPDX-License-Identifier: BSD-3-Clause
#include "files.hpp"

#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include <comm/files/open_file.hpp>
#include <core/hash.hpp>
#include <core/text.hpp>
#include <op2/error.hpp>

namespace op2::model {
namespace {

void check_fit(const core::RunRecord& record, const std::string& maps, const std::string& path) {
  if (static_cast<std::int64_t>(maps.size()) != core::bytes_of_maps(record))
    throw Failure(fmt::format(
        "the maps do not fit the record: '{}' has {} bytes, and those of program '{}' take {}; "
        "keep the two files of a run together",
        path, maps.size(), record.program, core::bytes_of_maps(record)));
  core::Hasher hash;
  hash.bytes(std::as_bytes(std::span(maps)));
  const std::string found = core::to_hex(hash.finish());
  if (found != record.maps_hash)
    throw Failure(
        fmt::format("the maps are those of another run: '{}' has hash {:.12}, the record names "
                    "{:.12}; keep the "
                    "two files of a run together",
                    path, found, record.maps_hash));
}

void check_range(const core::RecordedMap& map, const comm::BlockMap& entries, std::int64_t size) {
  for (std::size_t k = 0; k < entries.targets.size(); ++k)
    if (entries.targets[k] < 0 || entries.targets[k] >= size)
      throw Failure(
          fmt::format("a map leads out of its set: map '{}', entry {} is {}, there are {} "
                      "elements; record the run again",
                      map.name, k, entries.targets[k], size));
}

}  // namespace

std::string text_of_file(const std::string& path) {
  std::optional<std::string> text = core::read_file(path.c_str());
  if (!text)
    throw Failure(
        fmt::format("cannot read '{}': {}; name a file that OP2_MODEL, 'op2-model cut' or "
                    "'op2-model machine' has written",
                    path, core::why_unreadable(path.c_str())));
  return std::move(*text);
}

void write_file(const std::string& path, const std::string& text) try {
  comm::FileWriter file(path);
  file.write(text);
  file.publish();
} catch (const Error& error) {
  throw Failure(error.what());
}

core::RunRecord read_run(const std::string& path) try {
  return core::record_from_json(text_of_file(path));
} catch (const Failure&) {
  throw;
} catch (const std::runtime_error& error) {
  throw Failure(
      fmt::format("cannot use '{}': {}; run the program with OP2_MODEL=FILE", path, error.what()));
}

comm::BlockMesh read_maps(const core::RunRecord& record, const std::string& path,
                          const std::string& other) {
  const std::string from =
      !other.empty() ? other
                     : (std::filesystem::path(path).parent_path() / record.maps_file).string();
  const std::string maps = text_of_file(from);
  check_fit(record, maps, from);
  comm::BlockMesh mesh;
  for (const core::RecordedSet& set : record.sets) mesh.sets.push_back({{0, set.size}});
  std::vector<std::int32_t> entries(maps.size() / sizeof(std::int32_t));
  std::memcpy(entries.data(), maps.data(), maps.size());
  auto next = entries.begin();
  for (const core::RecordedMap& map : record.maps) {
    const auto end = next + record.sets[static_cast<std::size_t>(map.from)].size * map.arity;
    mesh.maps.push_back({map.from, map.to, map.arity, {next, end}});
    check_range(map, mesh.maps.back(), record.sets[static_cast<std::size_t>(map.to)].size);
    next = end;
  }
  return mesh;
}

}  // namespace op2::model
