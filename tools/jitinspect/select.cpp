// SPDX-License-Identifier: BSD-3-Clause
// Which entry a user's words stand for.
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/text.hpp>
#include <jit/cache_key.hpp>

#include "key_differences.hpp"
#include "store.hpp"
#include "text.hpp"

namespace op2::jitinspect {

namespace {

using Entries = std::vector<const StoredEntry*>;

constexpr std::size_t shown_others = 8;

std::string short_name(const StoredEntry& stored) {
  return stored.file.name.substr(0, 12);
}

bool is_named(const StoredEntry& stored, const std::string& name) {
  return stored.parsed.entry.key.kernel == name || stored.parsed.entry.loop == name;
}

bool has_among_fused(const StoredEntry& stored, const std::string& name) {
  const std::vector<std::string> kernels = split(stored.parsed.entry.key.kernel, '+');
  return kernels.size() > 1 && std::ranges::count(kernels, name) != 0;
}

template <class Condition>
Entries entries_that(const Store& store, Condition condition) {
  Entries found;
  for (const StoredEntry& stored : store.entries)
    if (condition(stored)) found.push_back(&stored);
  return found;
}

Entries of_name(const Store& store, const std::string& name) {
  Entries code = entries_that(store, [&](const StoredEntry& stored) {
    return stored.good() && stored.has_code() && is_named(stored, name);
  });
  if (!code.empty()) return code;
  return entries_that(
      store, [&](const StoredEntry& stored) { return stored.good() && is_named(stored, name); });
}

Entries of_key(const Store& store, const std::string& digits) {
  if (digits.empty()) return {};
  return entries_that(store, [begin = core::lower_case(digits)](const StoredEntry& stored) {
    return stored.file.name.starts_with(begin);
  });
}

[[noreturn]] void ask_for_digits(const std::string& name, const Entries& found) {
  std::string text;
  for (const StoredEntry* stored : found)
    text +=
        fmt::format("\n  {} {}", short_name(*stored), printable(stored->parsed.entry.key.kernel));
  throw Failure(2, fmt::format("'{}' matches {} entries; give more digits of the key:{}", name,
                               found.size(), text));
}

std::string words_of_differences(const StoredEntry& chosen, const StoredEntry& other) {
  std::vector<std::string> fields;
  for (const Difference& each : differences(chosen.parsed.entry.key, other.parsed.entry.key))
    fields.push_back(each.field);
  return fmt::format("{}", fmt::join(fields, ", "));
}

/// Says which of several entries was chosen, and how to name another.
void print_choice(const std::string& name, const Entries& by_use) {
  const StoredEntry& chosen = *by_use.front();
  fmt::print(stderr,
             "op2-jitinspect: '{}' is {} entries; this is {}, used last. Others, by the key:\n",
             printable(name), by_use.size(), short_name(chosen));
  for (std::size_t i = 1; i < std::min(by_use.size(), shown_others + 1); ++i)
    fmt::print(stderr, "  {}  used {} ago, other {}\n", short_name(*by_use[i]),
               age_words(by_use[i]->file.used), words_of_differences(chosen, *by_use[i]));
  if (by_use.size() > shown_others + 1)
    fmt::print(stderr, "  ... {} more; 'op2-jitinspect list' shows all entries\n",
               by_use.size() - shown_others - 1);
}

}  // namespace

std::pair<std::int64_t, std::int64_t> last_use(const StoredEntry* stored) {
  return {stored->file.used, stored->parsed.entry.created};
}

std::vector<const StoredEntry*> select_all(const Store& store, const std::string& name) {
  Entries found = of_name(store, name);
  if (!found.empty()) return found;
  found = of_key(store, name);
  if (found.size() > 1) ask_for_digits(name, found);
  if (!found.empty()) return found;
  found = entries_that(store, [&](const StoredEntry& stored) {
    return stored.good() && has_among_fused(stored, name);
  });
  if (!found.empty()) return found;
  throw Failure(2, fmt::format("no entry in '{}' has a key that begins with '{}', or a kernel or "
                               "loop of that name; 'op2-jitinspect list' shows all entries",
                               store.path, name));
}

const StoredEntry& select(const Store& store, const std::string& name) {
  Entries found = select_all(store, name);
  std::ranges::stable_sort(found, std::ranges::greater(), last_use);
  const StoredEntry& chosen = good_one(*found.front());
  if (found.size() > 1) print_choice(name, found);
  return chosen;
}

const StoredEntry& select_latest(const Store& store, const std::string& name) {
  const Entries found = select_all(store, name);
  const auto created = [](const StoredEntry* stored) { return stored->parsed.entry.created; };
  return good_one(**std::ranges::max_element(found, {}, created));
}

}  // namespace op2::jitinspect
