// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <jit/cache_entry.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "store.hpp"

namespace op2::jitinspect {

namespace {

// Instructions in LLVM IR and in assembly, counted line by line: enough to see at a glance whether
// a kernel was vectorised and whether it calls anything.

struct IrStatistics {
  std::int64_t instructions = 0;
  std::int64_t loads = 0;
  std::int64_t stores = 0;
  std::int64_t calls = 0;    ///< without LLVM's intrinsics
  std::int64_t vectors = 0;  ///< instructions on vectors of fixed length
};

bool contains(std::string_view line, std::string_view words) {
  return line.find(words) != std::string_view::npos;
}

/// "<4 x double>" and the like.
bool names_a_vector(std::string_view line) {
  for (std::size_t at = line.find('<'); at < line.size(); at = line.find('<', at + 1)) {
    std::size_t end = at + 1;
    while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end]))) ++end;
    if (end > at + 1 && line.substr(end).starts_with(" x ")) return true;
  }
  return false;
}

/// Deeper lines continue an instruction, others are labels, declarations and metadata.
bool is_ir_instruction(std::string_view line) {
  return line.size() > 2 && line.starts_with("  ") && line[2] != ' ' && line[2] != ';' &&
         line[2] != ']';
}

IrStatistics ir_statistics(std::string_view ir) {
  IrStatistics sum;
  for (const std::string& line : split(ir, '\n')) {
    if (!is_ir_instruction(line)) continue;
    ++sum.instructions;
    sum.loads += contains(line, " = load ");
    sum.stores += line.starts_with("  store ");
    sum.calls += contains(line, "call ") && !contains(line, "@llvm.");
    sum.vectors += names_a_vector(line);
  }
  return sum;
}

/// Instructions in the text of an assembler file, or of PTX.
std::int64_t assembly_instructions(std::string_view assembly) {
  std::int64_t count = 0;
  for (const std::string& line : split(assembly, '\n'))
    count += line.size() > 1 && line[0] == '\t' &&
             (line[1] == '@' || std::isalpha(static_cast<unsigned char>(line[1])) != 0);
  return count;
}

using jit::CacheEntry;

bool is_of_gpu(const CacheEntry& entry) {
  return entry.key.target == "cuda";
}

std::vector<std::string> findings_of(const CacheEntry& entry) {
  std::vector<std::string> list;
  for (const jit::AccessFinding& finding : entry.findings)
    list.push_back(fmt::format("argument {}: {}, line {} of {}", finding.argument, finding.what,
                               finding.line, finding.file));
  return list;
}

/// What the entry says of each parameter that something is known about, after `prefix`.
void add_facts(std::vector<std::string>& list, const CacheEntry& entry, const std::string& prefix) {
  for (std::size_t i = 0; i < entry.facts.size(); ++i) {
    const jit::ArgumentFacts& facts = entry.facts[i];
    if (facts == jit::ArgumentFacts{}) continue;
    const std::string obstacle =
        facts.file.empty() ? facts.why
                           : fmt::format("{}, line {} of {}", facts.why, facts.line, facts.file);
    list.push_back(fmt::format("{}argument {}: {}", prefix, i,
                               facts.leaves_zero   ? "is set to zero"
                               : facts.writes_all  ? "is written in full"
                               : facts.only_adds   ? "is only added to"
                               : facts.only_lowers ? "is only lowered"
                               : facts.only_raises ? "is only raised"
                                                   : obstacle));
  }
}

