// SPDX-License-Identifier: BSD-3-Clause
#include <core/options.hpp>

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>

#include <core/error.hpp>
#include <core/log.hpp>

namespace op2::core {
namespace {

/// One row of the table. The first value is the default.
struct Switch {
  const char* name;
  const char* values;
  const char* meaning;
};

constexpr Switch table[] = {
    {"OP2_TARGET", "cpu, reference",
     "where loops run; reference: one thread, no optimisation of the chain, host functions where "
     "kernels have them"},
    {"OP2_THREADS", "all cores of the binding, n", "CPU threads"},
    {"OP2_JIT", "on, off, require",
     "off: host functions only; require: no fall-back to a host function when a kernel cannot be "
     "compiled"},
    {"OP2_JIT_WAIT", "on, off",
     "off: on one rank loops run as host functions while the code of their kernels is made; the "
     "last bits of results then depend on the clock"},
    {"OP2_JIT_CPU", "host, name", "compile for another CPU (LLVM's name, e.g. x86-64-v3)"},
    {"OP2_PLUGIN_DIR", "folder of libop2, path", "where the JIT plug-ins are"},
    {"OP2_CACHE", "rw, ro, off", "use of the cache directory"},
    {"OP2_CACHE_DIR", "$XDG_CACHE_HOME/op2 or ~/.cache/op2, path", "cache of compiled kernels"},
    {"OP2_CACHE_MAX_MB", "1024, n", "size at which old entries are removed"},
    {"OP2_CHAIN", "off, on",
     "how far one exchange of halos reaches on several ranks: one loop, or a whole chain of loops "
     "with redundant work"},
    {"OP2_DEPTH_MAX", "6, n", "halo layers that a chain may need before it is cut"},
    {"OP2_EXCHANGE", "grouped, separate",
     "one message per neighbour and exchange, or one per dat and halo part (for comparison)"},
    {"OP2_PARTITIONER", "as op_partition says, ptscotch, rcb, block, random, external",
     "who owns what; overrides op_partition"},
    {"OP2_RENUMBER", "auto, off, on",
     "whether elements are kept in an order in which what is used together lies together; auto: "
     "unless the given order is as good; results and files keep the given order. Programs for "
     "OP2's own headers on one rank: off, unless they call op_renumber or this is set"},
    {"OP2_QUEUE_MAX", "64, n", "loops that are queued before execution is forced"},
    {"OP2_SIMD", "auto, on",
     "whether compiled code executes several elements at once; auto: where it is expected to be "
     "faster; on: wherever it is possible"},
    {"OP2_VECTOR_MATH", "off, on",
     "whether code that executes several elements at once may call the vector versions of exp, "
     "sin, pow and the like, whose last two bits may be wrong"},
    {"OP2_TILE", "auto, measured, off, n, shuffled",
     "whether loops of a chain are executed together, tile by tile; auto: where a model of the "
     "caches expects a gain; measured: if moreover both ways were tried and tiles were faster, so "
     "that the last bits of sums depend on the clock; n: everywhere, in tiles of n elements; "
     "shuffled: everywhere, in a random order (for tests)"},
    {"OP2_LOG", "warning, off, error, info, debug",
     "what is logged to stderr; without it the diags argument of op_init decides"},
    {"OP2_DUMP", "none, list of chain,schedule,source,partition",
     "log the result of a pass whenever it runs"},
    {"OP2_TRACE", "none, file.json", "write a trace of loops and compilations that Perfetto opens"},
    {"OP2_TIMING", "none, file (.csv, .json, any other: text)",
     "write the per-loop table at op_exit"},
    {"OP2_CHECK", "none, list of access,pointers",
     "look for faults of the program; access: a kernel whose text breaks an access mode of its "
     "loop is an error instead of a warning; pointers: every loop is executed at its call, so that "
     "data read through pointers (`dat->data`) are current; if results change, a flush is missing"},
    {"OP2_DISABLE", "none, list of dead,fuse,simd,tile",
     "switch passes off; dead: loops whose results are overwritten before use are executed too; "
     "fuse: every loop runs by itself; "
     "simd: compiled code executes one element after the other; tile: loops run one after the "
     "other"},
};

using Lookup = std::function<std::optional<std::string>(const char*)>;

[[noreturn]] void bad_value(const char* name, std::string_view value, std::string_view accepted) {
  fail(ErrorCode::bad_option, "{}={}: not accepted; use {}", name, value, accepted);
}

std::int64_t read_number(const Lookup& lookup, const char* name, std::int64_t fallback,
                         std::int64_t low, std::int64_t high) {
  const auto text = lookup(name);
  if (!text) return fallback;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || value < low || value > high)
    bad_value(name, *text, fmt::format("a number from {} to {}", low, high));
  return value;
}

/// The number of the word among `words`; the first if the variable is not set.
std::size_t read_word(const Lookup& lookup, const char* name,
                      std::span<const std::string_view> words) {
  const auto text = lookup(name);
  if (!text) return 0;
  const auto found = std::find(words.begin(), words.end(), *text);
  const auto accepted = words.subspan(words.front().empty() ? 1 : 0);
  if (found == words.end()) bad_value(name, *text, fmt::format("{}", fmt::join(accepted, ", ")));
  return static_cast<std::size_t>(found - words.begin());
}

/// Calls `take(word)` for each word of a comma-separated list; `take` says whether it knows the
/// word.
std::string_view without_spaces(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
  return word.substr(0, word.find_last_not_of(' ') + 1);
}

void read_list(const Lookup& lookup, const char* name, std::string_view accepted,
               const std::function<bool(std::string_view)>& take) {
  const auto text = lookup(name);
  if (!text || *text == "none") return;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (!take(without_spaces(rest.substr(0, comma)))) bad_value(name, *text, accepted);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
}

/// Empty for "none".
std::string read_path(const Lookup& lookup, const char* name) {
  const std::string path = lookup(name).value_or("none");
  return path == "none" ? "" : path;
}

bool set_flag(bool& flag) {
  return flag = true;
}
bool clear_flag(bool& flag) {
  flag = false;
  return true;
}

void read_ranks(const Lookup& lookup, Options& o) {
  constexpr std::string_view chain_modes[] = {"off", "on"};
  constexpr std::string_view groupings[] = {"grouped", "separate"};
  constexpr std::string_view partitioners[] = {"",      "ptscotch", "rcb",
                                               "block", "random",   "external"};
  o.chain = static_cast<ChainMode>(read_word(lookup, "OP2_CHAIN", chain_modes));
  o.depth_max = static_cast<int>(read_number(lookup, "OP2_DEPTH_MAX", 6, 1, 64));
  o.exchange = static_cast<Grouping>(read_word(lookup, "OP2_EXCHANGE", groupings));
  o.partitioner = partitioners[read_word(lookup, "OP2_PARTITIONER", partitioners)];
}

Tiling read_tiling(const Lookup& lookup) {
  constexpr std::int64_t shuffled_rows = 37, most_rows = 1'000'000'000;
  const std::string text = lookup("OP2_TILE").value_or("auto");
  if (text == "auto") return {};
  if (text == "measured") return {TileMode::measured, 0};
  if (text == "off") return {TileMode::off, 0};
  if (text == "shuffled") return {TileMode::shuffled, shuffled_rows};
  std::int64_t rows = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rows);
  if (error != std::errc() || end != text.data() + text.size() || rows < 1 || rows > most_rows)
    bad_value("OP2_TILE", text, "auto, measured, off, shuffled, or a number from 1 to 1000000000");
  return {TileMode::fixed, rows};
}

