// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/core.h>

#include "commands.hpp"
#include "store.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace op2::jitinspect {

namespace {

using jit::EntryState;

std::int64_t count(const Store& store, EntryState state) {
  return std::ranges::count(store.entries, state,
                            [](const StoredEntry& stored) { return stored.parsed.state; });
}

Json as_json(const Store& store) {
  Json bad = Json::array();
  for (const StoredEntry& stored : store.entries)
    if (stored.parsed.state == EntryState::bad)
      bad.push_back({{"file", stored.file.name}, {"reason", stored.parsed.reason}});
  return {{"directory", store.path},
          {"good", count(store, EntryState::good)},
          {"other_version", count(store, EntryState::other_version)},
          {"bad", bad}};
}

}  // namespace

int verify(const Common& common) {
  const Store store = load(common.directory);
  const std::int64_t bad = count(store, EntryState::bad);
  if (common.json) {
    print_json(as_json(store));
    return bad == 0 ? 0 : 1;
  }
  for (const StoredEntry& stored : store.entries)
    if (stored.parsed.state == EntryState::bad)
      fmt::print("{}   {}\n      {}\n", painted(Style::bad, "bad"), stored.file.name,
                 stored.parsed.reason);
  fmt::print("{}: {} good, {} of other versions, {} bad\n", store.path,
             count(store, EntryState::good), count(store, EntryState::other_version), bad);
  return bad == 0 ? 0 : 1;
}

}  // namespace op2::jitinspect