/// Kinds, types, dims and access modes, without the dats and maps, of which facts know nothing.
std::vector<std::string> argument_shapes(const CacheEntry& entry) {
  std::vector<std::string> shapes;
  for (const std::string& line : split(entry.key.arguments, '\n')) {
    std::vector<std::string> words = split(line, ' ');
    if (words.empty() || words.front() == "kernel") continue;
    words.resize(4);
    shapes.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return shapes;
}

/// Whether `facts` is the entry of the facts about a kernel of `code`.
bool is_about(const CacheEntry& facts, const CacheEntry& code) {
  const std::vector<std::string> kernels = split(code.key.kernel, '+');
  return std::ranges::count(kernels, facts.key.kernel) != 0 &&
         code.key.source.find(facts.key.source) != std::string::npos &&
         code.key.includes.find(facts.key.includes) != std::string::npos &&
         (kernels.size() > 1 || argument_shapes(facts) == argument_shapes(code));
}

/// The facts of the entry; of code, those that other entries have of its kernels.
std::vector<std::string> facts_of(const Store& store, const StoredEntry& stored) {
  const CacheEntry& entry = stored.parsed.entry;
  std::vector<std::string> list;
  add_facts(list, entry, "");
  if (!stored.has_code()) return list;
  for (const StoredEntry& other : store.entries) {
    const CacheEntry& facts = other.parsed.entry;
    if (!other.good() || other.has_code() || !is_about(facts, entry)) continue;
    const bool is_one = facts.key.kernel == entry.key.kernel;
    add_facts(list, facts, is_one ? "" : fmt::format("kernel {}: ", facts.key.kernel));
  }
  return list;
}

/// What is shown of an entry, for programs and for people.
struct Description {
  Json document = Json::object();
  std::string text;

  void line(std::string_view label, std::string_view words) {
    text += fmt::format("{:<10} {}\n", label, printable(words));
  }
  void lines(const char* label, const std::string& words) {
    text += fmt::format("{}\n", label);
    for (const std::string& word : split(words, '\n'))
      text += fmt::format("    {}\n", printable(word));
  }
  /// The same in both.
  void add(const char* key, const std::string& words) {
    document[key] = words;
    line(key, words);
  }
};

void add_fields(Description& shown, const CacheEntry& entry) {
  for (const jit::KeyField& field : jit::key_fields) {
    const std::string& value = entry.key.*field.value;
    shown.document["fields"][field.name] = value;
    if (value.find('\n') == std::string::npos)
      shown.line(field.name, value.empty() ? "-" : value);
    else
      shown.lines(field.name, value);
  }
}

void add_statistics(Description& shown, const CacheEntry& entry) {
  const IrStatistics ir = ir_statistics(entry.ir);
  const std::int64_t instructions = assembly_instructions(entry.assembly);
  shown.document["statistics"] = {{"compile_ms", 1e3 * entry.compile_seconds},
                                  {"kernel_source_bytes", entry.key.source.size()},
                                  {"source_bytes", entry.source.size()},
                                  {"ir_bytes", entry.ir.size()},
                                  {"assembly_bytes", entry.assembly.size()},
                                  {"object_bytes", entry.object.size()},
                                  {"ir_instructions", ir.instructions},
                                  {"ir_loads", ir.loads},
                                  {"ir_stores", ir.stores},
                                  {"ir_calls", ir.calls},
                                  {"ir_vector_instructions", ir.vectors},
                                  {"assembly_instructions", instructions}};
  shown.line("compiled", fmt::format("in {:.1f} ms", 1e3 * entry.compile_seconds));
  shown.line("source",
             fmt::format("{}, around a kernel of {}", size_words(std::ssize(entry.source)),
                         size_words(std::ssize(entry.key.source))));
  if (!entry.ir.empty())
    shown.line("IR",
               fmt::format("{}, {} instructions: {} loads, {} stores, {} calls, {} on vectors",
                           size_words(std::ssize(entry.ir)), ir.instructions, ir.loads, ir.stores,
                           ir.calls, ir.vectors));
  shown.line(
      is_of_gpu(entry) ? "PTX" : "assembly",
      fmt::format("{}, {} instructions", size_words(std::ssize(entry.assembly)), instructions));
  shown.line("object", size_words(std::ssize(entry.object)));
}

/// How the code uses the processor: SIMD lanes of a CPU, or registers and memory of a GPU.
void add_execution(Description& shown, const CacheEntry& entry) {
  const auto kernels = jit::resources_in(entry.assembly);
  const std::string simd = jit::description_of(entry.simd);
  shown.document["simd"] = {{"width", entry.simd.width}, {"description", simd}};
  shown.document["flops"] = entry.flops >= 0 ? Json(entry.flops) : Json();
  if (!is_of_gpu(entry))
    shown.line("SIMD", simd);
  else if (kernels.empty())
    shown.line("registers",
               "known to the driver only: the code is PTX, of which it makes machine code");
  if (entry.flops >= 0)
    shown.line("flops",
               fmt::format("{:.5g} floating-point operations for an element", entry.flops));
  Json& list = shown.document["resources"] = Json::array();
  for (const jit::KernelResources& kernel : kernels) {
    list.push_back({{"kernel", kernel.kernel},
                    {"registers", kernel.registers},
                    {"stack_bytes", kernel.stack_bytes},
                    {"spill_store_bytes", kernel.spill_store_bytes},
                    {"spill_load_bytes", kernel.spill_load_bytes},
                    {"shared_bytes", kernel.shared_bytes}});
    shown.line(printable(kernel.kernel),
               fmt::format("{} registers, {} bytes spilled and {} of stack for a thread; {} bytes "
                           "of shared memory for a block",
                           kernel.registers, kernel.spill_store_bytes, kernel.stack_bytes,
                           kernel.shared_bytes));
  }
}

/// Each of several texts.
void add_each(Description& shown, const char* key, const std::vector<std::string>& texts) {
  shown.document[key] = texts;
  for (const std::string& text : texts) shown.line(key, text);
}

void add_summary(Description& shown, const Store& store, const StoredEntry& stored) {
  const CacheEntry& entry = stored.parsed.entry;
  shown.line("key", jit::name_of(stored.parsed.key));
  shown.add("kernel", entry.key.kernel);
  shown.add("loop", entry.loop);
  shown.document["symbol"] = entry.symbol;
  Description code;
  code.add("signature", entry.signature);
  add_execution(code, entry);
  shown.document.update(code.document);
  if (stored.has_code()) shown.text += code.text;
  shown.document["arguments"] = split(entry.key.arguments, '\n');
  shown.lines("arguments", entry.key.arguments);
  shown.document["constants"] = split(entry.key.constants, '\n');
  if (!entry.key.constants.empty()) shown.lines("constants", entry.key.constants);
  add_each(shown, "access", findings_of(entry));
  add_each(shown, "facts", facts_of(store, stored));
  shown.add("target", entry.key.target);
  shown.document["triple"] = entry.key.triple;
  shown.document["cpu"] = entry.key.cpu;
  if (!entry.key.compiler.empty())
    shown.line("machine", fmt::format("{} {}", entry.key.triple, entry.key.cpu));
  for (const auto& [key, words] :
       {std::pair("compiler", &entry.key.compiler), std::pair("options", &entry.key.options)}) {
    shown.document[key] = *words;
    if (!words->empty()) shown.line(key, *words);
  }
  shown.document["created"] = entry.created;
  shown.document["used"] = stored.file.used;
  shown.line("created", fmt::format("{}, last used {} ago", date_words(entry.created),
                                    age_words(stored.file.used)));
  shown.document["file"] = stored.file.name;
  shown.document["bytes"] = stored.file.bytes;
  shown.line("file", size_words(stored.file.bytes));
  Description statistics;
  add_statistics(statistics, entry);
  shown.document.update(statistics.document);
  if (stored.has_code()) shown.text += statistics.text;
}

/// @throws Failure if code of its kind has no such part
Description part_of(const Store& store, const StoredEntry& stored, Part part) {
  const CacheEntry& entry = stored.parsed.entry;
  Description shown;
  const auto show_text = [&](const char* key, const std::string& text) {
    shown.document[key] = text;
    shown.text = printable(text);
  };
  switch (part) {
    case Part::summary:
      add_summary(shown, store, stored);
      break;
    case Part::source:
      show_text("source", entry.source);
      break;
    case Part::ir:
      if (is_of_gpu(entry))
        throw Failure(2, fmt::format("code for a GPU has no LLVM IR: NVRTC has compiled '{}'; "
                                     "--source shows what it compiled, --asm the PTX that it made",
                                     entry.key.kernel));
      show_text("ir", entry.ir);
      break;
    case Part::assembly:
      show_text("assembly", entry.assembly);
      break;
    case Part::key:
      add_fields(shown, entry);
      break;
    case Part::statistics:
      add_statistics(shown, entry);
      break;
  }
  return shown;
}

}  // namespace

int show(const Request& request) {
  const Store store = load(request.directory);
  const StoredEntry stored = complete(store, select(store, request.key));
  const Description shown = part_of(store, stored, request.part);
  if (!request.json) {
    fmt::print("{}", shown.text);
    return 0;
  }
  Json document{{"key", jit::name_of(stored.parsed.key)}};
  document.update(shown.document);
  print_json(document);
  return 0;
}

}  // namespace op2::jitinspect
