// SPDX-License-Identifier: BSD-3-Clause
#include "store.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <core/log.hpp>
#include <core/text.hpp>
#include <jit/cache_directory.hpp>
#include <jit/cache_entry.hpp>

#include "output.hpp"

namespace op2::jitinspect {
namespace {

using jit::CacheDirectory;
using jit::EntryState;

std::string location(const std::string& configured) {
  const char* variable = secure_getenv("OP2_CACHE_DIR");
  const bool use_variable = configured.empty() && variable != nullptr;
  std::string path = jit::cache_location(use_variable ? variable : configured);
  if (path.empty()) throw Failure(2, "the cache directory is unknown; give it with --dir");
  return path;
}

/// Opened like the library does if the directory passes its checks, as the user's own or as a
/// shared one, otherwise with a warning.
CacheDirectory open(const std::string& path) {
  auto trusted = CacheDirectory::open(path, jit::Trust::own);
  if (trusted.directory) return std::move(*trusted.directory);
  for (const auto& folder : jit::shared_folders(path, jit::list_of_shared_folders()))
    if (auto shared = jit::open_shared(folder); shared.directory)
      return std::move(*shared.directory);
  auto readable = CacheDirectory::open(path, jit::Trust::any);
  if (!readable.directory)
    throw Failure(2,
                  fmt::format("cannot open the cache directory '{}': {}", path, readable.problem));
  fmt::print(stderr, "warning: the library would not use '{}': {}\n", path, trusted.problem);
  return std::move(*readable.directory);
}

StoredEntry read(const CacheDirectory& directory, const jit::CacheFile& file) {
  const jit::ReadFile content = directory.read(file.name, false);
  StoredEntry entry{file, {}};
  if (content.state != jit::ReadFile::State::read) {
    entry.parsed.reason = content.reason.empty() ? "the file has vanished" : content.reason;
    return entry;
  }
  entry.parsed = jit::parse_entry(content.bytes);
  if (entry.good() && jit::entry_name(entry.parsed.key) != file.name) {
    entry.parsed.state = EntryState::bad;
    entry.parsed.reason = "key: it is the entry of " + jit::short_name_of(entry.parsed.key);
  }
  return entry;
}

/// A directory may hold more than fits into memory.
StoredEntry read_without_payload(const CacheDirectory& directory, const jit::CacheFile& file) {
  StoredEntry stored = read(directory, file);
  jit::CacheEntry& entry = stored.parsed.entry;
  entry.source = entry.ir = entry.assembly = std::string();
  entry.object = std::vector<std::byte>();
  return stored;
}

auto order(const StoredEntry& stored) {
  return std::tuple(!stored.good(), std::string_view(stored.parsed.entry.key.kernel),
                    stored.parsed.entry.created, std::string_view(stored.file.name));
}

}  // namespace

Store load(const std::string& configured) {
  const std::string path = location(configured);
  core::Log log = core::tool_log("op2-jitinspect");
  const core::Progress progress(log, fmt::format("reading '{}'", path));
  Store store{path, open(path), {}, {}};
  store.files = store.directory.files();
  for (const jit::CacheFile& file : store.files)
    if (file.kind == jit::CacheFileKind::entry)
      store.entries.push_back(read_without_payload(store.directory, file));
  std::ranges::sort(store.entries, {}, order);
  return store;
}

const StoredEntry& good_one(const StoredEntry& stored) {
  if (stored.good()) return stored;
  throw Failure(
      1, fmt::format("entry {} cannot be shown: {}", stored.file.name, stored.parsed.reason));
}

StoredEntry complete(const Store& store, const StoredEntry& entry) {
  StoredEntry whole = read(store.directory, entry.file);
  good_one(whole);
  return whole;
}

namespace {

struct Unit {
  const char* name;
  char separator;
};

Unit unit_of(std::string_view field, const std::string& value) {
  if (field == "features") return {"feature", ','};
  // A text that went through the preprocessor is one line.
  if (field == "source" && std::ranges::count(value, '\n') == 0) return {"statement", ';'};
  return {"line", '\n'};
}

Difference difference(const char* field, const std::string& ours, const std::string& theirs) {
  const Unit unit = unit_of(field, ours);
  const std::vector<std::string> a = split(ours, unit.separator);
  const std::vector<std::string> b = split(theirs, unit.separator);
  const auto [a_begin, b_begin] = std::ranges::mismatch(a, b);
  const auto [a_end, b_end] = std::mismatch(a.rbegin(), std::reverse_iterator(a_begin), b.rbegin(),
                                            std::reverse_iterator(b_begin));
  return {.field = field,
          .unit = unit.name,
          .first = static_cast<std::size_t>(a_begin - a.begin()) + 1,
          .ours = {a_begin, a_end.base()},
          .theirs = {b_begin, b_end.base()}};
}

/// The generator without the hash of the code that it emits.
std::string_view version_of(std::string_view generator) {
  return generator.substr(0, generator.find(", source "));
}

}  // namespace

std::vector<Difference> differences(const jit::KeyFields& ours, const jit::KeyFields& theirs) {
  std::vector<Difference> result;
  for (const jit::KeyField& field : jit::key_fields)
    if (ours.*field.value != theirs.*field.value)
      result.push_back(difference(field.name, ours.*field.value, theirs.*field.value));
  // Where something else differs, other emitted code is a consequence.
  if (result.size() > 1 && version_of(ours.generator) == version_of(theirs.generator))
    std::erase_if(result, [](const Difference& each) { return each.field == "generator"; });
  return result;
}

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

Entries entries_that(const Store& store, const auto& condition) {
  Entries found;
  for (const StoredEntry& stored : store.entries)
    if (condition(stored)) found.push_back(&stored);
  return found;
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
  const auto found = differences(chosen.parsed.entry.key, other.parsed.entry.key);
  return core::joined(found, &Difference::field, ", ");
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
  const auto is_good = [&](const StoredEntry& stored) {
    return stored.good() && is_named(stored, name);
  };
  Entries found = entries_that(
      store, [&](const StoredEntry& stored) { return is_good(stored) && stored.has_code(); });
  if (found.empty()) found = entries_that(store, is_good);
  if (!found.empty()) return found;
  found = entries_that(store, [&, begin = core::lower_case(name)](const StoredEntry& stored) {
    return !begin.empty() && stored.file.name.starts_with(begin);
  });
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
