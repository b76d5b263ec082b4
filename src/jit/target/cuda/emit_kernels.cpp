// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/emit_kernels.hpp>

#include <cstddef>
#include <set>
#include <vector>

#include <fmt/ranges.h>

#include <core/value_type.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/kernel_symbols.hpp>
#include <jit/target/cuda/kernel_text.hpp>
#include <jit/target/cuda/ordered_sums.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

using Way = ArgumentWay;

/// Rows of one value are added by each lane: they need no staging.
constexpr int shortest_staged_row = 2;

/// One thread for each element, which adds rows atomically.
class RowsText : public KernelText {
 public:
  explicit RowsText(const LoopNest& nest) : KernelText(nest, ways_of(nest.args)) {}

  std::string run() {
    declare_shared();
    declare_staging();
    align_dats();
    begin_threads("op2_element");
    each(Way::added, &RowsText::declare_added);
    line("  if (op2_active) {{");
    execute_element();
    line("  }}");
    each(Way::added, &RowsText::add_row);
    end_threads();
    return signature_of(cuda_symbol(cuda_loop_role, nest_), loop_range, kernel_parameters(args_),
                        args_) +
           fmt::to_string(out_) + "}\n";
  }

 private:
  static bool is_staged(const ArgShape& arg) { return arg.dim >= shortest_staged_row; }

  static std::string staging_of(const ArgShape& arg) {
    return fmt::format("op2_{}{}", core::name_of(arg.type), arg.dim);
  }

  /// Memory of the block, one staging area for each warp, that rows of all types share.
  void declare_staging() {
    std::set<std::string> members;
    for (std::size_t i = 0; i < args_.size(); ++i)
      if (ways_[i] == Way::added && is_staged(args_[i]))
        members.insert(fmt::format("    op2_device::Staging<{}, {}> {};\n", type_of(args_[i]),
                                   args_[i].dim, staging_of(args_[i])));
    if (!members.empty())
      line("  __shared__ union {{\n{}  }} op2_staging[{}];", fmt::join(members, ""),
           block_threads / 32);
  }

  void declare_added(std::size_t i, const ArgShape& arg) {
    if (is_staged(arg)) line("  int op2_target{} = -1;", i);
    line("  op2_device::Row<{}, {}> op2_row{}{{}};", type_of(arg), arg.dim, i);
  }

  void execute_element() {
    read_columns();
    prepare_arguments();
    call_kernels();
    finish_reductions("op2_element >= op2_counted");
    each(Way::added, &RowsText::finish_added);
  }

  void finish_added(std::size_t i, const ArgShape& arg) {
    if (is_staged(arg))
      line("    op2_target{} = static_cast<int>({});", i, row_of(arg));
    else
      line("    op2_device::add({}, op2_row{}.values[0]);", row_address(arg, row_of(arg)), i);
  }

  void add_row(std::size_t i, const ArgShape& arg) {
    if (is_staged(arg))
      line(
          "  op2_device::add_rows(op2_dat{}, op2_target{}, op2_row{},\n"
          "                       op2_staging[threadIdx.x / 32].{});",
          arg.dat, i, i, staging_of(arg));
  }
};

std::string fold_of_words(const ArgShape& arg, std::size_t i) {
  return fmt::format(
      "  op2_device::fold_words<{}, {}>(op2_chunks, op2_result{}, op2_partials{});\n", arg.dim,
      words_of_sum(arg.type), i, i);
}

std::string fold_of_reduction(const ArgShape& arg, std::size_t i, bool ordered) {
  return fmt::format(
      "  op2_device::fold_chunks<{}, {}>(op2_chunks, op2_result{}, op2_partials{}, op2_warps{});\n",
      operation_of(arg, ordered), arg.dim, i, i, i);
}

/// One thread has the best chunk, and copies what that has found.
std::string fold_of_best(const LoopNest& nest, std::size_t i, bool ordered) {
  const std::vector<std::size_t> payloads = payloads_of(nest.args, i);
  std::string text = fmt::format(
      "  const long long op2_from{0} = op2_device::best_chunk<{1}>(\n"
      "      op2_chunks, op2_result{0}, op2_partials{0}, op2_result{2}, op2_partials{2}, "
      "op2_warps{0},\n      op2_indices{0});\n"
      "  if (op2_from{0} >= 0) {{\n    op2_result{0}[0] = op2_partials{0}[op2_from{0}];\n",
      i, operation_of(nest.args[i], ordered), payloads.front());
  for (const std::size_t k : payloads)
    text += fmt::format("    *op2_result{0} = op2_partials{0}[op2_from{1}];\n", k, i);
  return text + "  }\n";
}

}  // namespace

std::string loop_kernel(const LoopNest& nest) {
  return RowsText(nest).run();
}

std::string fold_kernel(const LoopNest& nest, bool ordered) {
  const std::vector<KernelParameter> parameters = fold_parameters(nest.args);
  if (parameters.empty()) return {};
  std::string text = signature_of(cuda_symbol(cuda_fold_role, nest), "long long op2_chunks",
                                  parameters, nest.args, ordered);
  for (std::size_t i = 0; i < nest.args.size(); ++i) {
    const ArgShape& arg = nest.args[i];
    if (!is_reduction(arg) || is_payload(arg)) continue;
    if (ordered && is_exact_sum(arg)) {
      text += fold_of_words(arg, i);
      continue;
    }
    text += warps_declaration(nest.args, i);
    text += payloads_of(nest.args, i).empty() ? fold_of_reduction(arg, i, ordered)
                                              : fold_of_best(nest, i, ordered);
  }
  return text + "}\n";
}

}  // namespace op2::jit
