// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/emit_cuda.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/error.hpp>
#include <core/text.hpp>
#include <core/value_type.hpp>
#include <jit/backend.hpp>
#include <jit/signature.hpp>
#include <jit/target/cuda/device_headers.hpp>
#include <jit/target/cuda/gather.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <jit/target/cuda/kernel_writer.hpp>
#include <jit/target/cuda/library_parts.hpp>
#include <jit/target/cuda/ordered_sums.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

constexpr std::size_t longest_list = 100;

bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

using Way = ArgumentWay;

/// Rows of one value are added by each lane: they need no staging.
constexpr int shortest_staged_row = 2;

/// One thread for each element, which adds rows atomically.
class RowsWriter : public KernelWriter {
 public:
  explicit RowsWriter(const LoopNest& nest) : KernelWriter(nest, ways_of(nest.args)) {}

  std::string run() {
    declare_shared();
    declare_staging();
    align_dats();
    begin_threads("op2_element");
    each(Way::added, &RowsWriter::declare_added);
    line("  if (op2_active) {{");
    execute_element();
    line("  }}");
    each(Way::added, &RowsWriter::add_row);
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
    each(Way::added, &RowsWriter::finish_added);
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

/// op2_loop.
std::string loop_kernel(const LoopNest& nest) {
  return RowsWriter(nest).run();
}

/// op2_fold; empty if the nest has no reductions.
/// @param ordered  sums of float and double are integers (ordered_sums.hpp), and NaN is an extreme
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

using Way = ArgumentWay;

/// One thread for each row that increments go to. Of the executions of an element, that by its row
/// in the first column counts.
class PullWriter : public KernelWriter {
 public:
  explicit PullWriter(const LoopNest& nest)
      : KernelWriter(nest, pull_ways_of(nest.args, nest.gathered)),
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
    each_sum(&PullWriter::load_sum);
    if (nest_.gathered.empty())
      pull();
    else
      gather();
    each_sum(&PullWriter::store_sum);
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
    each(Way::once, &PullWriter::declare_once);
    each(Way::summed, &PullWriter::begin_sum);
    call_kernels();
    finish_reductions("!op2_counts || op2_element >= op2_counted");
    each(Way::summed, &PullWriter::end_sum);
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
      each(Way::summed, &PullWriter::begin_sum);
      call_kernels();
      each(Way::summed, &PullWriter::end_sum);
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
  void each_sum(void (PullWriter::*emit)(const ArgShape&)) {
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

/// op2_pull, in which rows gather what elements add to them. Precondition: `can_pull`.
std::string pull_kernel(const LoopNest& nest) {
  return PullWriter(nest).run();
}

/// The letter by which the device library calls a type.
char letter_of(const ArgShape& arg) {
  constexpr char letters[] = {'d', 'f', 'i', 'u', 'l', 'm', 'b'};
  return arg.kind == OP_ARG_IDX ? 'i' : letters[static_cast<std::size_t>(arg.type)];
}

std::string check(std::size_t call, const std::string& condition, const std::string& message) {
  return fmt::format("static_assert({}, \"{} {}: {}\");\n", condition, signature_mark, call,
                     message);
}

std::string parameter_checks(std::size_t call, std::size_t position, const ParameterShape& wanted,
                             bool any_const) {
  const ArgShape& arg = wanted.arg;
  const std::string parameter = fmt::format("op2_signature{}::At<{}>", call, position);
  const bool to_const = arg.kind == OP_ARG_IDX || !writes(arg);
  std::string text = check(call,
                           fmt::format("{0}::type == '{1}' && {0}::is_vector == {2}", parameter,
                                       letter_of(arg), wanted.rows > 1 ? 1 : 0),
                           parameter_form_demand(position, wanted));
  if (!any_const)
    text += check(call, fmt::format("{}::is_const == {}", parameter, to_const ? 1 : 0),
                  parameter_const_demand(position, wanted));
  return text;
}

/// Compares the parameters of a kernel with the arguments of its loop.
std::string signature_checks(const LoopNest& nest, std::size_t call) {
  const KernelCall& kernel = nest.calls[call];
  const std::vector<ParameterShape> parameters = parameters_of(nest, call);
  const std::string signature = fmt::format("op2_signature{}", call);
  std::string text = fmt::format("\nusing {} = op2_signature::Of<decltype({}::{})>;\n", signature,
                                 kernel_namespace(call), kernel.name);
  text += check(call, signature + "::returns_void", "a kernel returns void");
  text += check(call, fmt::format("{}::count == {}", signature, parameters.size()),
                fmt::format("the loop has {}; a kernel has one pointer per argument",
                            core::counted(parameters.size(), "argument")));
  for (std::size_t k = 0; k < parameters.size(); ++k)
    text += parameter_checks(call, k, parameters[k], kernel.any_const);
  return text;
}

bool is_library_kernel(const LoopNest& nest) {
  return nest.args.empty() && is_library_symbol(nest.calls.front().name);
}

bool gathers(const LoopNest& nest, core::Increments increments) {
  return !nest.gathered.empty() || pulls(nest.args, increments);
}

}  // namespace

std::string cuda_symbol(const char* role, const LoopNest& nest) {
  std::string list;
  for (const KernelCall& call : nest.calls) {
    if (list.size() + 1 + call.name.size() > longest_list) break;
    list += "_" + call.name;
  }
  return role + list;
}

std::string gather_role(std::size_t k) {
  return fmt::format("op2_gather{}", k);
}

std::string ending_of(const std::string& symbol) {
  return symbol.substr(std::string_view(cuda_loop_role).size());
}

bool names_symbol(std::string_view image, std::string_view symbol, int times) {
  for (auto at = image.find(symbol); at != image.npos; at = image.find(symbol, at + 1)) {
    const std::size_t end = at + symbol.size();
    if ((end == image.size() || !continues_name(image[end])) && --times <= 0) return true;
  }
  return false;
}

bool is_library_symbol(const std::string& kernel) {
  return kernel.starts_with(cuda_loop_role);
}

std::string emit_cuda(const LoopNest& nest, core::Increments increments, bool ordered) {
  if (is_library_kernel(nest)) return heading_of(nest) + nest.calls.front().source;
  core::ensure(runs_on_device(nest.args), "a loop that sets a global by single elements on a GPU");
  std::string text = heading_of(nest);
  text += fmt::format("#include <{}>\n", device_library_name) + standard_includes(nest);
  if (ordered) text += fmt::format("#include <{}>\n", ordered_library_name);
  if (std::ranges::any_of(nest.args, is_extreme_row))
    text += fmt::format("#include <{}>\n", extreme_library_name);
  text += constant_definitions(nest);
  for (std::size_t n = 0; n < nest.calls.size(); ++n) text += kernel_scope(nest, n);
  for (std::size_t n = 0; n < nest.calls.size(); ++n) text += signature_checks(nest, n);
  if (ordered) return text + ordered_kernels(nest) + fold_kernel(nest, true);
  text += gathers(nest, increments) ? pull_kernel(nest) : loop_kernel(nest);
  return text + fold_kernel(nest, false);
}

std::string cuda_entry(const LoopNest& nest, core::Increments increments, bool ordered) {
  if (is_library_kernel(nest)) return nest.calls.front().name;
  const bool in_rows = !ordered && gathers(nest, increments);
  return cuda_symbol(in_rows ? cuda_pull_role : cuda_loop_role, nest);
}

}  // namespace op2::jit
