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

Json key_fields_of(const CacheEntry& entry) {
  Json fields = Json::object();
  for (const jit::KeyField& field : jit::key_fields) fields[field.name] = entry.key.*field.value;
  return fields;
}

Json statistics_of(const CacheEntry& entry) {
  const IrStatistics ir = ir_statistics(entry.ir);
  return {{"compile_ms", 1e3 * entry.compile_seconds},
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
          {"assembly_instructions", assembly_instructions(entry.assembly)}};
}

std::string words_of(const jit::AccessFinding& finding) {
  return fmt::format("argument {}: {}, line {} of {}", finding.argument, finding.what, finding.line,
                     finding.file);
}

Json findings_of(const CacheEntry& entry) {
  Json list = Json::array();
  for (const jit::AccessFinding& finding : entry.findings) list.push_back(words_of(finding));
  return list;
}

/// What the entry says of each parameter that something is known about, after `prefix`.
void add_facts(Json& list, const CacheEntry& entry, const std::string& prefix) {
  for (std::size_t i = 0; i < entry.facts.size(); ++i) {
    const jit::ParameterFacts& facts = entry.facts[i];
    if (facts == jit::ParameterFacts{}) continue;
    const std::string obstacle =
        facts.file.empty()
            ? facts.obstacle
            : fmt::format("{}, line {} of {}", facts.obstacle, facts.line, facts.file);
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
Json facts_of(const Store& store, const StoredEntry& stored) {
  const CacheEntry& entry = stored.parsed.entry;
  Json list = Json::array();
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

Json simd_of(const CacheEntry& entry) {
  return {{"width", entry.simd.width}, {"description", jit::description_of(entry.simd)}};
}

/// Of each kernel of a GPU's code.
Json resources_of(const CacheEntry& entry) {
  Json list = Json::array();
  for (const jit::KernelResources& kernel : jit::resources_in(entry.assembly))
    list.push_back({{"kernel", kernel.kernel},
                    {"registers", kernel.registers},
                    {"stack_bytes", kernel.stack_bytes},
                    {"spill_store_bytes", kernel.spill_store_bytes},
                    {"spill_load_bytes", kernel.spill_load_bytes},
                    {"shared_bytes", kernel.shared_bytes}});
  return list;
}

Json summary_of(const Store& store, const StoredEntry& stored) {
  const CacheEntry& entry = stored.parsed.entry;
  return {{"kernel", entry.key.kernel},
          {"loop", entry.loop},
          {"symbol", entry.symbol},
          {"signature", entry.signature},
          {"simd", simd_of(entry)},
          {"flops", entry.flops >= 0 ? Json(entry.flops) : Json()},
          {"arguments", split(entry.key.arguments, '\n')},
          {"constants", split(entry.key.constants, '\n')},
          {"access", findings_of(entry)},
          {"facts", facts_of(store, stored)},
          {"target", entry.key.target},
          {"triple", entry.key.triple},
          {"cpu", entry.key.cpu},
          {"compiler", entry.key.compiler},
          {"options", entry.key.options},
          {"created", entry.created},
          {"used", stored.file.used},
          {"file", stored.file.name},
          {"bytes", stored.file.bytes},
          {"resources", resources_of(entry)},
          {"statistics", statistics_of(entry)}};
}

Json part_of(const Store& store, const StoredEntry& stored, Part part) {
  const CacheEntry& entry = stored.parsed.entry;
  switch (part) {
    case Part::summary:
      return summary_of(store, stored);
    case Part::source:
      return {{"source", entry.source}};
    case Part::ir:
      return {{"ir", entry.ir}};
    case Part::assembly:
      return {{"assembly", entry.assembly}};
    case Part::key:
      return {{"fields", key_fields_of(entry)}};
    case Part::statistics:
      return {{"statistics", statistics_of(entry)}};
  }
  return {};
}

void print_lines(const char* name, const std::string& text) {
  fmt::print("{}\n", name);
  for (const std::string& line : split(text, '\n')) fmt::print("    {}\n", printable(line));
}

void print_fields(const CacheEntry& entry) {
  for (const jit::KeyField& field : jit::key_fields) {
    const std::string& value = entry.key.*field.value;
    if (value.find('\n') == std::string::npos)
      fmt::print("{:<11}{}\n", field.name, value.empty() ? "-" : printable(value));
    else
      print_lines(field.name, value);
  }
}

void print_statistics(const CacheEntry& entry) {
  const IrStatistics ir = ir_statistics(entry.ir);
  fmt::print("compiled   in {:.1f} ms\n", 1e3 * entry.compile_seconds);
  fmt::print("source     {}, around a kernel of {}\n", size_words(std::ssize(entry.source)),
             size_words(std::ssize(entry.key.source)));
  if (!entry.ir.empty())
    fmt::print("IR         {}, {} instructions: {} loads, {} stores, {} calls, {} on vectors\n",
               size_words(std::ssize(entry.ir)), ir.instructions, ir.loads, ir.stores, ir.calls,
               ir.vectors);
  fmt::print("{:<10} {}, {} instructions\n", is_of_gpu(entry) ? "PTX" : "assembly",
             size_words(std::ssize(entry.assembly)), assembly_instructions(entry.assembly));
  fmt::print("object     {}\n", size_words(std::ssize(entry.object)));
}

/// How the code uses the processor: SIMD lanes of a CPU, or registers and memory of a GPU.
void print_execution(const CacheEntry& entry) {
  const auto kernels = jit::resources_in(entry.assembly);
  if (!is_of_gpu(entry))
    fmt::print("SIMD       {}\n", printable(jit::description_of(entry.simd)));
  else if (kernels.empty())
    fmt::print(
        "registers  known to the driver only: the code is PTX, of which it makes machine code\n");
  if (entry.flops >= 0)
    fmt::print("flops      {:.5g} floating-point operations for an element\n", entry.flops);
  for (const jit::KernelResources& kernel : kernels)
    fmt::print(
        "{:<10} {} registers, {} bytes spilled and {} of stack for a thread; {} bytes of shared "
        "memory for a block\n",
        printable(kernel.kernel), kernel.registers, kernel.spill_store_bytes, kernel.stack_bytes,
        kernel.shared_bytes);
}

void print_machine(const CacheEntry& entry) {
  fmt::print("machine    {} {}\n", printable(entry.key.triple), printable(entry.key.cpu));
  fmt::print("compiler   {}\n", printable(entry.key.compiler));
}

void print_summary(const Store& store, const StoredEntry& stored) {
  const CacheEntry& entry = stored.parsed.entry;
  fmt::print("key        {}\n", jit::name_of(stored.parsed.key));
  fmt::print("kernel     {}\n", printable(entry.key.kernel));
  fmt::print("loop       {}\n", printable(entry.loop));
  if (stored.has_code()) {
    fmt::print("signature  {}\n", printable(entry.signature));
    print_execution(entry);
  }
  print_lines("arguments", entry.key.arguments);
  if (!entry.key.constants.empty()) print_lines("constants", entry.key.constants);
  for (const jit::AccessFinding& finding : entry.findings)
    fmt::print("access     {}\n", printable(words_of(finding)));
  for (const Json& fact : facts_of(store, stored))
    fmt::print("facts      {}\n", printable(fact.get<std::string>()));
  fmt::print("target     {}\n", printable(entry.key.target));
  if (!entry.key.compiler.empty()) print_machine(entry);
  if (!entry.key.options.empty()) fmt::print("options    {}\n", printable(entry.key.options));
  fmt::print("created    {}, last used {} ago\n", date_words(entry.created),
             age_words(stored.file.used));
  fmt::print("file       {}\n", size_words(stored.file.bytes));
  if (stored.has_code()) print_statistics(entry);
}

/// @throws Failure if code of its kind has no such part
void require_part(const CacheEntry& entry, Part part) {
  if (part == Part::ir && is_of_gpu(entry))
    throw Failure(2, fmt::format("code for a GPU has no LLVM IR: NVRTC has compiled '{}'; --source "
                                 "shows what it compiled, --asm the PTX that it made",
                                 entry.key.kernel));
}

}  // namespace

int show(const Common& common, const std::string& key, Part part) {
  const Store store = load(common.directory);
  const StoredEntry stored = complete(store, select(store, key));
  const CacheEntry& entry = stored.parsed.entry;
  require_part(entry, part);
  if (common.json) {
    Json document{{"key", jit::name_of(stored.parsed.key)}};
    document.update(part_of(store, stored, part));
    print_json(document);
    return 0;
  }
  switch (part) {
    case Part::summary:
      print_summary(store, stored);
      break;
    case Part::source:
      fmt::print("{}", printable(entry.source));
      break;
    case Part::ir:
      fmt::print("{}", printable(entry.ir));
      break;
    case Part::assembly:
      fmt::print("{}", printable(entry.assembly));
      break;
    case Part::key:
      print_fields(entry);
      break;
    case Part::statistics:
      print_statistics(entry);
      break;
  }
  return 0;
}

}  // namespace op2::jitinspect
