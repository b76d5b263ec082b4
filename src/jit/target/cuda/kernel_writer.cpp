// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/kernel_writer.hpp>

#include <algorithm>
#include <set>

#include <fmt/ranges.h>

#include <core/value_type.hpp>
#include <jit/loop_nest.hpp>
#include <jit/target/cuda/gather.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <jit/target/cuda/ordered_sums.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

using Way = ArgumentWay;
using Kind = KernelParameter::Kind;

std::string column_name(const ArgShape& arg) {
  return fmt::format("op2_map{}_{}", arg.map, arg.column);
}

std::string result_type(const ArgShape& arg, bool exact_sums) {
  if (exact_sums && is_exact_sum(arg)) return "long long";
  return is_payload(arg) ? candidate_of(arg) : type_of(arg);
}

std::string declaration_of(const KernelParameter& parameter, std::span<const ArgShape> args,
                           const std::set<int>& written, bool exact_sums) {
  const std::size_t i = parameter.arg;
  const ArgShape& arg = args[i];
  switch (parameter.kind) {
    case Kind::dat:
      return fmt::format("{}* __restrict__ op2_dat{}", element_type(arg, written.contains(arg.dat)),
                         arg.dat);
    case Kind::column:
      return fmt::format("const int* __restrict__ {}", column_name(arg));
    case Kind::row_numbers:
      return fmt::format("const int* __restrict__ op2_numbers{}", i);
    case Kind::order:
      return fmt::format("const int* __restrict__ op2_order{}", i);
    case Kind::global:
      return fmt::format("const {}* __restrict__ op2_global{}", type_of(arg), i);
    case Kind::result:
      return fmt::format("{}* __restrict__ op2_result{}", result_type(arg, exact_sums), i);
    case Kind::partials:
      return fmt::format("{}* __restrict__ op2_partials{}", result_type(arg, exact_sums), i);
    case Kind::second:
      return fmt::format("{}* __restrict__ op2_second{}", type_of(arg), arg.dat);
    case Kind::parts:
      return fmt::format("{}* __restrict__ op2_parts{}", type_of(arg), arg.dat);
    case Kind::pull_rows:
      return "const int* __restrict__ op2_rows";
    case Kind::pull_start:
      return fmt::format("const int* __restrict__ op2_start{}", i);
    case Kind::pull_elements:
      return fmt::format("const int* __restrict__ op2_elements{}", i);
  }
  return {};
}

/// Whether other threads may add to the row. A row that the loop also reads or sets is of one
/// element alone, else the loop would run in order; this element sees what it has added.
bool is_added(std::span<const ArgShape> args, const ArgShape& arg) {
  bool is_shared = false;
  for (const ArgShape& other : args) {
    if (!is_dat(other) || other.dat != arg.dat) continue;
    if (other.access != OP_INC) return false;
    is_shared = is_shared || is_indirect(other);
  }
  return is_shared;
}

/// Whether no other thread accesses the row.
bool is_own_row(std::span<const ArgShape> args, const ArgShape& arg) {
  return !is_indirect(arg) && std::ranges::count_if(args, [&](const ArgShape& other) {
                                return is_dat(other) && other.dat == arg.dat;
                              }) == 1;
}

ArgumentWay way_of_dat(std::span<const ArgShape> args, const ArgShape& arg,
                       const std::set<int>& written) {
  if (is_added(args, arg)) return ArgumentWay::added;
  if (is_extreme_row(arg)) return ArgumentWay::extreme;
  if (arg.dim > largest_loaded_row) return ArgumentWay::in_place;
  if (!written.contains(arg.dat)) return ArgumentWay::loaded;
  const bool gains = row_alignment(arg) > core::size_of(arg.type);
  return gains && is_own_row(args, arg) ? ArgumentWay::stored : ArgumentWay::in_place;
}

ArgumentWay way_of_global(std::span<const ArgShape> args, std::size_t position) {
  if (!writes(args[position])) return ArgumentWay::global;
  if (is_payload(args[position])) return ArgumentWay::payload;
  return payloads_of(args, position).empty() ? ArgumentWay::reduced : ArgumentWay::best;
}

