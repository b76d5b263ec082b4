// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/kernel_text.hpp>

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include <jit/target/call_arguments.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

using Way = ArgumentWay;
using Kind = KernelParameter::Kind;

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
    case Kind::pull_rows:
      return "const int* __restrict__ op2_rows";
    case Kind::pull_start:
      return "const int* __restrict__ op2_start";
    case Kind::pull_elements:
      return "const int* __restrict__ op2_elements";
  }
  return {};
}

}  // namespace

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

std::string operation_of(const ArgShape& arg) {
  if (arg.access == OP_INC) return "op2_device::Sum";
  return arg.access == OP_MIN ? "op2_device::Least" : "op2_device::Greatest";
}

std::string warps_declaration(const ArgShape& arg, std::size_t position) {
  return fmt::format("  __shared__ {} op2_warps{}[{}];\n", type_of(arg), position,
                     block_threads / 32);
}

std::string row_of(const ArgShape& arg) {
  return is_indirect(arg) ? row_name(arg) : "op2_element";
}

bool KernelText::reduces() const {
  return std::ranges::find(ways_, Way::reduced) != ways_.end();
}

void KernelText::declare_shared(std::size_t i, const ArgShape& arg) {
  out_.append(warps_declaration(arg, i));
}

/// Says that rows begin at multiples of 16 bytes, as far as their sizes allow: then the compiler
/// joins accesses to neighbouring values of rows in place.
void KernelText::align_dats() {
  const std::set<int> written = written_dats(args_);
  std::set<int> done;
  for (std::size_t i = 0; i < args_.size(); ++i)
    if (ways_[i] == Way::in_place && done.insert(args_[i].dat).second)
      line("  op2_dat{0} = static_cast<{1}*>(__builtin_assume_aligned(op2_dat{0}, {2}));",
           args_[i].dat, element_type(args_[i], written.contains(args_[i].dat)), dat_alignment);
}

void KernelText::begin_threads(const char* index) {
  if (reduces()) {
    each(Way::reduced, &KernelText::start_reduction);
    begin_chunk(index);
  } else {
    line("  const long long {} = op2_begin + {}LL * blockIdx.x + threadIdx.x;", index,
         block_threads);
    line("  const bool op2_active = {} < op2_end;", index);
  }
}

void KernelText::end_threads() {
  if (reduces()) line("  }}");
  each(Way::reduced, &KernelText::store_partial);
}

void KernelText::start_reduction(std::size_t i, const ArgShape& arg) {
  line("  {} op2_local{}[{}];", type_of(arg), i, arg.dim);
  line("  op2_device::start<{}>(op2_local{}, op2_result{});", operation_of(arg), i, i);
}

void KernelText::begin_chunk(const char* index) {
  line("  const long long op2_first = op2_begin + {}LL * blockIdx.x;", chunk_elements);
  line("  const long long op2_last = op2_first + {0} < op2_end ? op2_first + {0} : op2_end;",
       chunk_elements);
  line("  for (long long op2_turn = op2_first; op2_turn < op2_last; op2_turn += {}) {{",
       block_threads);
  line("  const long long {} = op2_turn + threadIdx.x;", index);
  line("  const bool op2_active = {} < op2_last;", index);
}

void KernelText::read_columns() {
  for (const ArgShape& arg : columns_of(args_))
    line("    const int {} = op2_map{}[{} * op2_stride{} + op2_element];", row_name(arg), arg.map,
         arg.column, arg.map);
}

void KernelText::prepare_arguments() {
  each(Way::number, &KernelText::declare_number);
  each(Way::in_place, &KernelText::declare_in_place);
  each(Way::loaded, &KernelText::load_row);
  each(Way::stored, &KernelText::load_row);
  each(Way::reduced, &KernelText::remember_reduction);
}

void KernelText::declare_number(std::size_t i, const ArgShape& arg) {
  line("    int op2_number{} = {};", i, number_of_row(i, row_of(arg)));
}

void KernelText::declare_in_place(std::size_t i, const ArgShape& arg) {
  line("    {}* const op2_in_place{} = {};",
       element_type(arg, written_dats(args_).contains(arg.dat)), i, row_address(arg, row_of(arg)));
}

void KernelText::load_row(std::size_t i, const ArgShape& arg) {
  line("    op2_device::Row<{}, {}> op2_row{};", type_of(arg), arg.dim, i);
  line("    op2_device::load(op2_row{}, {});", i, row_address(arg, row_of(arg)));
}

void KernelText::store_row(std::size_t i, const ArgShape& arg) {
  line("    op2_device::store({}, op2_row{});", row_address(arg, row_of(arg)), i);
}

/// Elements that do not count must not change a partial result.
void KernelText::remember_reduction(std::size_t i, const ArgShape& arg) {
  line("    {} op2_before{}[{}];", type_of(arg), i, arg.dim);
  line("    op2_device::copy(op2_before{0}, op2_local{0});", i);
}

void KernelText::restore_reductions(const std::string& condition) {
  if (!reduces()) return;
  line("    if ({}) {{", condition);
  each(Way::reduced, &KernelText::restore_reduction);
  line("    }}");
}

void KernelText::restore_reduction(std::size_t i, const ArgShape&) {
  line("      op2_device::copy(op2_local{0}, op2_before{0});", i);
}

void KernelText::store_partial(std::size_t i, const ArgShape& arg) {
  line("  op2_device::store_partial<{}>(op2_local{}, op2_partials{}, op2_warps{});",
       operation_of(arg), i, i, i);
}

std::string KernelText::pointer_to_data(std::size_t i) const {
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
    case Way::once:
      return fmt::format("op2_in_place{}", i);
    case Way::loaded:
    case Way::stored:
    case Way::added:
    case Way::summed:
      return fmt::format("op2_row{}.values", i);
  }
  return {};
}

void KernelText::call_kernels() {
  std::vector<std::string> pointers;
  for (std::size_t i = 0; i < args_.size(); ++i) pointers.push_back(pointer_to_data(i));
  const auto pass = [](const std::string& pointer, bool) {
    return fmt::format("op2_pointer{{(void*)({})}}", pointer);
  };
  for (std::size_t n = 0; n < nest_.calls.size(); ++n)
    line("{}    {}::{}(\n        {});", vector_declarations(nest_, n, pointers, "    "),
         kernel_namespace(n), nest_.calls[n].name,
         fmt::join(actual_arguments(nest_, n, pointers, pass), ",\n        "));
  each(Way::stored, &KernelText::store_row);
}

}  // namespace op2::jit
