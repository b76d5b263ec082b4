// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <optional>

#include <fmt/core.h>

#include <core/progress.hpp>
#include <core/text_file.hpp>
#include <core/tool_log.hpp>
#include <core/value_hashes.hpp>

#include "commands.hpp"
#include "store.hpp"
#include "text.hpp"

namespace op2::jitinspect {

namespace {

using core::ValueHash;

struct HashFile {
  std::string path;
  std::vector<ValueHash> values;
};

HashFile read(const std::string& path) {
  core::Log log = core::tool_log("op2-jitinspect");
  const core::Progress progress(log, fmt::format("reading '{}'", path));
  const std::optional<std::string> text = core::read_file(path.c_str());
  if (!text) throw Failure(2, fmt::format("cannot read '{}'", path));
  auto values = core::hashes_in(*text);
  if (!values) throw Failure(2, fmt::format("'{}' is not a file that OP2_HASH has written", path));
  return {path, std::move(*values)};
}

/// The position of the first value that the files do not share.
std::size_t first_difference(const HashFile& one, const HashFile& other) {
  return static_cast<std::size_t>(std::ranges::mismatch(one.values, other.values).in1 -
                                  one.values.begin());
}

/// How many positions have different values.
std::size_t count_differences(const HashFile& one, const HashFile& other) {
  const std::size_t shorter = std::min(one.values.size(), other.values.size());
  std::size_t count = std::max(one.values.size(), other.values.size()) - shorter;
  for (std::size_t k = 0; k < shorter; ++k) count += one.values[k] == other.values[k] ? 0 : 1;
  return count;
}

/// Null after the end of the file.
const ValueHash* value_at(const HashFile& file, std::size_t position) {
  return position < file.values.size() ? &file.values[position] : nullptr;
}

/// What a user can conclude from the first difference.
const char* meaning(const ValueHash* one, const ValueHash* other) {
  if (one == nullptr || other == nullptr || one->what != other->what)
    return "the programs do not declare and ask for the same values";
  if (one->what.starts_with(core::declaration))
    return "the programs do not declare the same mesh, with the same global numbers";
  return "a value is not the same";
}

Json as_json(const ValueHash* value) {
  if (value == nullptr) return {};
  return {{"hash", value->hash}, {"what", value->what}};
}

void print(const HashFile& file, std::size_t position) {
  const ValueHash* value = value_at(file, position);
  // The first line of a file is its heading.
  fmt::print("  {}:{}  {}\n", printable(file.path), position + 2,
             value == nullptr ? "no more values"
                              : fmt::format("{}  {}", value->hash, printable(value->what)));
}

}  // namespace

int diff(const Common& common, const std::string& path, const std::string& other_path) {
  const HashFile one = read(path), other = read(other_path);
  const std::size_t first = first_difference(one, other);
  const std::size_t different = count_differences(one, other);
  const ValueHash *const here = value_at(one, first), *const there = value_at(other, first);
  const std::size_t all = std::max(one.values.size(), other.values.size());
  if (common.json) {
    print_json({{"values", all},
                {"different", different},
                {"first", different == 0 ? Json() : Json(first)},
                {"one", as_json(here)},
                {"other", as_json(there)}});
  } else if (different == 0) {
    fmt::print("the same bits: {} values\n", all);
  } else {
    fmt::print("{} of {} values differ; the first:\n", different, all);
    print(one, first);
    print(other, first);
    fmt::print("{}\n", meaning(here, there));
  }
  return different == 0 ? 0 : 1;
}

}  // namespace op2::jitinspect