/// Where the arguments of the kernels begin that are called after increments were gathered.
std::size_t own_args(std::span<const std::int32_t> gathered) {
  return static_cast<std::size_t>(gathered.back());
}

std::vector<ArgumentWay> ways_of_gathered(std::span<const ArgShape> args) {
  std::vector<ArgumentWay> ways = ways_of(args);
  for (std::size_t i = 0; i < args.size(); ++i)
    if (is_dat(args[i]) && writes(args[i]))
      ways[i] = args[i].access == OP_INC ? ArgumentWay::summed : ArgumentWay::once;
  return ways;
}

/// Of the kernels that are called after rows have gathered their increments.
std::vector<ArgumentWay> ways_after(std::span<const ArgShape> all, std::span<const ArgShape> args,
                                    std::span<const std::int32_t> gathered) {
  const std::set<int> sums = gathered_dats(all, gathered), moved = moved_dats(all, gathered);
  std::vector<ArgumentWay> ways = ways_of(args);
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!is_dat(args[i])) continue;
    if (sums.contains(args[i].dat)) ways[i] = ArgumentWay::kept;
    if (moved.contains(args[i].dat)) ways[i] = ArgumentWay::stored;
  }
  return ways;
}

}  // namespace

std::string signature_of(const std::string& symbol, const char* range,
                         const std::vector<KernelParameter>& parameters,
                         std::span<const ArgShape> args, bool exact_sums) {
  const std::set<int> written = written_dats(args);
  std::string text = fmt::format("\nextern \"C\" __global__ void __launch_bounds__({}) {}(\n    {}",
                                 block_threads, symbol, range);
  for (const KernelParameter& parameter : parameters)
    text += ",\n    " + declaration_of(parameter, args, written, exact_sums);
  return text + ") {\n";
}

std::string operation_of(const ArgShape& arg, bool nan_wins) {
  if (arg.access == OP_INC) return "op2_device::Sum";
  const char* const extreme = arg.access == OP_MIN ? "Least" : "Greatest";
  return fmt::format("op2_device::{}{}", extreme, nan_wins ? "OrNan" : "");
}

std::string candidate_of(const ArgShape& payload) {
  return fmt::format("op2_device::Candidate<{}, {}>", type_of(payload), payload.dim);
}

std::string warps_declaration(std::span<const ArgShape> args, std::size_t position) {
  if (is_payload(args[position])) return {};
  constexpr unsigned warps = block_threads / 32;
  std::string text =
      fmt::format("  __shared__ {} op2_warps{}[{}];\n", type_of(args[position]), position, warps);
  if (!payloads_of(args, position).empty())
    text += fmt::format("  __shared__ long long op2_indices{}[{}];\n", position, warps);
  return text;
}

std::string row_of(const ArgShape& arg) {
  return is_indirect(arg) ? row_name(arg) : "op2_element";
}

bool KernelWriter::has(Way way) const {
  return std::ranges::find(ways_, way) != ways_.end();
}

std::string KernelWriter::operation_of(std::size_t i) const {
  return jit::operation_of(args_[i], is_ordered());
}

bool KernelWriter::reduces() const {
  return has(Way::reduced) || has(Way::best) || has(Way::term) || has(Way::compared);
}

/// Whether a thread executes several elements: those of a chunk, a block at a time.
bool KernelWriter::takes_turns() const {
  return reduces() && chunk_elements(is_ordered()) > block_threads;
}

void KernelWriter::declare_shared() {
  for (std::size_t i = 0; i < args_.size(); ++i)
    if (ways_[i] == Way::term)
      line("  __shared__ long long op2_words{}[{}][{}];", i, args_[i].dim,
           words_of_sum(args_[i].type));
    else if (is_reduction(args_[i]))
      out_.append(warps_declaration(args_, i));
}

/// Says that rows begin at multiples of 16 bytes, as far as their sizes allow: then the compiler
/// joins accesses to neighbouring values of rows in place.
void KernelWriter::align_dats() {
  const std::set<int> written = written_dats(args_);
  std::set<int> done;
  for (std::size_t i = 0; i < args_.size(); ++i)
    if (ways_[i] == Way::in_place && done.insert(args_[i].dat).second)
      line("  op2_dat{0} = static_cast<{1}*>(__builtin_assume_aligned(op2_dat{0}, {2}));",
           args_[i].dat, element_type(args_[i], written.contains(args_[i].dat)), dat_alignment);
}

