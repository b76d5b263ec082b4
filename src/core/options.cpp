// SPDX-License-Identifier: BSD-3-Clause
#include <core/options.hpp>

#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <map>
#include <span>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/error.hpp>
#include <core/log.hpp>
#include <core/text.hpp>

namespace op2::core {
namespace {

struct OptionRow;

/// A value that was given for a row.
struct GivenOption {
  const OptionRow& row;
  std::string name;  ///< for messages: "OP2_TILE", "OP2_DEBUG=slice"
  std::string value;
  bool is_privileged = false;  ///< the program has more privileges than who gave the value
};

using OptionParser = void (*)(const GivenOption&, Options&);

/// One switch. `values` are separated by ", "; the first one is the default.
struct OptionRow {
  const char* name;
  OptionParser parse;
  const char* values;
  const char* help;
};

/// @throws Error bad_option
[[noreturn]] void refuse_value(const GivenOption& given, const std::string& accepted) {
  fail(ErrorCode::bad_option, "the value is not accepted: {}={}; use {}", given.name, given.value,
       accepted);
}

/// The position of the value among those of its row.
/// @throws Error bad_option  if it is not there
std::size_t position_of_value(const GivenOption& given) {
  const std::vector<std::string> values = words_of(given.row.values);
  const auto found = std::find(values.begin(), values.end(), given.value);
  if (found == values.end()) refuse_value(given, given.row.values);
  return found - values.begin();
}

/// @param form  of the whole value, for the message
/// @throws Error bad_option  if the value is not a whole number in [low, high]
std::int64_t number_of(const GivenOption& given, std::int64_t low, std::int64_t high,
                       const char* form = "") {
  std::int64_t value = 0;
  const char* const last = given.value.data() + given.value.size();
  const auto [end, error] = std::from_chars(given.value.data(), last, value);
  if (error != std::errc() || end != last || value < low || value > high)
    refuse_value(given, fmt::format("a number from {} to {}{}", low, high, form));
  return value;
}

/// @throws Error bad_option  if the value is one that turns switches on or off
void check_file_name(const GivenOption& given) {
  constexpr std::string_view states[] = {"on", "off", "yes", "no", "0", "1", "true", "false"};
  if (std::ranges::find(states, lower_case(given.value)) != std::end(states))
    refuse_value(given,
                 fmt::format("{}; a file of this name is ./{}", given.row.values, given.value));
}

/// A word of a list.
struct OptionWord {
  const char* word;
  void (*set)(Options&);
};

[[noreturn]] void refuse_word(const GivenOption& given, const std::string& word,
                              std::span<const OptionWord> known) {
  std::vector<std::string> names;
  for (const OptionWord& option : known) names.emplace_back(option.word);
  fail(ErrorCode::bad_option, "unknown word: {}={}, '{}'; use none, or some of: {}{}", given.name,
       given.value, word, fmt::format("{}", fmt::join(names, ", ")), did_you_mean(word, names));
}

template <auto member>
using TypeOf = std::remove_reference_t<decltype(std::declval<Options&>().*member)>;

/// The values of the row are those of the enumeration, in its order; or "on" and "off".
template <auto member>
void one_of(const GivenOption& given, Options& options) {
  const std::size_t position = position_of_value(given);
  if constexpr (std::is_same_v<TypeOf<member>, bool>)
    options.*member = given.value == "on";
  else
    options.*member = static_cast<TypeOf<member>>(position);
}

/// One of the values of the row. The first only describes the default, an empty name.
template <auto member>
void name_of(const GivenOption& given, Options& options) {
  options.*member = position_of_value(given) == 0 ? "" : given.value;
}

template <auto member, std::int64_t low, std::int64_t high, std::int64_t unit = 1>
void number(const GivenOption& given, Options& options) {
  options.*member = static_cast<TypeOf<member>>(number_of(given, low, high) * unit);
}

/// Any text; the default of the row is the empty one.
template <auto member>
void text(const GivenOption& given, Options& options) {
  const bool is_default = given.value == words_of(given.row.values).front();
  options.*member = is_default ? "" : given.value;
}

/// For what names files that the library loads, reads or writes. @return whether the value counts
bool may_name_files(const GivenOption& given, Options& options) {
  if (given.is_privileged) options.ignored.push_back(given.name);
  return !given.is_privileged;
}

/// Files, libraries or folders, as for `text`.
template <auto member>
void path(const GivenOption& given, Options& options) {
  if (may_name_files(given, options)) text<member>(given, options);
}

/// The name of a file that the library writes, or as for `text`.
/// @throws Error bad_option  if it looks like the value of another switch
template <auto member>
void output_file(const GivenOption& given, Options& options) {
  check_file_name(given);
  path<member>(given, options);
}

/// A word without a value.
template <auto member, auto value>
void set(const GivenOption& given, Options& options) {
  if (!given.value.empty()) refuse_value(given, "the word without a value");
  options.*member = value;
}

/// The same for a word that makes the library write a file.
template <auto member, auto value>
void set_file(const GivenOption& given, Options& options) {
  if (may_name_files(given, options)) set<member, value>(given, options);
}

/// Applies every word of the list.
/// @throws Error bad_option  for unknown words
template <const auto& known>
void list(const GivenOption& given, Options& options) {
  for (const std::string& word : words_of(given.value)) {
    const auto found = std::ranges::find(known, word, &OptionWord::word);
    if (found == std::end(known)) refuse_word(given, word, known);
    found->set(options);
  }
}

/// OP2_ASYNC_IO: "off", or MiB.
void read_async_io(const GivenOption& given, Options& options) {
  const bool off = given.value == "off";
  options.async_io_bytes = off ? 0 : number_of(given, 1, 1'000'000'000, " (of MiB), or off") << 20;
}

/// OP2_JIT_LIMIT: "seconds" or "seconds:MiB".
void read_jit_limit(const GivenOption& given, Options& options) {
  constexpr std::int64_t most_seconds = 1'000'000, least_mib = 128, most_mib = 1'000'000'000;
  const std::size_t colon = std::min(given.value.find(':'), given.value.size());
  const auto part = [&](const char* name, std::string value, std::int64_t low, std::int64_t high) {
    return number_of(
        {given.row, fmt::format("{}={}, {}", given.name, given.value, name), std::move(value)}, low,
        high, " (as seconds or seconds:MiB, e.g. 60:2048)");
  };
  options.jit_seconds = part("seconds", given.value.substr(0, colon), 1, most_seconds);
  if (colon < given.value.size())
    options.jit_memory_bytes = part("MiB", given.value.substr(colon + 1), least_mib, most_mib)
                               << 20;
}

/// The help of a row in lines of at most 100 characters, indented below its values.
std::string help_lines(std::string_view help) {
  constexpr std::string_view indent = "      ";
  constexpr std::size_t width = 100 - indent.size();
  std::string lines;
  while (help.size() > width) {
    const std::size_t space = help.rfind(' ', width);
    if (space == help.npos) break;
    lines.append(indent).append(help.substr(0, space)).append("\n");
    help.remove_prefix(space + 1);
  }
  return lines.append(indent).append(help).append("\n");
}

void read_log_level(const GivenOption& given, Options& options) {
  log_level_named(given.value);
  options.log = given.value;
}

void read_tiling(const GivenOption& given, Options& options) {
  constexpr std::int64_t shuffled_rows = 37, most_rows = 1'000'000'000;
  constexpr std::array words{std::pair("auto", Tiling{}),
                             std::pair("off", Tiling{TileMode::off, 0}),
                             std::pair("shuffled", Tiling{TileMode::shuffled, shuffled_rows})};
  for (const auto& [word, tiling] : words) {
    if (given.value != word) continue;
    options.tile = tiling;
    return;
  }
  if (given.value.find_first_not_of("0123456789") != std::string::npos)
    refuse_value(given, given.row.values);
  options.tile = {TileMode::fixed, number_of(given, 1, most_rows)};
}

constexpr OptionWord dump_words[] = {
    {"cut", [](Options& o) { o.dump.insert("cut"); }},
    {"analyse", [](Options& o) { o.dump.insert({"analyse", "slice"}); }},
    {"chain", [](Options& o) { o.dump.insert({"analyse", "slice"}); }},
    {"order", [](Options& o) { o.dump.insert("order"); }},
    {"fuse", [](Options& o) { o.dump.insert("fuse"); }},
    {"source", [](Options& o) { o.dump.insert("source"); }},
    {"schedule", [](Options& o) { o.dump.insert("schedule"); }},
    {"partition", [](Options& o) { o.dump.insert("partition"); }},
};

constexpr OptionWord check_words[] = {
    {"access", [](Options& o) { o.check_access = true; }},
    {"bits", [](Options& o) { o.check_bits = true; }},
    {"finite", [](Options& o) { o.check_finite = true, o.queue_loops = false; }},
    {"pointers", [](Options& o) { o.check_pointers = true, o.queue_loops = false; }},
};

/// The words of OP2_DEBUG, after all variables.
void read_debug_words(const GivenOption& given, Options& options);

using O = Options;
constexpr OptionRow table[] = {
    {"OP2_TARGET", one_of<&O::target>, "cpu, cuda, reference",
     "where loops run; cuda: on an NVIDIA GPU, one per rank; reference: on one thread, without "
     "optimisations, as host functions if kernels have them"},
    {"OP2_THREADS", number<&O::threads, 1, 4096>, "the rank's part of the cores that it may use, n",
     "CPU threads of a rank"},
    {"OP2_MPI", one_of<&O::mpi>, "auto, on, off",
     "whether op_init starts MPI; auto: if a launcher may have started several processes, or if "
     "the program has started MPI; on: always; off: never, each process works alone, whatever its "
     "launcher says (share/doc/op2/docs/ranks.md)"},
    {"OP2_JIT", one_of<&O::jit>, "on, off, require",
     "off: host functions only; require: a kernel that cannot be compiled is an error even if it "
     "has a host function"},
    {"OP2_JIT_CPU", text<&O::jit_cpu>, "host, name",
     "compile for another CPU (LLVM's name, e.g. x86-64-v3)"},
    {"OP2_JIT_LIMIT", read_jit_limit, "60:2048, seconds, seconds:MiB",
     "CPU time and memory that the compilation of a kernel may take; more is an error of that "
     "kernel (not for GPUs)"},
    {"OP2_PLUGIN_DIR", path<&O::plugin_dir>, "folder of libop2, path",
     "where the JIT plug-ins are"},
    {"OP2_CUDA_DRIVER", path<&O::cuda_driver>, "search, file or folder",
     "the driver that OP2_TARGET=cuda uses: libcuda.so.1"},
    {"OP2_NVRTC", path<&O::nvrtc>, "search, file or folder",
     "the compiler that OP2_TARGET=cuda uses: libnvrtc.so of CUDA 12.0 or newer"},
    {"OP2_GPU_INC", one_of<&O::gpu_increments>, "auto, rows, pull",
     "how loops on a GPU add to rows through maps; rows: elements add atomically; pull: where a "
     "loop allows it, each row gathers what elements add to it, in their order; auto: where that "
     "is expected to take less time"},
    {"OP2_GPU_MPI", one_of<&O::gpu_messages>, "auto, on, off",
     "whether ranks on GPUs give MPI their messages in the memory of the GPU; auto: if MPI says "
     "that it takes them; off: in pinned memory of the host"},
    {"OP2_CACHE", one_of<&O::cache>, "rw, ro, off", "use of the cache directory"},
    {"OP2_CACHE_DIR", path<&O::cache_dir>, "$XDG_CACHE_HOME/op2 or ~/.cache/op2, path",
     "cache of compiled kernels"},
    {"OP2_CACHE_RO", path<&O::shared_caches>, "as the machine says, none, folder:folder:...",
     "caches of the site, which are searched first and never written to "
     "(share/doc/op2/docs/cache.md)"},
    {"OP2_CACHE_MAX_MB", number<&O::cache_max_bytes, 1, 1'000'000, 1 << 20>, "1024, n",
     "size at which old entries are removed"},
    {"OP2_CHAIN", one_of<&O::chain>, "off, on, auto",
     "on several ranks, what one halo exchange serves; off: one loop; on: a whole chain of loops, "
     "with redundant computation; auto: what a model with measured costs and short comparisons "
     "show "
     "to be the fastest for each sequence of loops, so that the last bits of sums depend on "
     "timing"},
    {"OP2_DEPTH_MAX", number<&O::depth_max, 1, 64>, "6, n",
     "most halo layers that a chain may need; longer chains are cut"},
    {"OP2_REDUCE", one_of<&O::reduce>, "auto, flat, node",
     "how sums and extremes go over the ranks, the same bits in each way; flat: as MPI combines "
     "all ranks; node: on each node, then over the nodes; auto: node, if there are several nodes "
     "with several ranks"},
    {"OP2_PARTITIONER", name_of<&O::partitioner>,
     "that of op_partition, ptscotch, rcb, block, random, external",
     "who owns what; overrides op_partition"},
    {"OP2_RENUMBER", one_of<&O::renumber>, "auto, off, on",
     "whether elements are reordered for locality; auto: unless the declared order is good; "
     "results and files keep the declared order. Programs for OP2's own headers on one rank: off, "
     "unless they call op_renumber or this is set"},
    {"OP2_SIMD", one_of<&O::simd>, "auto, on",
     "whether compiled code is vectorised over elements; auto: where it is expected to be faster; "
     "on: wherever it is possible"},
    {"OP2_VECTOR_MATH", one_of<&O::vector_math>, "off, on",
     "whether vectorised code may call vector versions of exp, sin, pow and other functions, whose "
     "last two bits may be wrong"},
    {"OP2_FP_CONTRACT", one_of<&O::contraction>, "auto, on, off",
     "whether compiled kernels may round a * b + c once; off: each operation is rounded, as in "
     "host functions compiled with -ffp-contract=off; auto: on, but off with OP2_REPRODUCIBLE=on; "
     "with that, on: it is rounded once on all processors, slowly on those without FMA"},
    {"OP2_REPRODUCIBLE", one_of<&O::reproducible>, "off, on",
     "on: dats and globals have the same bits whatever the ranks, threads, partitioner, chains, "
     "tiles and vectors, and on GPUs (share/doc/op2/docs/reproducibility.md); all kernels are "
     "compiled; OP2_TARGET=reference is then compiled code, one element after the other"},
    {"OP2_TILE", read_tiling, "auto, off, n, shuffled",
     "whether loops of a chain are executed together, tile by tile; auto: where a model of the "
     "caches expects a gain. To find faults: every chain in tiles of n elements, or shuffled, in "
     "small tiles in a random order"},
    {"OP2_ASYNC_IO", read_async_io, "off, MiB",
     "memory on each rank for results that a thread writes in the background; when it is full, the "
     "program waits; errors come at the next such call or op_exit (share/doc/op2/docs/files.md)"},
    {"OP2_LOG", read_log_level, "warning, off, error, info, debug",
     "what is logged to stderr; without it the diags argument of op_init decides"},
    {"OP2_DUMP", list<dump_words>,
     "none, list of cut, analyse or chain, order, fuse, source, schedule, partition",
     "log results of passes whenever they run; chain: also what OP2_CHAIN=auto chooses"},
    {"OP2_TRACE", output_file<&O::trace>, "none, file.json",
     "write a trace of loops and compilations, which Perfetto opens"},
    {"OP2_TIMING", output_file<&O::timing>,
     "none, - (standard output), file (.csv, .json, any other: text)",
     "write the per-loop table, parts of the wall time and regions at op_exit "
     "(share/doc/op2/docs/profiling.md)"},
    {"OP2_TOOLS", path<&O::tools>, "none, list of libraries",
     "load tools, which are told of loops, regions and the library's work "
     "(share/doc/op2/docs/profiling.md)"},
    {"OP2_HASH", output_file<&O::hash_file>, "none, file",
     "write a hash of every value that the program declares, fetches or reads, and of all dats at "
     "op_exit; op2-jitinspect diff compares two such files"},
    {"OP2_MODEL", output_file<&O::model_file>, "none, file.json",
     "record at op_exit what a prediction for many ranks needs: sequences of loops, their times, "
     "and the mesh, in a second file; for op2-model (share/doc/op2/docs/model.md)"},
    {"OP2_CHECK", list<check_words>, "none, list of access, bits, finite, pointers",
     "check the program; access: a kernel that breaks an access mode of its loop is an error "
     "instead of a warning; bits, with OP2_REPRODUCIBLE=on: all loops are executed twice, the "
     "first time by one thread and one after the other, and the first loop, dat and element whose "
     "bits differ are an error; finite: the first loop, dat and element with NaN or infinity is an "
     "error, and every loop is executed at its call; pointers: every loop is executed at its call, "
     "so that data read through pointers (`dat->data`) are current; if results change, the program "
     "lacks a flush; on a GPU, loops are reported whose dats were written so, but not uploaded"},
    {"OP2_DEBUG", read_debug_words, "none, list of words",
     "for tests of the library and comparisons; share/doc/op2/docs/switches.md lists the words"},
};

/// The words of OP2_DEBUG, in the order in which they are set.
constexpr OptionRow debug_words[] = {
    {"exchange", one_of<&O::exchange>, "grouped, separate",
     "one message per neighbour and exchange, or one per dat and halo part"},
    {"slice", one_of<&O::slice>, "auto, off, always",
     "single rows of halos in chains on CPUs: where OP2_CHAIN=auto expects a gain; never; in every "
     "chain where they save a tenth of the bytes or of the redundant iterations"},
    {"queue_max", number<&O::queue_max, 1, 4096>, "64, n", "loops that are queued at most"},
    {"node_size", number<&O::node_size, 1, 1'000'000>, "ranks that share memory, n",
     "n ranks with successive numbers are a node of OP2_REDUCE"},
    {"schedules", number<&O::schedules, 1, 1'000'000'000>, "by costs, n",
     "OP2_CHAIN=auto changes the schedules of sequences at random flushes, from the seed n"},
    {"patience", number<&O::progress_interval_ms, 1, 1'000'000>, "2000, n",
     "milliseconds between lines that show that something takes long"},
    {"keep_dead", set<&O::eliminate_dead_loops, false>, "",
     "loops whose results are overwritten before use are executed too"},
    {"no_fuse", set<&O::fuse, false>, "", "every loop runs by itself"},
    {"no_simd", set<&O::simd, SimdMode::off>, "",
     "compiled code executes one element after the other"},
    {"no_tile", set<&O::tile, Tiling{TileMode::off, 0}>, "", "loops run one after the other"},
    {"gdb", set<&O::gdb_symbols, true>, "",
     "compiled loops have names in gdb (share/doc/op2/docs/debugging.md)"},
    {"perf", set_file<&O::perf_map, true>, "",
     "compiled loops have names in perf, by a file /tmp/perf-PID.map "
     "(share/doc/op2/docs/debugging.md)"},
};

/// "exchange=..., no_fuse", for messages.
std::string known_debug_words() {
  std::vector<std::string> known;
  for (const OptionRow& row : debug_words)
    known.push_back(fmt::format("{}{}", row.name, *row.values == '\0' ? "" : "=..."));
  return fmt::format("{}", fmt::join(known, ", "));
}

/// @param word  "no_fuse", "queue_max=40"
GivenOption given_word(const GivenOption& list, std::string_view word) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  const auto row = std::ranges::find(debug_words, name, &OptionRow::name);
  if (row == std::end(debug_words))
    fail(ErrorCode::bad_option, "unknown word: {}={}; use {}", list.name, name,
         known_debug_words());
  return {*row, fmt::format("{}={}", list.name, name),
          std::string(word.substr(std::min(equals + 1, word.size()))), list.is_privileged};
}

void read_debug_words(const GivenOption& given, Options& options) {
  std::map<const OptionRow*, GivenOption> words;  // in the order of the table
  for (const std::string& text : words_of(given.value)) {
    const GivenOption word = given_word(given, text);
    const auto [known, is_new] = words.try_emplace(&word.row, word);
    if (!is_new && known->second.value != word.value)
      fail(ErrorCode::bad_option, "two values for one switch: {}={} and {}={}; give one of them",
           known->second.name, known->second.value, word.name, word.value);
  }
  for (const auto& [row, word] : words) row->parse(word, options);
}

std::vector<std::string> known_variables() {
  std::vector<std::string> names{"OP2_EMBED_KERNELS"};  // of the compiler wrapper
  for (const OptionRow& row : table) names.emplace_back(row.name);
  return names;
}

std::string as_markdown(const char* heading, std::span<const OptionRow> rows) {
  std::string text =
      fmt::format("| {} | values (default first) | meaning |\n|---|---|---|\n", heading);
  for (const OptionRow& row : rows)
    text += fmt::format("| `{}` | {} | {} |\n", row.name, row.values, row.help);
  return text;
}

/// The reference executes every loop as written, since others are compared with it.
void restrict_to_reference(Options& options) {
  options.eliminate_dead_loops = false;
  options.fuse = false;
  options.chain = ChainMode::off;
  options.tile.mode = TileMode::off;
  if (!options.reproducible) options.renumber = RenumberMode::off;
}

[[noreturn]] void refuse_reproducible(const char* setting, const char* why) {
  fail(ErrorCode::bad_option,
       "two switches exclude each other: OP2_REPRODUCIBLE=on and {}, since {}; unset one of them",
       setting, why);
}

/// All loops run as compiled code, whose form alone decides the bits.
void restrict_to_reproducible(Options& options) {
  if (options.vector_math)
    refuse_reproducible("OP2_VECTOR_MATH=on",
                        "vector functions round in another way than those that scalar code calls");
  if (options.jit == JitMode::off)
    refuse_reproducible("OP2_JIT=off", "host functions have the arithmetic of another compiler");
  if (options.target == Target::cuda && options.contraction == Contraction::on)
    refuse_reproducible("OP2_FP_CONTRACT=on and OP2_TARGET=cuda",
                        "compilers for GPUs contract by other rules");
  options.jit = JitMode::require;
  // The canonical order decides in which order is added, so any other one would need slots.
  if (options.renumber == RenumberMode::automatic) options.renumber = RenumberMode::canonical;
  if (options.target != Target::reference) return;
  if (options.renumber == RenumberMode::on) options.renumber = RenumberMode::canonical;
  options.target = Target::cpu;
  options.threads = 1;
  options.simd = SimdMode::off;
}

/// What switches mean for each other.
/// @throws Error bad_option  of switches that exclude or need each other
void apply_rules(Options& options) {
  if (options.check_bits && !options.reproducible)
    fail(ErrorCode::bad_option,
         "a switch needs another: OP2_CHECK=bits compares bits that are equal only with "
         "OP2_REPRODUCIBLE=on; set that too");
  if (options.target == Target::reference) restrict_to_reference(options);
  if (options.reproducible) restrict_to_reproducible(options);
}

}  // namespace

bool is_privileged() {
  return getauxval(AT_SECURE) != 0;
}

Options read_options(const std::function<std::optional<std::string>(const char*)>& lookup,
                     bool is_privileged) {
  Options options;
  for (const OptionRow& row : table)
    if (const auto value = lookup(row.name))
      row.parse({row, row.name, *value, is_privileged}, options);
  apply_rules(options);
  return options;
}

std::vector<std::string> unknown_switches(char** environment) {
  const std::vector<std::string> known = known_variables();
  std::vector<std::string> unknown;
  for (char** entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "="));
    if (const auto meant = misspelled("OP2_", name, known))
      unknown.push_back(name + " is not a switch of libop2; --op2-help lists them" + *meant);
  }
  return unknown;
}

std::string switches_as_text() {
  std::string text =
      "libop2 reads these environment variables in op_init (the first value is the default):\n\n";
  for (const OptionRow& row : table)
    text += fmt::format("  {}={}\n{}", row.name, row.values, help_lines(row.help));
  return text +
         "\nWhere libop2 is installed (Debian: /usr/share/doc/op2, package op2-doc), each has an\n"
         "example in share/doc/op2/docs/switches.md, each code of an error a remedy in\n"
         "share/doc/op2/docs/errors.md; the reference is share/doc/op2/html/index.html.\n";
}

std::string switches_as_markdown() {
  return as_markdown("variable", table);
}

std::string debug_words_as_markdown() {
  return as_markdown("word", debug_words);
}

}  // namespace op2::core
