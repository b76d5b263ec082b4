// SPDX-License-Identifier: BSD-3-Clause
#include <sched/fused_kernel.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <core/value_type.hpp>
#include <jit/kernel_text.hpp>
#include <jit/reserved_names.hpp>

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

using Tokens = std::span<const std::string_view>;

/// The text of a kernel: standard headers that it begins with, a line each, and the rest.
struct KernelText {
  std::string headers;
  std::string_view rest;
  std::vector<std::string_view> tokens;  ///< of the rest
};

KernelText parts_of(std::string_view text) {
  KernelText parts{{}, {}, jit::scan_text(text).tokens};
  auto next = parts.tokens.begin();
  for (; next != parts.tokens.end(); ++next) {
    const std::size_t open = next->find('<'), close = next->find('>');
    const bool is_header = next->substr(0, open) == "#include " && open < close;
    if (!is_header || close == std::string_view::npos) break;
    parts.headers += fmt::format("#include {}\n", next->substr(open, close + 1 - open));
  }
  parts.tokens.erase(parts.tokens.begin(), next);
  if (!parts.tokens.empty()) parts.rest = text.substr(parts.tokens[0].data() - text.data());
  return parts;
}

/// Whether the text says something to the preprocessor, or through it to the compiler.
bool has_directives(Tokens tokens) {
  return std::ranges::any_of(tokens, [](std::string_view token) {
    return token.starts_with('#') || token == "_Pragma" || token == "__pragma";
  });
}

/// Where the first brace is closed: behind that. 0: nowhere.
std::size_t end_of_block(Tokens tokens) {
  int depth = 0;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    depth += tokens[k] == "{" ? 1 : tokens[k] == "}" ? -1 : 0;
    if (tokens[k] == "}" && depth <= 0) return depth == 0 ? k + 1 : 0;
  }
  return 0;
}

/// Whether the text is the kernel and nothing else.
bool is_kernel_alone(Tokens tokens, std::string_view kernel) {
  while (!tokens.empty() && (tokens[0] == "static" || tokens[0] == "inline"))
    tokens = tokens.subspan(1);
  const bool begins =
      tokens.size() > 3 && tokens[0] == "void" && tokens[1] == kernel && tokens[2] == "(";
  const auto body = std::ranges::find(tokens, "{");
  return begins && std::find(tokens.begin(), body, ";") == body &&
         end_of_block(tokens) == tokens.size();
}

/// Whether the text has nothing but functions, alone or in namespaces.
bool has_functions_only(Tokens tokens) {
  int depth = 0;
  bool is_directive = false;  // `using namespace a;`
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    depth += tokens[k] == "{" ? 1 : tokens[k] == "}" ? -1 : 0;
    if (tokens[k] == "namespace" && k > 0 && tokens[k - 1] == "using") is_directive = true;
    if (depth < 0 || (depth == 0 && tokens[k] == ";" && !is_directive)) return false;
    if (tokens[k] == ";") is_directive = false;
  }
  return depth == 0 && !tokens.empty() && tokens.back() == "}";
}

/// Whether the text has a function like one of the library's, or may call one without saying so.
bool may_hide_library(Tokens tokens) {
  const auto at = [&](std::size_t k) { return k < tokens.size() ? tokens[k] : ""; };
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const bool is_of_std = at(k - 1) == ":" && at(k - 2) == ":" && at(k - 3) == "std";
    const bool is_library =
        jit::is_reserved(tokens[k]) && !jit::is_reserved_for_functions(tokens[k]);
    if (is_library && !is_of_std) return true;
    if (tokens[k] == "std" && at(k - 1) == "namespace" && at(k - 2) != "using") return true;
  }
  return false;
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
  const KernelText text = parts_of(loop.kernel->source);
  if (has_directives(text.tokens)) return false;
  if (is_kernel_alone(text.tokens, loop.kernel->name)) return true;
  const bool is_of_program = mesh.function_of(loop.kernel) != nullptr;
  return is_of_program && has_functions_only(text.tokens) && !may_hide_library(text.tokens);
}

}  // namespace op2::sched