void KernelWriter::begin_threads(const char* index) {
  if (reduces()) {
    each(Way::reduced, &KernelWriter::start_reduction);
    each(Way::compared, &KernelWriter::start_reduction);
    each(Way::best, &KernelWriter::start_reduction);
    each(Way::payload, &KernelWriter::start_payload);
    each(Way::term, &KernelWriter::start_words);
    if (has(Way::term)) line("  __syncthreads();");
  }
  if (takes_turns()) return begin_chunk(index);
  line("  const long long {} = op2_begin + {}LL * blockIdx.x + threadIdx.x;", index, block_threads);
  line("  const bool op2_active = {} < op2_end;", index);
}

void KernelWriter::end_threads() {
  if (takes_turns()) line("  }}");
  each(Way::reduced, &KernelWriter::store_partial);
  each(Way::compared, &KernelWriter::store_partial);
  each(Way::best, &KernelWriter::store_best);
  if (has(Way::term)) line("  __syncthreads();");
  each(Way::term, &KernelWriter::store_words);
}

void KernelWriter::start_reduction(std::size_t i, const ArgShape& arg) {
  line("  {} op2_local{}[{}];", type_of(arg), i, arg.dim);
  line("  op2_device::start<{}>(op2_local{}, op2_result{});", operation_of(i), i, i);
}

void KernelWriter::start_payload(std::size_t i, const ArgShape& arg) {
  line("  {} op2_local{} = *op2_result{};", candidate_of(arg), i, i);
}

void KernelWriter::declare_offer(std::size_t i, const ArgShape& arg) {
  line("    {}", offer_declaration(arg, i));
}

/// What the element offers, if it is better than what the thread has.
void KernelWriter::take_offer(std::size_t i, const ArgShape&) {
  const std::vector<std::size_t> payloads = payloads_of(args_, i);
  line("    const long long op2_index{} = op2_order{} ? op2_order{}[op2_element] : op2_element;", i,
       payloads.front(), payloads.front());
  line("    if (op2_device::is_better<{}>(op2_offer{}[0], op2_index{}, op2_local{}[0],",
       operation_of(i), i, i, i);
  line("                                  op2_local{}.index)) {{", payloads.front());
  line("      op2_local{}[0] = op2_offer{}[0];", i, i);
  for (const std::size_t k : payloads)
    line("      op2_device::take(op2_local{}, op2_offer{}, op2_index{});", k, k, i);
  line("    }}");
}

void KernelWriter::store_best(std::size_t i, const ArgShape&) {
  const std::vector<std::size_t> payloads = payloads_of(args_, i);
  line("  if (op2_device::is_best_of_block<{}>(op2_local{}[0], op2_local{}.index, op2_warps{},",
       operation_of(i), i, payloads.front(), i);
  line("                                       op2_indices{})) {{", i);
  line("    op2_partials{}[blockIdx.x] = op2_local{}[0];", i, i);
  for (const std::size_t k : payloads) line("    op2_partials{}[blockIdx.x] = op2_local{};", k, k);
  line("  }}");
}

void KernelWriter::begin_chunk(const char* index) {
  const std::int64_t chunk = chunk_elements(is_ordered());
  line("  const long long op2_first = op2_begin + {}LL * blockIdx.x;", chunk);
  line("  const long long op2_last = op2_first + {0} < op2_end ? op2_first + {0} : op2_end;",
       chunk);
  line("  for (long long op2_turn = op2_first; op2_turn < op2_last; op2_turn += {}) {{",
       block_threads);
  line("  const long long {} = op2_turn + threadIdx.x;", index);
  line("  const bool op2_active = {} < op2_last;", index);
}

void KernelWriter::read_columns() {
  const auto current =
      std::span(args_).subspan(current_args_.begin, current_args_.end - current_args_.begin);
  for (const ArgShape& arg : columns_of(current))
    line("    const int {} = {}[op2_element];", row_name(arg), column_name(arg));
}

