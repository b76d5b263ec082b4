// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/ordered_sums.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <core/exact_sum.hpp>
#include <jit/loop_nest.hpp>
#include <jit/target/cuda/emit_cuda.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/kernel_writer.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

using Way = ArgumentWay;

/// One thread for each element, which stores what it adds to rows.
class OrderedWriter : public KernelWriter {
 public:
  explicit OrderedWriter(const LoopNest& nest)
      : KernelWriter(nest, ordered_ways_of(nest.args)),
        slotted_(slotted_args(nest.args)),
        added_(added_dats(nest.args)) {}

  std::string run() {
    declare_shared();
    align_dats();
    begin_threads("op2_element");
    line("  if (op2_active) {{");
    read_columns();
    for (const AddedDat& dat : added_)
      for (const std::size_t i : dat.columns) declare_part(i);
    prepare_arguments();
    call_kernels();
    finish_reductions("op2_element >= op2_counted");
    for (const AddedDat& dat : added_)
      for (std::size_t c = 0; c < dat.columns.size(); ++c) store_part(dat, c);
    line("  }}");
    end_threads();
    std::string text = signature_of(cuda_symbol(cuda_loop_role, nest_), loop_range,
                                    ordered_parameters(args_), args_, true) +
                       fmt::to_string(out_) + "}\n";
    for (std::size_t k = 0; k < added_.size(); ++k) text += gather_of(k);
    return text;
  }

 private:
  bool is_ordered() const override { return true; }

  /// Arguments of one column share the row of the first one.
  std::size_t row_position(std::size_t i) const override {
    const auto found = std::ranges::find(slotted_, i, &SlottedArg::arg);
    return found == slotted_.end() ? i : found->sum;
  }

  void declare_part(std::size_t i) {
    line("    op2_device::Row<{}, {}> op2_row{};", type_of(args_[i]), args_[i].dim, i);
    line("    op2_device::start_part(op2_row{});", i);
  }

  void store_part(const AddedDat& dat, std::size_t column) {
    const ArgShape& arg = args_[dat.arg];
    line("    op2_device::store(op2_parts{} + {}L * (op2_element * {} + {}), op2_row{});", arg.dat,
         arg.dim, dat.columns.size(), column, dat.columns[column]);
  }

  std::string gather_of(std::size_t k) const {
    const ArgShape& arg = args_[added_[k].arg];
    return fmt::format(
        "\nextern \"C\" __global__ void __launch_bounds__({0}) {1}(\n"
        "    long long op2_values, {2}* op2_dat, const {2}* op2_parts, const int* op2_rows,\n"
        "    const int* op2_start, const int* op2_of_row) {{\n"
        "  op2_device::gather_parts<{3}>(op2_values, op2_dat, op2_parts, op2_rows, op2_start, "
        "op2_of_row);\n}}\n",
        block_threads, cuda_symbol(gather_role(k).c_str(), nest_), type_of(arg), arg.dim);
  }

  const std::vector<SlottedArg> slotted_;
  const std::vector<AddedDat> added_;
};

}  // namespace

std::vector<AddedDat> added_dats(std::span<const ArgShape> args) {
  std::vector<AddedDat> added;
  for (const SlottedArg& slotted : slotted_args(args)) {
    const auto of_dat = [&](const AddedDat& one) {
      return args[one.arg].dat == args[slotted.arg].dat;
    };
    auto known = std::ranges::find_if(added, of_dat);
    if (known == added.end()) known = added.insert(known, {slotted.arg});
    if (slotted.sum == slotted.arg) known->columns.push_back(slotted.arg);
  }
  return added;
}

bool is_exact_sum(const ArgShape& arg) {
  return is_global(arg) && arg.access == OP_INC && core::is_rounded(arg.type);
}

std::size_t words_of_sum(Type type) {
  return type == Type::f64 ? core::ExactSum<double>::words : core::ExactSum<float>::words;
}

std::size_t bytes_of_sums(std::span<const ArgShape> args) {
  std::size_t words = 0;
  for (const ArgShape& arg : args)
    if (is_exact_sum(arg)) words += words_of_sum(arg.type) * static_cast<std::size_t>(arg.dim);
  return words * sizeof(std::int64_t);
}

std::string ordered_kernels(const LoopNest& nest) {
  return OrderedWriter(nest).run();
}

std::vector<KernelParameter> ordered_parameters(std::span<const ArgShape> args) {
  std::vector<KernelParameter> parameters = kernel_parameters(args);
  for (const AddedDat& dat : added_dats(args))
    parameters.push_back({KernelParameter::Kind::parts, dat.arg});
  return parameters;
}

}  // namespace op2::jit
