// SPDX-License-Identifier: BSD-3-Clause
#include <sched/fused_kernel.hpp>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <core/value_type.hpp>

namespace op2::sched {
namespace {

/// Whether two arguments may be one: the kernels then see the same row.
bool reach_alike(const core::LoopArg& a, const core::LoopArg& b) {
  const bool same = a.kind == b.kind && a.kind != OP_ARG_GBL && a.dat == b.dat && a.map == b.map &&
                    a.column == b.column;
  return same && (!a.is_indirect() || (a.access == OP_READ && b.access == OP_READ));
}

/// Access of an argument that one kernel uses after the other.
op_access joined(op_access first, op_access second) {
  return first == second || first == OP_WRITE ? first : OP_RW;
}

std::string parameter(const core::LoopArg& arg, std::size_t number, bool any_const) {
  return fmt::format("{}{}* op2_{}", arg.access == OP_READ && !any_const ? "const " : "",
                     arg.kind == OP_ARG_IDX ? "int" : core::cxx_name_of(arg.type), number);
}

constexpr std::string_view spaces = " \t\r\n";

/// The text of a kernel: standard headers that it begins with, a line each, and the rest.
struct KernelText {
  std::string_view headers, rest;
};

KernelText parts_of(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; text.substr(at).starts_with("#include <"); at = end)
    end = std::min(text.find('\n', at), text.size() - 1) + 1;
  return {text.substr(0, end), text.substr(end)};
}

/// Whether a text ends where its first brace is closed. Braces in literals and comments may make it
/// look otherwise: then it is not taken for that.
bool is_one_block(std::string_view text) {
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    depth += text[k] == '{' ? 1 : text[k] == '}' ? -1 : 0;
    if (depth == 0) return k + 1 == text.size();
  }
  return false;
}

/// Whether the text is the kernel and nothing else, without directives.
bool is_one_function(std::string_view text) {
  if (text.find('#') != std::string_view::npos) return false;
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  text = text.substr(0, text.find_last_not_of(spaces) + 1);
  for (const std::string_view word : {"static ", "inline ", "static "})
    if (text.starts_with(word)) text.remove_prefix(word.size());
  const std::size_t body = std::min(text.find('{'), text.size());
  return text.starts_with("void ") && text.find(';') > body && is_one_block(text.substr(body));
}

/// Whether the text says `::name`, which is another thing once the text stands in a namespace.
bool names_global_scope(std::string_view text) {
  const auto ends_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '>';
  };
  for (std::size_t at = text.find("::"); at != std::string_view::npos; at = text.find("::", at + 2))
    if (at == 0 || !ends_name(text[at - 1])) return true;
  return false;
}

/// Whether the text has nothing but functions, alone or in namespaces, and no directives.
bool has_functions_only(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(spaces) + 1);
  if (!text.ends_with('}') || text.find('#') != std::string_view::npos) return false;
  int depth = 0;
  for (const char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth < 0 || (depth == 0 && c == ';')) return false;
  }
  return depth == 0;
}

/// The arguments of several loops as those of one.
struct MergedArgs {
  std::vector<core::LoopArg> args;
  std::vector<ArgSource> sources;
  std::vector<std::vector<std::size_t>> places;  ///< in `args`, by loop and active argument
};

/// @param before  arguments of the loops before this one
std::size_t place_of(const core::LoopArg& arg, const ArgSource& source, std::size_t before,
                     MergedArgs& merged) {
  const auto known = std::ranges::find_if(
      merged.args, [&](const core::LoopArg& other) { return reach_alike(other, arg); });
  const auto place = static_cast<std::size_t>(known - merged.args.begin());
  if (known == merged.args.end()) {
    merged.args.push_back(arg);
    merged.sources.push_back(source);
    return place;
  }
  const bool is_of_same_loop = place >= before;
  known->access =
      is_of_same_loop && known->access != arg.access ? OP_RW : joined(known->access, arg.access);
  return place;
}

MergedArgs merge_args(std::span<const LoopStep* const> loops) {
  MergedArgs merged;
  for (const LoopStep* loop : loops) {
    const std::size_t before = merged.args.size();
    std::vector<std::size_t>& places = merged.places.emplace_back();
    for (std::size_t k = 0; k < loop->args.size(); ++k)
      places.push_back(
          loop->args[k].active ? place_of(loop->args[k], loop->sources[k], before, merged) : 0);
  }
  return merged;
}

/// The call of a loop's kernel in the fused one.
std::string call_of(const LoopStep& loop, std::size_t number, std::span<const std::size_t> places) {
  std::vector<std::string> actual;
  for (std::size_t k = 0; k < places.size(); ++k)
    actual.push_back(loop.args[k].active ? fmt::format("op2_{}", places[k]) : "nullptr");
  return fmt::format("  [[_Clang::__always_inline__]] op2_kernel{}::{}({});\n", number,
                     loop.kernel->name, fmt::join(actual, ", "));
}

}  // namespace

std::size_t count_args(std::span<const LoopStep* const> loops) {
  return merge_args(loops).args.size();
}

FusedKernel fuse_kernels(std::span<const LoopStep* const> loops, bool any_const) {
  MergedArgs merged = merge_args(loops);
  std::vector<std::string> names, parameters;
  std::string headers, texts, calls;
  for (std::size_t n = 0; n < loops.size(); ++n) {
    names.emplace_back(loops[n]->kernel->name);
    const KernelText text = parts_of(loops[n]->kernel->source);
    headers += text.headers;
    texts += fmt::format("namespace op2_kernel{} {{\n{}\n}}\n", n, text.rest);
    calls += call_of(*loops[n], n, merged.places[n]);
  }
  for (std::size_t k = 0; k < merged.args.size(); ++k)
    parameters.push_back(parameter(merged.args[k], k, any_const));
  const std::string name = fmt::format("{}", fmt::join(names, "_"));
  // What the compiler says of the functions it has said when they were compiled alone.
  std::string text =
      fmt::format("#pragma clang diagnostic ignored \"-Weverything\"\n{}{}void {}({}) {{\n{}}}\n",
                  headers, texts, name, fmt::join(parameters, ", "), calls);
  return {name, std::move(text), std::move(merged.args), std::move(merged.sources)};
}

bool can_be_part(const LoopStep& loop, const core::Mesh& mesh) {
  const auto fits = [](const core::LoopArg& arg) {
    const bool is_wide = arg.type == Type::i64 || arg.type == Type::u64;
    return arg.members == 1 && !(arg.active && is_wide) && !arg.is_set_by_one();
  };
  if (!std::ranges::all_of(loop.args, fits)) return false;
  if (mesh.function_of(loop.kernel) == nullptr) return is_one_function(loop.kernel->source);
  const std::string_view text = parts_of(loop.kernel->source).rest;
  return has_functions_only(text) && !names_global_scope(text);
}

}  // namespace op2::sched