void KernelWriter::prepare_arguments() {
  each(Way::number, &KernelWriter::declare_number);
  each(Way::in_place, &KernelWriter::declare_in_place);
  each(Way::loaded, &KernelWriter::load_row);
  each(Way::stored, &KernelWriter::load_row);
  each(Way::reduced, &KernelWriter::remember_reduction);
  each(Way::term, &KernelWriter::declare_own);
  each(Way::compared, &KernelWriter::declare_own);
  each(Way::best, &KernelWriter::declare_offer);
  each(Way::payload, &KernelWriter::declare_offer);
  each(Way::extreme, &KernelWriter::start_extreme);
}

void KernelWriter::declare_number(std::size_t i, const ArgShape& arg) {
  line("    int op2_number{} = {};", i, number_of_row(i, row_of(arg)));
}

void KernelWriter::declare_in_place(std::size_t i, const ArgShape& arg) {
  line("    {}* const op2_in_place{} = {};",
       element_type(arg, written_dats(args_).contains(arg.dat)), i, row_address(arg, row_of(arg)));
}

void KernelWriter::load_row(std::size_t i, const ArgShape& arg) {
  line("    op2_device::Row<{}, {}> op2_row{};", type_of(arg), arg.dim, i);
  line("    op2_device::load(op2_row{}, {});", i, row_address(arg, row_of(arg)));
}

void KernelWriter::store_row(std::size_t i, const ArgShape& arg) {
  line("    op2_device::store({}, op2_row{});", stored_address(arg), i);
}

std::string KernelWriter::stored_address(const ArgShape& arg) const {
  return row_address(arg, row_of(arg));
}

/// Elements that do not count must not change a partial result.
void KernelWriter::remember_reduction(std::size_t i, const ArgShape& arg) {
  line("    {} op2_before{}[{}];", type_of(arg), i, arg.dim);
  line("    op2_device::copy(op2_before{0}, op2_local{0});", i);
}

void KernelWriter::finish_reductions(const std::string& condition) {
  if (!reduces()) return;
  line("    if ({}) {{", condition);
  each(Way::reduced, &KernelWriter::restore_reduction);
  if (has(Way::best) || has(Way::term) || has(Way::compared)) line("    }} else {{");
  each(Way::best, &KernelWriter::take_offer);
  each(Way::term, &KernelWriter::take_own);
  each(Way::compared, &KernelWriter::take_own);
  line("    }}");
}

void KernelWriter::restore_reduction(std::size_t i, const ArgShape&) {
  line("      op2_device::copy(op2_local{0}, op2_before{0});", i);
}

void KernelWriter::store_partial(std::size_t i, const ArgShape&) {
  line("  op2_device::store_partial<{}>(op2_local{}, op2_partials{}, op2_warps{});",
       operation_of(i), i, i, i);
}

/// What nothing is added to yet, or what every value replaces.
void KernelWriter::declare_own(std::size_t i, const ArgShape& arg) {
  const std::string value = ways_[i] == Way::term ? "-0.0" : worst_value(arg);
  line("    {} op2_own{}[{}];", type_of(arg), i, arg.dim);
  line("    op2_device::fill(op2_own{}, static_cast<{}>({}));", i, type_of(arg), value);
}

void KernelWriter::take_own(std::size_t i, const ArgShape&) {
  if (ways_[i] == Way::term)
    line("      op2_device::add_terms(op2_words{0}, op2_own{0});", i);
  else
    line("      op2_device::compare<{1}>(op2_local{0}, op2_own{0});", i, operation_of(i));
}

void KernelWriter::start_words(std::size_t i, const ArgShape&) {
  line("  op2_device::start_words(op2_words{});", i);
}

void KernelWriter::store_words(std::size_t i, const ArgShape&) {
  line("  op2_device::store_words(op2_words{0}, op2_partials{0});", i);
}

