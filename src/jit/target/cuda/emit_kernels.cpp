// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/emit_kernels.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/value_type.hpp>
#include <jit/target/call_arguments.hpp>
#include <jit/target/cuda/argument_ways.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

using Way = ArgumentWay;
using Kind = KernelParameter::Kind;

/// Rows of one value are added by each lane: they need no staging.
constexpr int shortest_staged_row = 2;

std::string declaration_of(const KernelParameter& parameter, std::span<const ArgShape> args,
                           const std::set<int>& written) {
  const std::size_t i = parameter.arg;
  const ArgShape& arg = args[i];
  switch (parameter.kind) {
    case Kind::dat:
      return fmt::format("{}* __restrict__ op2_dat{}", element_type(arg, written.contains(arg.dat)),
                         arg.dat);
    case Kind::map:
      return fmt::format("const int* __restrict__ op2_map{}", arg.map);
    case Kind::map_stride:
      return fmt::format("long long op2_stride{}", arg.map);
    case Kind::numbers:
      return fmt::format("const int* __restrict__ op2_numbers{}", i);
    case Kind::global:
      return fmt::format("const {}* __restrict__ op2_global{}", type_of(arg), i);
    case Kind::result:
      return fmt::format("{}* __restrict__ op2_result{}", type_of(arg), i);
    case Kind::partials:
      return fmt::format("{}* __restrict__ op2_partials{}", type_of(arg), i);
  }
  return {};
}

std::string signature_of(const char* symbol, const char* range,
                         const std::vector<KernelParameter>& parameters,
                         std::span<const ArgShape> args) {
  const std::set<int> written = written_dats(args);
  std::string text = fmt::format("\nextern \"C\" __global__ void __launch_bounds__({}) {}(\n    {}",
                                 block_threads, symbol, range);
  for (const KernelParameter& parameter : parameters)
    text += ",\n    " + declaration_of(parameter, args, written);
  return text + ") {\n";
}

const char* operation_of(const ArgShape& arg) {
  if (arg.access == OP_INC) return "op2_device::Sum";
  return arg.access == OP_MIN ? "op2_device::Least" : "op2_device::Greatest";
}

std::string warps_declaration(const ArgShape& arg, std::size_t position) {
  return fmt::format("  __shared__ {} op2_warps{}[{}];\n", type_of(arg), position,
                     block_threads / 32);
}

/// The row of a dat or of indices that an argument accesses.
std::string row_of(const ArgShape& arg) {
  return is_indirect(arg) ? row_name(arg) : "op2_element";
}

class LoopEmitter {
 public:
  explicit LoopEmitter(const LoopNest& nest)
      : nest_(nest), args_(nest.args), ways_(ways_of(nest.args)) {}

  std::string run() {
    declare_shared();
    align_dats();
    if (reduces()) {
      each(Way::reduced, &LoopEmitter::start_reduction);
      begin_chunk();
    } else {
      line("  const long long op2_element = op2_begin + {}LL * blockIdx.x + threadIdx.x;",
           block_threads);
      line("  const bool op2_active = op2_element < op2_end;");
    }
    each(Way::added, &LoopEmitter::declare_added);
    line("  if (op2_active) {{");
    execute_element();
    line("  }}");
    each(Way::added, &LoopEmitter::add_row);
    if (reduces()) line("  }}");
    each(Way::reduced, &LoopEmitter::store_partial);
    return signature_of(cuda_loop_symbol,
                        "long long op2_begin, long long op2_end, long long op2_counted",
                        kernel_parameters(args_), args_) +
           fmt::to_string(out_) + "}\n";
  }