void read_reports(const Lookup& lookup, Options& o) {
  o.log = lookup("OP2_LOG").value_or("");
  if (!o.log.empty()) log_level_named(o.log);
  o.trace = read_path(lookup, "OP2_TRACE");
  o.timing = read_path(lookup, "OP2_TIMING");
  read_list(lookup, "OP2_DUMP", "a list of chain, schedule, source, partition",
            [&](std::string_view word) {
              if (word == "chain") return set_flag(o.dump.chain);
              if (word == "schedule") return set_flag(o.dump.schedule);
              if (word == "partition") return set_flag(o.dump.partition);
              return word == "source" && set_flag(o.dump.source);
            });
}

}  // namespace

Options read_options(const Lookup& lookup) {
  constexpr std::string_view targets[] = {"cpu", "reference"};
  constexpr std::string_view jit_modes[] = {"on", "off", "require"};
  constexpr std::string_view simd_modes[] = {"auto", "on"};
  constexpr std::string_view renumber_modes[] = {"auto", "off", "on"};
  constexpr std::string_view off_on[] = {"off", "on"}, on_off[] = {"on", "off"};
  constexpr std::string_view cache_modes[] = {"rw", "ro", "off"};
  Options o;
  o.target = static_cast<Target>(read_word(lookup, "OP2_TARGET", targets));
  o.threads = static_cast<int>(read_number(lookup, "OP2_THREADS", 0, 1, 4096));
  o.jit = static_cast<JitMode>(read_word(lookup, "OP2_JIT", jit_modes));
  o.jit_wait = read_word(lookup, "OP2_JIT_WAIT", on_off) == 0;
  o.jit_cpu = lookup("OP2_JIT_CPU").value_or("");
  if (o.jit_cpu == "host") o.jit_cpu.clear();
  o.plugin_dir = lookup("OP2_PLUGIN_DIR").value_or("");
  o.cache = static_cast<CacheMode>(read_word(lookup, "OP2_CACHE", cache_modes));
  o.cache_dir = lookup("OP2_CACHE_DIR").value_or("");
  o.cache_max_bytes = read_number(lookup, "OP2_CACHE_MAX_MB", 1024, 1, 1'000'000) << 20;
  read_ranks(lookup, o);
  o.queue_max = static_cast<int>(read_number(lookup, "OP2_QUEUE_MAX", 64, 1, 4096));
  o.renumber = static_cast<RenumberMode>(read_word(lookup, "OP2_RENUMBER", renumber_modes));
  o.simd = static_cast<SimdMode>(read_word(lookup, "OP2_SIMD", simd_modes));
  o.vector_math = read_word(lookup, "OP2_VECTOR_MATH", off_on) == 1;
  o.tile = read_tiling(lookup);
  read_reports(lookup, o);
  read_list(lookup, "OP2_CHECK", "a list of access, pointers", [&](std::string_view word) {
    if (word == "access") return set_flag(o.check_access);
    return word == "pointers" && clear_flag(o.queue_loops);
  });
  read_list(lookup, "OP2_DISABLE", "a list of dead, fuse, simd, tile", [&](std::string_view word) {
    if (word == "dead") return clear_flag(o.eliminate_dead_loops);
    if (word == "fuse") return clear_flag(o.fuse);
    if (word == "simd") o.simd = SimdMode::off;
    if (word == "tile") o.tile.mode = TileMode::off;
    return word == "simd" || word == "tile";
  });
  // The reference leaves nothing out: it is what others are compared with.
  if (o.target == Target::reference) {
    o.eliminate_dead_loops = false;
    o.fuse = false;
    o.tile.mode = TileMode::off;
    o.renumber = RenumberMode::off;
  }
  return o;
}

std::vector<std::string> unknown_switches(char** environment) {
  std::vector<std::string> unknown;
  for (char** entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("OP2_")) continue;
    const std::string_view name = text.substr(0, text.find('='));
    const auto known = [&](const Switch& s) { return name == s.name; };
    if (std::none_of(std::begin(table), std::end(table), known)) unknown.emplace_back(name);
  }
  return unknown;
}

std::string switches_as_text() {
  std::string text =
      "libop2 reads these environment variables in op_init (the first value is the default):\n\n";
  for (const Switch& s : table)
    text += fmt::format("  {}={}\n      {}\n", s.name, s.values, s.meaning);
  return text;
}

std::string switches_as_markdown() {
  std::string text = "| variable | values (default first) | meaning |\n|---|---|---|\n";
  for (const Switch& s : table)
    text += fmt::format("| `{}` | {} | {} |\n", s.name, s.values, s.meaning);
  return text;
}

}  // namespace op2::core