void KernelWriter::start_extreme(std::size_t i, const ArgShape& arg) {
  line("    {} op2_own{}[{}];", type_of(arg), i, arg.dim);
  line("    op2_device::start_row(op2_own{}, {}, static_cast<{}>({}));", i,
       row_address(arg, row_of(arg)), type_of(arg), worst_value(arg));
}

void KernelWriter::join_extreme(std::size_t i, const ArgShape& arg) {
  line("    op2_device::join_row<{}>({}, op2_own{});", operation_of(i),
       row_address(arg, row_of(arg)), i);
}

std::string KernelWriter::pointer_to_data(std::size_t i) const {
  switch (ways_[i]) {
    case Way::off:
      return {};
    case Way::number:
      return fmt::format("&op2_number{}", i);
    case Way::global:
      return fmt::format("op2_global{}", i);
    case Way::reduced:
      return fmt::format("op2_local{}", i);
    case Way::best:
    case Way::payload:
      return fmt::format("op2_offer{}", i);
    case Way::term:
    case Way::compared:
    case Way::extreme:
      return fmt::format("op2_own{}", i);
    case Way::in_place:
    case Way::once:
      return fmt::format("op2_in_place{}", i);
    case Way::loaded:
    case Way::stored:
    case Way::added:
    case Way::summed:
      return fmt::format("op2_row{}.values", row_position(i));
    case Way::kept:
      return fmt::format("op2_sum{}.values", args_[i].dat);
  }
  return {};
}

void KernelWriter::call_kernels() {
  std::vector<std::string> pointers;
  for (std::size_t i = 0; i < args_.size(); ++i) pointers.push_back(pointer_to_data(i));
  const auto pass = [](const std::string& pointer, bool) {
    return fmt::format("op2_pointer{{(void*)({})}}", pointer);
  };
  for (std::size_t n = current_calls_.begin; n < current_calls_.end; ++n)
    line("{}    {}::{}(\n        {});", vector_declarations(nest_, n, pointers, "    "),
         kernel_namespace(n), nest_.calls[n].name,
         fmt::join(actual_arguments(nest_, n, pointers, pass), ",\n        "));
  each(Way::stored, &KernelWriter::store_row);
  each(Way::extreme, &KernelWriter::join_extreme);
}

std::size_t row_alignment(const ArgShape& arg) {
  const std::size_t bytes = core::size_of(arg.type, arg.dim);
  return std::min<std::size_t>(16, bytes & -bytes);
}

std::vector<ArgumentWay> ways_of(std::span<const ArgShape> args) {
  const std::set<int> written = written_dats(args);
  std::vector<ArgumentWay> ways;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const ArgShape& arg = args[k];
    if (is_dat(arg))
      ways.push_back(way_of_dat(args, arg, written));
    else if (is_global(arg))
      ways.push_back(way_of_global(args, k));
    else
      ways.push_back(is_number(arg) ? ArgumentWay::number : ArgumentWay::off);
  }
  return ways;
}

std::vector<ArgumentWay> ordered_ways_of(std::span<const ArgShape> args) {
  std::vector<ArgumentWay> ways = ways_of(args);
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (ways[i] == ArgumentWay::added) ways[i] = ArgumentWay::in_place;
    if (ways[i] == ArgumentWay::reduced && is_exact_sum(args[i])) ways[i] = ArgumentWay::term;
    if (ways[i] == ArgumentWay::reduced && args[i].access != OP_INC)
      ways[i] = ArgumentWay::compared;
  }
  for (const SlottedArg& slotted : slotted_args(args)) ways[slotted.arg] = ArgumentWay::added;
  return ways;
}

std::vector<ArgumentWay> pull_ways_of(std::span<const ArgShape> args,
                                      std::span<const std::int32_t> gathered) {
  std::vector<ArgumentWay> ways;
  for (const ArgRange& range : arg_ranges(gathered, args.size())) {
    const auto of_loop = args.subspan(range.begin, range.end - range.begin);
    const bool gathers = gathered.empty() || range.end <= own_args(gathered);
    const std::vector<ArgumentWay> some =
        gathers ? ways_of_gathered(of_loop) : ways_after(args, of_loop, gathered);
    ways.insert(ways.end(), some.begin(), some.end());
  }
  return ways;
}

}  // namespace op2::jit