 private:
  using EmitOne = void (LoopEmitter::*)(std::size_t position, const ArgShape& arg);

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(fmt::appender(out_), format, std::forward<Args>(args)...);
    out_.push_back('\n');
  }

  void each(Way way, EmitOne emit) {
    for (std::size_t i = 0; i < args_.size(); ++i)
      if (ways_[i] == way) (this->*emit)(i, args_[i]);
  }

  bool reduces() const { return std::ranges::find(ways_, Way::reduced) != ways_.end(); }

  static bool is_staged(const ArgShape& arg) { return arg.dim >= shortest_staged_row; }

  static std::string staging_of(const ArgShape& arg) {
    return fmt::format("op2_{}{}", core::name_of(arg.type), arg.dim);
  }

  /// Memory of the block, one staging area for each warp, that rows of all types share.
  void declare_shared() {
    std::set<std::string> members;
    for (std::size_t i = 0; i < args_.size(); ++i) {
      if (ways_[i] == Way::reduced) out_.append(warps_declaration(args_[i], i));
      if (ways_[i] == Way::added && is_staged(args_[i]))
        members.insert(fmt::format("    op2_device::Staging<{}, {}> {};\n", type_of(args_[i]),
                                   args_[i].dim, staging_of(args_[i])));
    }
    if (!members.empty())
      line("  __shared__ union {{\n{}  }} op2_staging[{}];", fmt::join(members, ""),
           block_threads / 32);
  }

  /// Says that rows begin at multiples of 16 bytes, as far as their sizes allow: then the compiler
  /// joins accesses to neighbouring values of rows in place.
  void align_dats() {
    const std::set<int> written = written_dats(args_);
    std::set<int> done;
    for (std::size_t i = 0; i < args_.size(); ++i)
      if (ways_[i] == Way::in_place && done.insert(args_[i].dat).second)
        line("  op2_dat{0} = static_cast<{1}*>(__builtin_assume_aligned(op2_dat{0}, {2}));",
             args_[i].dat, element_type(args_[i], written.contains(args_[i].dat)), dat_alignment);
  }

  void start_reduction(std::size_t i, const ArgShape& arg) {
    line("  {} op2_local{}[{}];", type_of(arg), i, arg.dim);
    line("  op2_device::start<{}>(op2_local{}, op2_result{});", operation_of(arg), i, i);
  }

  void begin_chunk() {
    line("  const long long op2_first = op2_begin + {}LL * blockIdx.x;", chunk_elements);
    line("  const long long op2_last = op2_first + {0} < op2_end ? op2_first + {0} : op2_end;",
         chunk_elements);
    line("  for (long long op2_turn = op2_first; op2_turn < op2_last; op2_turn += {}) {{",
         block_threads);
    line("  const long long op2_element = op2_turn + threadIdx.x;");
    line("  const bool op2_active = op2_element < op2_last;");
  }

  void declare_added(std::size_t i, const ArgShape& arg) {
    if (is_staged(arg)) line("  int op2_target{} = -1;", i);
    line("  op2_device::Row<{}, {}> op2_row{}{{}};", type_of(arg), arg.dim, i);
  }

  void execute_element() {
    for (const ArgShape& arg : columns_of(args_))
      line("    const int {} = op2_map{}[{} * op2_stride{} + op2_element];", row_name(arg), arg.map,
           arg.column, arg.map);
    each(Way::number, &LoopEmitter::declare_number);
    each(Way::in_place, &LoopEmitter::declare_in_place);
    each(Way::loaded, &LoopEmitter::load_row);
    each(Way::reduced, &LoopEmitter::remember_reduction);
    call_kernels();
    if (reduces()) line("    if (op2_element >= op2_counted) {{");
    each(Way::reduced, &LoopEmitter::restore_reduction);
    if (reduces()) line("    }}");
    each(Way::added, &LoopEmitter::finish_added);
  }

  void declare_number(std::size_t i, const ArgShape& arg) {
    line("    int op2_number{} = {};", i, number_of_row(i, row_of(arg)));
  }

  void declare_in_place(std::size_t i, const ArgShape& arg) {
    line("    {}* const op2_in_place{} = {};",
         element_type(arg, written_dats(args_).contains(arg.dat)), i,
         row_address(arg, row_of(arg)));
  }

  void load_row(std::size_t i, const ArgShape& arg) {
    line("    op2_device::Row<{}, {}> op2_row{};", type_of(arg), arg.dim, i);
    line("    op2_device::load(op2_row{}, {});", i, row_address(arg, row_of(arg)));
  }

  /// Elements that do not count must not change a partial result.
  void remember_reduction(std::size_t i, const ArgShape& arg) {
    line("    {} op2_before{}[{}];", type_of(arg), i, arg.dim);
    line("    op2_device::copy(op2_before{0}, op2_local{0});", i);
  }

  void restore_reduction(std::size_t i, const ArgShape&) {
    line("      op2_device::copy(op2_local{0}, op2_before{0});", i);
  }

  std::string pointer_to_data(std::size_t i) const {
    switch (ways_[i]) {
      case Way::off:
        return {};
      case Way::number:
        return fmt::format("&op2_number{}", i);
      case Way::global:
        return fmt::format("op2_global{}", i);
      case Way::reduced:
        return fmt::format("op2_local{}", i);
      case Way::in_place:
        return fmt::format("op2_in_place{}", i);
      case Way::loaded:
      case Way::added:
        return fmt::format("op2_row{}.values", i);
    }
    return {};
  }

  void call_kernels() {
    std::vector<std::string> pointers;
    for (std::size_t i = 0; i < args_.size(); ++i) pointers.push_back(pointer_to_data(i));
    const auto pass = [](const std::string& pointer, bool) {
      return fmt::format("op2_pointer{{(void*)({})}}", pointer);
    };
    for (std::size_t n = 0; n < nest_.calls.size(); ++n)
      line("{}    {}::{}(\n        {});", vector_declarations(nest_, n, pointers, "    "),
           kernel_namespace(n), nest_.calls[n].name,
           fmt::join(actual_arguments(nest_, n, pointers, pass), ",\n        "));
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

  void store_partial(std::size_t i, const ArgShape& arg) {
    line("  op2_device::store_partial<{}>(op2_local{}, op2_partials{}, op2_warps{});",
         operation_of(arg), i, i, i);
  }

  const LoopNest& nest_;
  const std::vector<ArgShape>& args_;
  const std::vector<Way> ways_;
  fmt::memory_buffer out_;
};

}  // namespace

std::string loop_kernel(const LoopNest& nest) {
  return LoopEmitter(nest).run();
}

std::string fold_kernel(const LoopNest& nest) {
  const std::vector<KernelParameter> parameters = fold_parameters(nest.args);
  if (parameters.empty()) return {};
  std::string text = signature_of(cuda_fold_symbol, "long long op2_chunks", parameters, nest.args);
  for (std::size_t i = 0; i < nest.args.size(); ++i) {
    const ArgShape& arg = nest.args[i];
    if (!is_reduction(arg)) continue;
    text += warps_declaration(arg, i);
    text += fmt::format(
        "  op2_device::fold_chunks<{}, {}>(op2_chunks, op2_result{}, op2_partials{}, "
        "op2_warps{});\n",
        operation_of(arg), arg.dim, i, i, i);
  }
  return text + "}\n";
}

}  // namespace op2::jit
