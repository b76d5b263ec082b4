// SPDX-License-Identifier: BSD-3-Clause
#include <core/options.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include <core/error.hpp>
#include <core/log.hpp>
#include <core/option_rows.hpp>
#include <core/option_rules.hpp>
#include <core/similar_name.hpp>

namespace op2::core {
namespace {

void read_log_level(const GivenOption& given, Options& options) {
  log_level_named(given.value);
  options.log = given.value;
}

/// The words of OP2_TILE and of the word `tile`.
void read_tiling(const GivenOption& given, Options& options) {
  constexpr std::int64_t shuffled_rows = 37, most_rows = 1'000'000'000;
  constexpr std::array words{std::pair("auto", Tiling{}),
                             std::pair("measured", Tiling{TileMode::measured, 0}),
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
    {"cut", [](Options& o) { o.dump.cut = true; }},
    {"analyse", [](Options& o) { o.dump.analyse = true; }},
    {"chain", [](Options& o) { o.dump.analyse = true; }},
    {"order", [](Options& o) { o.dump.order = true; }},
    {"fuse", [](Options& o) { o.dump.fuse = true; }},
    {"source", [](Options& o) { o.dump.source = true; }},
    {"schedule", [](Options& o) { o.dump.schedule = true; }},
    {"partition", [](Options& o) { o.dump.partition = true; }},
};

constexpr OptionWord check_words[] = {
    {"access", [](Options& o) { o.check_access = true; }},
    {"bits", [](Options& o) { o.check_bits = true; }},
    {"finite", [](Options& o) { o.check_finite = true, o.queue_loops = false; }},
    {"pointers", [](Options& o) { o.check_pointers = true, o.queue_loops = false; }},
};

/// Does nothing: words of OP2_DEBUG are read together with the variables that they replace.
void read_elsewhere(const GivenOption&, Options&) {}

using O = Options;
constexpr OptionRow table[] = {
    {"OP2_TARGET", one_of<&O::target>, "cpu, cuda, reference",
     "where loops run; cuda: on an NVIDIA GPU, one per rank; reference: on one thread, without "
     "optimisations, as host functions if kernels have them"},
    {"OP2_THREADS", number<&O::threads, 1, 4096>, "all cores bound to the process, n",
     "CPU threads"},
    {"OP2_JIT", one_of<&O::jit>, "on, off, require",
     "off: host functions only; require: a kernel that cannot be compiled is an error even if it "
     "has a host function"},
    {"OP2_JIT_WAIT", one_of<&O::jit_wait>, "on, off",
     "off: on one rank loops run as host functions while their kernels are compiled in the "
     "background; the last bits of results then depend on timing"},
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
     "with redundant computation; auto: what measured costs, a model and short trials show to be "
     "the fastest for each sequence of loops, so that the last bits of sums depend on timing"},
    {"OP2_DEPTH_MAX", number<&O::depth_max, 1, 64>, "6, n",
     "most halo layers that a chain may need; longer chains are cut"},
    {"OP2_SLICE", one_of<&O::slice>, "off, on",
     "where OP2_CHAIN is on, or auto chooses it, on CPUs: whether chains receive and execute "
     "exactly the rows that they need instead of halo layers, where that saves a tenth of the "
     "bytes or of the redundant iterations"},
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
    {"OP2_TILE", read_tiling, "auto, measured, off",
     "whether loops of a chain are executed together, tile by tile; auto: where a model of the "
     "caches expects a gain; measured: only if a trial of both ways confirms it, so that the last "
     "bits of sums depend on timing"},
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
    {"OP2_DEBUG", read_elsewhere, "none, list of words",
     "for tests of the library and comparisons; share/doc/op2/docs/switches.md lists the words"},
};

/// The words of OP2_DEBUG, in the order in which they are set. A variable is named with '=' if the
/// word was one of a list in it.
constexpr OptionRow debug_words[] = {
    {"exchange", one_of<&O::exchange>, "grouped, separate",
     "one message per neighbour and exchange, or one per dat and halo part", "OP2_EXCHANGE"},
    {"queue_max", number<&O::queue_max, 1, 4096>, "64, n", "loops that are queued at most",
     "OP2_QUEUE_MAX"},
    {"node_size", number<&O::node_size, 1, 1'000'000>, "ranks that share memory, n",
     "n ranks with successive numbers are a node of OP2_REDUCE"},
    {"schedules", number<&O::schedules, 1, 1'000'000'000>, "by costs and trials, n",
     "OP2_CHAIN=auto changes the schedules of sequences at random flushes, from the seed n"},
    {"patience", number<&O::patience_ms, 1, 1'000'000>, "2000, n",
     "milliseconds between lines that show that something takes long"},
    {"tile", read_tiling, "auto, measured, off, n, shuffled",
     "n: every chain in tiles of n elements; shuffled: in small tiles in a random order; the "
     "others as for OP2_TILE",
     "OP2_TILE"},
    {"keep_dead", set<&O::eliminate_dead_loops, false>, "",
     "loops whose results are overwritten before use are executed too", "OP2_DISABLE=dead"},
    {"no_fuse", set<&O::fuse, false>, "", "every loop runs by itself", "OP2_DISABLE=fuse"},
    {"no_simd", set<&O::simd, SimdMode::off>, "",
     "compiled code executes one element after the other", "OP2_DISABLE=simd"},
    {"no_tile", set<&O::tile, Tiling{TileMode::off, 0}>, "", "loops run one after the other",
     "OP2_DISABLE=tile"},
    {"gdb", set<&O::gdb_symbols, true>, "",
     "compiled loops have names in gdb (share/doc/op2/docs/debugging.md)"},
    {"perf", set_file<&O::perf_map, true>, "",
     "compiled loops have names in perf, by a file /tmp/perf-PID.map "
     "(share/doc/op2/docs/debugging.md)"},
};

using Lookup = std::function<std::optional<std::string>(const char*)>;

/// The value given for each word, in the order of the table.
using GivenWords = std::map<const OptionRow*, GivenOption>;

/// @throws Error bad_option  if the word has another value already
void add(GivenWords& words, const GivenOption& given) {
  const auto [known, is_new] = words.try_emplace(&given.row, given);
  if (!is_new && known->second.value != given.value)
    fail(ErrorCode::bad_option, "two values for one switch: {}={} and {}={}; give one of them",
         known->second.name, known->second.value, given.name, given.value);
}

/// The words of a list, for messages: "exchange=..., no_fuse", or of a former list "fuse, simd".
std::string known_words(std::string_view list) {
  std::vector<std::string> known;
  for (const OptionRow& row : debug_words) {
    const std::string_view former = row.former;
    if (list == "OP2_DEBUG")
      known.push_back(fmt::format("{}{}", row.name, *row.values == '\0' ? "" : "=..."));
    else if (former.starts_with(list) && former.size() > list.size())
      known.emplace_back(former.substr(list.size() + 1));
  }
  return fmt::format("{}", fmt::join(known, ", "));
}

[[noreturn]] void refuse_word(std::string_view list, std::string_view word) {
  fail(ErrorCode::bad_option, "unknown word: {}={}; use {}", list, word, known_words(list));
}

const OptionRow& row_where(std::string_view list, std::string_view word, auto&& fits) {
  const auto found = std::find_if(std::begin(debug_words), std::end(debug_words), fits);
  if (found == std::end(debug_words)) refuse_word(list, word);
  return *found;
}

/// The words of OP2_DEBUG: "no_fuse", "tile=40".
void add_words(GivenWords& words, const std::string& list) {
  for (const std::string& word : words_of(list)) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, equals);
    const OptionRow& row =
        row_where("OP2_DEBUG", name, [&](const OptionRow& known) { return name == known.name; });
    add(words, {row, "OP2_DEBUG=" + name, word.substr(std::min(equals + 1, word.size()))});
  }
}

