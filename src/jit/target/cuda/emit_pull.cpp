// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/emit_pull.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <fmt/ranges.h>

#include <jit/target/cuda/gather.hpp>
#include <jit/target/cuda/increments.hpp>
#include <jit/target/cuda/kernel_symbols.hpp>
#include <jit/target/cuda/kernel_text.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

using Way = ArgumentWay;

/// One thread for each row that increments go to. Of the executions of an element, that by its row
/// in the first column counts.
class PullText : public KernelText {
 public:
  explicit PullText(const LoopNest& nest)
      : KernelText(nest, pull_ways_of(nest.args, nest.gathered)),
        moved_(moved_dats(nest.args, nest.gathered)) {}

  std::string run() {
    declare_shared();
    align_dats();
    begin_threads("op2_position");
    line("  if (op2_active) {{");
    line("    const int op2_thread = {} * blockIdx.x + threadIdx.x;  // op2_position - op2_begin",
         block_threads);
    line("    const int op2_target =");
    line("        op2_rows ? op2_rows[op2_position] : static_cast<int>(op2_position);");
    each_sum(&PullText::load_sum);
    if (nest_.gathered.empty())
      pull();
    else
      gather();
    each_sum(&PullText::store_sum);
    line("  }}");
    end_threads();
    return signature_of(cuda_symbol(cuda_pull_role, nest_), loop_range,
                        pull_parameters(args_, nest_.gathered), args_) +
           fmt::to_string(out_) + "}\n";
  }

 private:
  /// The whole nest is what adds.
  void pull() {
    begin_elements(0);
    read_columns();
    line("    const bool op2_counts = {} == op2_target;", row_name(pulled_columns(args_).front()));
    prepare_arguments();
    each(Way::once, &PullText::declare_once);
    each(Way::summed, &PullText::begin_sum);
    call_kernels();
    finish_reductions("!op2_counts || op2_element >= op2_counted");
    each(Way::summed, &PullText::end_sum);
    line("    }}");
  }

  /// Loops that add, then the kernels of the row.
  void gather() {
    const std::vector<ArgRange> ranges = arg_ranges(nest_.gathered, args_.size());
    for (std::size_t loop = 0; loop < nest_.gathered.size(); ++loop) {
      restrict_to(ranges[loop], {loop, loop + 1});
      begin_elements(loop);
      read_columns();
      prepare_arguments();
      each(Way::summed, &PullText::begin_sum);
      call_kernels();
      each(Way::summed, &PullText::end_sum);
      line("    }}");
    }
    restrict_to(ranges.back(), {nest_.gathered.size(), nest_.calls.size()});
    line("    {{");
    line("    const long long op2_element = op2_target;");
    read_columns();
    prepare_arguments();
    call_kernels();
    finish_reductions("op2_element >= op2_counted");
    line("    }}");
    restrict_to({0, args_.size()}, {0, nest_.calls.size()});
  }

  /// For each dat that is incremented.
  void each_sum(void (PullText::*emit)(const ArgShape&)) {
    std::set<int> done;
    for (std::size_t i = 0; i < args_.size(); ++i)
      if (ways_[i] == Way::summed && done.insert(args_[i].dat).second) (this->*emit)(args_[i]);
  }

  void load_sum(const ArgShape& arg) {
    const bool is_zero = is_one_of(nest_.zero_initialised, arg.dat);
    line("    op2_device::Row<{}, {}> op2_sum{}{};", type_of(arg), arg.dim, arg.dat,
         is_zero ? "{}" : "");
    if (is_zero) return;
    line("    op2_device::load(op2_sum{}, {});", arg.dat, row_address(arg, "op2_target"));
  }

  static bool is_one_of(const std::vector<std::int32_t>& dats, int dat) {
    return std::ranges::find(dats, dat) != dats.end();
  }

  void store_sum(const ArgShape& arg) {
    if (is_one_of(nest_.not_stored, arg.dat)) return;
    line("    op2_device::store({}, op2_sum{});", row_address(arg, "op2_target"), arg.dat);
  }

  std::string stored_address(const ArgShape& arg) const override {
    if (!moved_.contains(arg.dat)) return row_address(arg, "op2_element");
    return fmt::format("op2_second{} + {}L * op2_element", arg.dat, arg.dim);
  }

  void begin_elements(std::size_t loop) {
    line("    const int op2_past{0} = op2_start{0}[op2_thread + 1];", loop);
    line("    for (int op2_at = op2_start{0}[op2_thread]; op2_at < op2_past{0}; ++op2_at) {{",
         loop);
    line("    const long long op2_element = op2_elements{}[op2_at];", loop);
  }

  void declare_once(std::size_t i, const ArgShape& arg) {
    line("    {} op2_scratch{}[{}];", type_of(arg), i, arg.dim);
    line("    {}* const op2_in_place{} = op2_counts ? {} : op2_scratch{};", type_of(arg), i,
         row_address(arg, row_of(arg)), i);
  }

  /// The first of the element's rows that is the thread's begins with the sum; if others are it
  /// too, what they get is added.
  void begin_sum(std::size_t i, const ArgShape& arg) {
    line("    const bool op2_mine{} = {} == op2_target;", i, row_of(arg));
    std::vector<std::string> earlier;
    for (std::size_t k = first_of_loop(i); k < i; ++k)
      if (ways_[k] == Way::summed && args_[k].dat == arg.dat)
        earlier.push_back(fmt::format(" && !op2_mine{}", k));
    line("    const bool op2_is_sum{0} = op2_mine{0}{1};", i, fmt::join(earlier, ""));
    line("    op2_device::Row<{}, {}> op2_row{} =", type_of(arg), arg.dim, i);
    line("        op2_device::begin_sum(op2_sum{}, op2_is_sum{});", arg.dat, i);
  }

  void end_sum(std::size_t i, const ArgShape& arg) {
    line("    op2_device::end_sum(op2_sum{}, op2_row{}, op2_is_sum{}, op2_mine{});", arg.dat, i, i,
         i);
  }

  /// The first argument of the loop that an argument belongs to.
  std::size_t first_of_loop(std::size_t arg) const {
    std::size_t first = 0;
    for (const ArgRange& range : arg_ranges(nest_.gathered, args_.size()))
      if (range.begin <= arg) first = range.begin;
    return first;
  }

  const std::set<int> moved_;
};

}  // namespace

std::string pull_kernel(const LoopNest& nest) {
  return PullText(nest).run();
}

}  // namespace op2::jit
