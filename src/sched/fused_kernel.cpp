// SPDX-License-Identifier: BSD-3-Clause
#include <sched/fused_kernel.hpp>

#include <algorithm>
#include <string_view>

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

std::string parameter(const core::LoopArg& arg, std::size_t number) {
  return fmt::format("{}{}* op2_{}", arg.access == OP_READ ? "const " : "",
                     arg.kind == OP_ARG_IDX ? "int" : core::cxx_name_of(arg.type), number);
}

/// Whether the text is the kernel and nothing else, without directives. Braces in texts and
/// comments may make it look otherwise: then it is not taken for one.
bool is_one_function(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n";
  if (text.find('#') != std::string_view::npos) return false;
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  text = text.substr(0, text.find_last_not_of(spaces) + 1);
  const std::size_t body = text.find('{');
  if (!text.starts_with("void ") || body == std::string_view::npos || text.find(';') < body)
    return false;
  int depth = 0;
  for (std::size_t k = body; k < text.size(); ++k) {
    depth += text[k] == '{' ? 1 : text[k] == '}' ? -1 : 0;
    if (depth == 0) return k + 1 == text.size();
  }
  return false;
}

/// Collects arguments and calls.
class Builder {
 public:
  void add(const LoopStep& loop) {
    const std::string scope = fmt::format("op2_kernel{}", count_++);
    std::vector<std::string> actual;
    const std::size_t before = kernel_.args.size();
    for (std::size_t k = 0; k < loop.args.size(); ++k)
      actual.push_back(loop.args[k].active
                           ? fmt::format("op2_{}", place_of(loop.args[k], loop.sources[k], before))
                           : "nullptr");
    texts_ += fmt::format("namespace {} {{\n{}\n}}\n", scope, loop.kernel->source);
    calls_ += fmt::format("  [[_Clang::__always_inline__]] {}::{}({});\n", scope, loop.kernel->name,
                          fmt::join(actual, ", "));
    kernel_.name += (count_ > 1 ? "_" : "") + std::string(loop.kernel->name);
  }

  FusedKernel take() {
    std::vector<std::string> parameters;
    for (std::size_t k = 0; k < kernel_.args.size(); ++k)
      parameters.push_back(parameter(kernel_.args[k], k));
    // What the compiler says of the functions it has said when they were compiled alone.
    kernel_.text =
        fmt::format("#pragma clang diagnostic ignored \"-Weverything\"\n{}void {}({}) {{\n{}}}\n",
                    texts_, kernel_.name, fmt::join(parameters, ", "), calls_);
    return std::move(kernel_);
  }

 private:
  /// @param before  arguments of the loops before this one
  std::size_t place_of(const core::LoopArg& arg, const ArgSource& source, std::size_t before) {
    const auto known = std::ranges::find_if(
        kernel_.args, [&](const core::LoopArg& other) { return reach_alike(other, arg); });
    if (known == kernel_.args.end()) {
      kernel_.args.push_back(arg);
      kernel_.sources.push_back(source);
      return kernel_.args.size() - 1;
    }
    const auto place = static_cast<std::size_t>(known - kernel_.args.begin());
    const bool of_one_loop = place >= before;
    known->access =
        of_one_loop && known->access != arg.access ? OP_RW : joined(known->access, arg.access);
    return place;
  }

  FusedKernel kernel_;
  std::string texts_, calls_;
  int count_ = 0;
};

}  // namespace

std::size_t count_args(std::span<const LoopStep* const> loops) {
  return fuse_kernels(loops).args.size();
}

FusedKernel fuse_kernels(std::span<const LoopStep* const> loops) {
  Builder builder;
  for (const LoopStep* loop : loops) builder.add(*loop);
  return builder.take();
}

bool can_be_part(const LoopStep& loop) {
  const auto fits = [](const core::LoopArg& arg) {
    const bool is_wide = arg.type == Type::i64 || arg.type == Type::u64;
    return arg.members == 1 && !(arg.active && is_wide) && !arg.is_set_by_one();
  };
  return is_one_function(loop.kernel->source) && std::ranges::all_of(loop.args, fits);
}

}  // namespace op2::sched