/// The words of the former OP2_DISABLE.
void add_disabled(GivenWords& words, const std::string& list) {
  for (const std::string& word : words_of(list)) {
    const std::string former = "OP2_DISABLE=" + word;
    const OptionRow& row = row_where(
        "OP2_DISABLE", word, [&](const OptionRow& known) { return former == known.former; });
    add(words, {row, former, ""});
  }
}

void read_debug_words(const Lookup& lookup, bool is_privileged, Options& options) {
  GivenWords words;
  if (const auto list = lookup("OP2_DEBUG")) add_words(words, *list);
  if (const auto list = lookup("OP2_DISABLE")) add_disabled(words, *list);
  for (const OptionRow& row : debug_words)
    if (const auto value = lookup(row.former)) add(words, {row, row.former, *value});
  for (auto& [row, given] : words) {
    given.is_privileged = is_privileged;
    row->parse(given, options);
  }
}

std::vector<std::string> known_variables() {
  std::vector<std::string> names{"OP2_EMBED_KERNELS"};  // of the compiler wrapper
  for (const OptionRow& row : table) names.emplace_back(row.name);
  for (const OptionRow& row : debug_words)
    names.emplace_back(row.former, std::strcspn(row.former, "="));
  return names;
}

}  // namespace

Options read_options(const Lookup& lookup, bool is_privileged) {
  Options options;
  for (const OptionRow& row : table)
    if (const auto value = lookup(row.name))
      row.parse({row, row.name, *value, is_privileged}, options);
  read_debug_words(lookup, is_privileged, options);
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
  std::string text = "| variable | values (default first) | meaning |\n|---|---|---|\n";
  for (const OptionRow& row : table)
    text += fmt::format("| `{}` | {} | {} |\n", row.name, row.values, row.help);
  return text;
}

std::string debug_words_as_markdown() {
  std::string text =
      "| word | values (default first) | meaning | also read as |\n|---|---|---|---|\n";
  for (const OptionRow& row : debug_words)
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.name, row.values, row.help,
                        *row.former == '\0' ? "" : fmt::format("`{}`", row.former));
  return text;
}

}  // namespace op2::core
