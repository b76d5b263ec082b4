// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/emit_cuda.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/value_type.hpp>
#include <jit/target/cuda/gather.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/kernel_scope.hpp>
#include <jit/target/cuda/ways.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

using Way = ArgumentWay;
using Kind = KernelParameter::Kind;

/// The first parameters of op2_loop and op2_pull.
constexpr const char* loop_range = "long long op2_begin, long long op2_end, long long op2_counted";

/// Rows of one value are added by each lane: they need no staging.
constexpr int shortest_staged_row = 2;

// What is written for the arguments of a way. Names in braces are those of an argument
// (`with_names`): {i} is its position, {T} its type, {at} the address of its row.

struct Lines {
  Way way;
  const char* text;
};

constexpr const char* start_reduction =
    "  {T} op2_local{i}[{dim}];\n"
    "  op2_device::start<{Operation}>(op2_local{i}, op2_result{i});\n";
constexpr const char* load_row =
    "    op2_device::Row<{T}, {dim}> op2_row{i};\n"
    "    op2_device::load(op2_row{i}, {at});\n";
constexpr const char* store_partial =
    "  op2_device::store_partial<{Operation}>(op2_local{i}, op2_partials{i}, op2_warps{i});\n";

constexpr Lines before_elements[] = {{Way::reduced, start_reduction},
                                     {Way::compared, start_reduction},
                                     {Way::best, start_reduction},
                                     {Way::payload, "  {Result} op2_local{i} = *op2_result{i};\n"},
                                     {Way::term, "  op2_device::start_words(op2_words{i});\n"}};

/// Of an exact sum the value begins with what adds nothing; of an extreme with what every value
/// replaces. Elements that do not count must not change a partial result.
constexpr Lines before_call[] = {
    {Way::number, "    int op2_number{i} = {number};\n"},
    {Way::in_place, "    {Element}* const op2_in_place{i} = {at};\n"},
    {Way::loaded, load_row},
    {Way::stored, load_row},
    {Way::reduced,
     "    {T} op2_before{i}[{dim}];\n"
     "    op2_device::copy(op2_before{i}, op2_local{i});\n"},
    {Way::term,
     "    {T} op2_own{i}[{dim}];\n"
     "    op2_device::fill(op2_own{i}, static_cast<{T}>(-0.0));\n"},
    {Way::compared,
     "    {T} op2_own{i}[{dim}];\n"
     "    op2_device::fill(op2_own{i}, static_cast<{T}>({worst}));\n"},
    {Way::best, "    {offer}\n"},
    {Way::payload, "    {offer}\n"},
    {Way::extreme,
     "    {T} op2_own{i}[{dim}];\n"
     "    op2_device::start_row(op2_own{i}, {at}, static_cast<{T}>({worst}));\n"}};

constexpr Lines after_call[] = {
    {Way::stored, "    op2_device::store({stored_at}, op2_row{i});\n"},
    {Way::extreme, "    op2_device::join_row<{Operation}>({at}, op2_own{i});\n"}};

/// Of elements that do not contribute to reductions, and of the others. What an element offers is
/// taken if it is better than what the thread has; {payloads} takes its payloads.
constexpr Lines not_counted[] = {
    {Way::reduced, "      op2_device::copy(op2_local{i}, op2_before{i});\n"}};
constexpr Lines counted[] = {
    {Way::best,
     "    const long long op2_index{i} = op2_order{payload} ? op2_order{payload}[op2_element] : "
     "op2_element;\n"
     "    if (op2_device::is_better<{Operation}>(op2_offer{i}[0], op2_index{i}, op2_local{i}[0],\n"
     "                                  op2_local{payload}.index)) {{\n"
     "      op2_local{i}[0] = op2_offer{i}[0];\n"
     "{payloads}"
     "    }}\n"},
    {Way::term, "      op2_device::add_terms(op2_words{i}, op2_own{i});\n"},
    {Way::compared, "      op2_device::compare<{Operation}>(op2_local{i}, op2_own{i});\n"}};
constexpr const char* take_payload =
    "      op2_device::take(op2_local{i}, op2_offer{i}, op2_index{extreme});\n";

constexpr Lines after_elements[] = {
    {Way::reduced, store_partial},
    {Way::compared, store_partial},
    {Way::best,
     "  if (op2_device::is_best_of_block<{Operation}>(op2_local{i}[0], op2_local{payload}.index, "
     "op2_warps{i},\n"
     "                                       op2_indices{i})) {{\n"
     "    op2_partials{i}[blockIdx.x] = op2_local{i}[0];\n"
     "{payloads}"
     "  }}\n"}};
constexpr const char* store_payload = "    op2_partials{i}[blockIdx.x] = op2_local{i};\n";

constexpr const char* store_words = "  op2_device::store_words(op2_words{i}, op2_partials{i});\n";

constexpr const char* fold_words =
    "  op2_device::fold_words<{dim}, {words}>(op2_chunks, op2_result{i}, op2_partials{i});\n";
constexpr const char* fold_chunks =
    "  op2_device::fold_chunks<{Operation}, {dim}>(op2_chunks, op2_result{i}, op2_partials{i}, "
    "op2_warps{i});\n";
/// One thread has the best chunk, and copies what that has found.
constexpr const char* fold_best =
    "  const long long op2_from{i} = op2_device::best_chunk<{Operation}>(\n"
    "      op2_chunks, op2_result{i}, op2_partials{i}, op2_result{payload}, op2_partials{payload}, "
    "op2_warps{i},\n      op2_indices{i});\n"
    "  if (op2_from{i} >= 0) {{\n    op2_result{i}[0] = op2_partials{i}[op2_from{i}];\n"
    "{payloads}  }}\n";
constexpr const char* fold_payload = "    *op2_result{i} = op2_partials{i}[op2_from{extreme}];\n";

/// What the kernels get; nothing for an argument that is off.
constexpr Lines pointers_to_data[] = {
    {Way::number, "&op2_number{i}"},         {Way::global, "op2_global{i}"},
    {Way::reduced, "op2_local{i}"},          {Way::best, "op2_offer{i}"},
    {Way::payload, "op2_offer{i}"},          {Way::term, "op2_own{i}"},
    {Way::compared, "op2_own{i}"},           {Way::extreme, "op2_own{i}"},
    {Way::in_place, "op2_in_place{i}"},      {Way::once, "op2_in_place{i}"},
    {Way::loaded, "op2_row{in_row}.values"}, {Way::stored, "op2_row{in_row}.values"},
    {Way::added, "op2_row{in_row}.values"},  {Way::summed, "op2_row{in_row}.values"},
    {Way::kept, "op2_sum{dat}.values"}};

struct Declaration {
  Kind kind;
  const char *type, *name;
};

/// Of parameters; `__restrict__` comes between type and name.
constexpr Declaration declarations[] = {{Kind::dat, "{Element}", "op2_dat{dat}"},
                                        {Kind::column, "const int", "{column}"},
                                        {Kind::row_numbers, "const int", "op2_numbers{i}"},
                                        {Kind::order, "const int", "op2_order{i}"},
                                        {Kind::global, "const {T}", "op2_global{i}"},
                                        {Kind::result, "{Result}", "op2_result{i}"},
                                        {Kind::partials, "{Result}", "op2_partials{i}"},
                                        {Kind::second, "{T}", "op2_second{dat}"},
                                        {Kind::parts, "{T}", "op2_parts{dat}"},
                                        {Kind::pull_rows, "const int", "op2_rows"},
                                        {Kind::pull_start, "const int", "op2_start{i}"},
                                        {Kind::pull_elements, "const int", "op2_elements{i}"}};

std::string column_name(const ArgShape& arg) {
  return fmt::format("op2_map{}_{}", arg.map, arg.column);
}

/// The row of a dat or of indices that an argument accesses.
std::string row_of(const ArgShape& arg) {
  return is_indirect(arg) ? row_name(arg) : "op2_element";
}

bool is_staged(const ArgShape& arg) {
  return arg.dim >= shortest_staged_row;
}

/// Memory of the block in which a warp adds rows: a member of a union.
std::string staging_of(const ArgShape& arg) {
  return fmt::format("op2_{}{}", core::name_of(arg.type), arg.dim);
}

constexpr const char* end_sum =
    "    op2_device::end_sum(op2_sum{dat}, op2_row{i}, op2_is_sum{i}, op2_mine{i});\n";

/// Writes the functions of a nest, one after the other.
class KernelWriter {
 public:
  /// @param nest  outlives it
  KernelWriter(const LoopNest& nest, Adding adding)
      : nest_(nest),
        args_(nest.args),
        is_ordered_(adding == Adding::in_order),
        ways_(adding == Adding::atomically ? ways_of(args_)
              : is_ordered_                ? ordered_ways_of(args_)
                                           : pull_ways_of(args_, nest.gathered)),
        written_(written_dats(args_)),
        moved_(moved_dats(args_, nest.gathered)),
        current_args_{0, args_.size()},
        current_calls_{0, nest.calls.size()} {
    if (is_ordered_) slotted_ = slotted_args(args_);
  }

  /// One thread for each element, which adds rows atomically.
  void loop() {
    begin_function(cuda_loop_role, loop_range, kernel_parameters(args_));
    declare_shared();
    declare_staging();
    align_dats();
    begin_threads("op2_element");
    each(Way::added, [&](std::size_t i) {
      if (is_staged(args_[i])) write("  int op2_target{i} = -1;\n", i);
      write("  op2_device::Row<{T}, {dim}> op2_row{i}{{}};\n", i);
    });
    line("  if (op2_active) {{");
    read_columns();
    write(before_call);
    call_kernels();
    finish_reductions("op2_element >= op2_counted");
    each(Way::added, [&](std::size_t i) {
      write(is_staged(args_[i]) ? "    op2_target{i} = static_cast<int>({row});\n"
                                : "    op2_device::add({at}, op2_row{i}.values[0]);\n",
            i);
    });
    line("  }}");
    each(Way::added, [&](std::size_t i) {
      if (is_staged(args_[i]))
        write(
            "  op2_device::add_rows(op2_dat{dat}, op2_target{i}, op2_row{i},\n"
            "                       op2_staging[threadIdx.x / 32].{staging});\n",
            i);
    });
    end_threads();
  }

  /// One thread for each element, which stores what it adds to rows; then the functions that add.
  void loop_of_parts() {
    const std::vector<AddedDat> added = added_dats(args_);
    begin_function(cuda_loop_role, loop_range, ordered_parameters(args_));
    declare_shared();
    align_dats();
    begin_threads("op2_element");
    line("  if (op2_active) {{");
    read_columns();
    for (const AddedDat& dat : added)
      for (const std::size_t i : dat.columns)
        write(
            "    op2_device::Row<{T}, {dim}> op2_row{i};\n"
            "    op2_device::start_part(op2_row{i});\n",
            i);
    write(before_call);
    call_kernels();
    finish_reductions("op2_element >= op2_counted");
    for (const AddedDat& dat : added)
      for (std::size_t c = 0; c < dat.columns.size(); ++c)
        line("    op2_device::store(op2_parts{} + {}L * (op2_element * {} + {}), op2_row{});",
             args_[dat.arg].dat, args_[dat.arg].dim, dat.columns.size(), c, dat.columns[c]);
    line("  }}");
    end_threads();
    for (std::size_t k = 0; k < added.size(); ++k) gather_parts(k, added[k]);
  }

  /// One thread for each row that increments go to. Of the executions of an element, that by its
  /// row in the first column counts.
  void pull() {
    begin_function(cuda_pull_role, loop_range, pull_parameters(args_, nest_.gathered));
    declare_shared();
    align_dats();
    begin_threads("op2_position");
    line("  if (op2_active) {{");
    line("    const int op2_thread = {} * blockIdx.x + threadIdx.x;  // op2_position - op2_begin",
         block_threads);
    line("    const int op2_target =");
    line("        op2_rows ? op2_rows[op2_position] : static_cast<int>(op2_position);");
    const auto is_one_of = [&](const std::vector<std::int32_t>& dats, std::size_t i) {
      return std::ranges::find(dats, args_[i].dat) != dats.end();
    };
    each_sum([&](std::size_t i) {
      const bool is_zero = is_one_of(nest_.zero_initialised, i);
      write(is_zero ? "    op2_device::Row<{T}, {dim}> op2_sum{dat}{{}};\n"
                    : "    op2_device::Row<{T}, {dim}> op2_sum{dat};\n",
            i);
      if (!is_zero)
        line("    op2_device::load(op2_sum{}, {});", args_[i].dat,
             row_address(args_[i], "op2_target"));
    });
    if (nest_.gathered.empty())
      pull_all();
    else
      gather_and_call();
    each_sum([&](std::size_t i) {
      if (!is_one_of(nest_.not_stored, i))
        line("    op2_device::store({}, op2_sum{});", row_address(args_[i], "op2_target"),
             args_[i].dat);
    });
    line("  }}");
    end_threads();
  }

  /// Nothing without reductions.
  void fold() {
    const std::vector<KernelParameter> parameters = fold_parameters(args_);
    if (parameters.empty()) return;
    begin_function(cuda_fold_role, "long long op2_chunks", parameters);
    for (std::size_t i = 0; i < args_.size(); ++i) {
      if (!is_reduction(args_[i]) || is_payload(args_[i])) continue;
      if (is_ordered_ && is_exact_sum(args_[i])) {
        write(fold_words, i);
        continue;
      }
      declare_warps(i);
      write(payloads_of(args_, i).empty() ? fold_chunks : fold_best, i, fold_payload);
    }
    line("}}");
  }

  std::string text() const { return fmt::to_string(out_); }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(fmt::appender(out_), format, std::forward<Args>(args)...);
    out_.push_back('\n');
  }
  /// @param of_payload  what {payloads} is for each payload of the argument, where {extreme} is the
  ///                    argument
  std::string with_names(const char* text, std::size_t i, const char* of_payload = "") const {
    const ArgShape& arg = args_[i];
    const std::string row = row_of(arg), at = row_address(arg, row);
    const std::vector<std::size_t> payloads = payloads_of(args_, i);
    std::string of_payloads;
    for (const std::size_t k : payloads) of_payloads += with_names(of_payload, k);
    const std::string stored_at =
        moved_.contains(arg.dat) ? fmt::format("op2_second{} + {}L * op2_element", arg.dat, arg.dim)
                                 : at;
    return fmt::format(
        fmt::runtime(text), fmt::arg("i", i), fmt::arg("dat", arg.dat), fmt::arg("dim", arg.dim),
        fmt::arg("T", type_of(arg)), fmt::arg("Result", result_type(arg)),
        fmt::arg("Element", element_type(arg, written_.contains(arg.dat))),
        fmt::arg("Operation", operation_of(arg)), fmt::arg("row", row), fmt::arg("at", at),
        fmt::arg("stored_at", stored_at), fmt::arg("in_row", row_position(i)),
        fmt::arg("column", column_name(arg)), fmt::arg("number", number_of_row(i, row)),
        fmt::arg("worst", worst_value(arg)), fmt::arg("offer", offer_declaration(arg, i)),
        fmt::arg("words", words_of_sum(arg.type)), fmt::arg("warps", block_threads / 32),
        fmt::arg("staging", staging_of(arg)), fmt::arg("extreme", arg.extreme),
        fmt::arg("payload", payloads.empty() ? i : payloads.front()),
        fmt::arg("payloads", of_payloads));
  }
  void write(const char* text, std::size_t i, const char* of_payload = "") {
    out_.append(with_names(text, i, of_payload));
  }
  void write(std::span<const Lines> lines, const char* of_payload = "") {
    for (const auto& [way, text] : lines)
      each(way, [&, code = text](std::size_t i) { write(code, i, of_payload); });
  }
  /// Calls `action` with the position of each argument of a way.
  void each(Way way, const auto& action) const {
    for (std::size_t i = current_args_.begin; i < current_args_.end; ++i)
      if (ways_[i] == way) action(i);
  }
  /// Calls it with the first argument of each dat that rows gather increments of.
  void each_sum(const auto& action) const {
    std::set<int> done;
    each(Way::summed, [&](std::size_t i) {
      if (done.insert(args_[i].dat).second) action(i);
    });
  }
  /// What follows is about these arguments and calls [begin, end) alone. At first, about all.
  void restrict_to(ArgRange args, ArgRange calls) {
    current_args_ = args;
    current_calls_ = calls;
  }

  bool has(Way way) const { return std::ranges::find(ways_, way) != ways_.end(); }
  bool reduces() const {
    return has(Way::reduced) || has(Way::best) || has(Way::term) || has(Way::compared);
  }
  /// Whether a thread executes several elements: those of a chunk, a block at a time.
  bool takes_turns() const { return reduces() && chunk_elements(is_ordered_) > block_threads; }

  std::string operation_of(const ArgShape& arg) const {
    if (arg.access == OP_INC) return "op2_device::Sum";
    const char* const extreme = arg.access == OP_MIN ? "Least" : "Greatest";
    return fmt::format("op2_device::{}{}", extreme, is_ordered_ ? "OrNan" : "");
  }

  std::string result_type(const ArgShape& arg) const {
    if (is_ordered_ && is_exact_sum(arg)) return "long long";
    if (!is_payload(arg)) return type_of(arg);
    return fmt::format("op2_device::Candidate<{}, {}>", type_of(arg), arg.dim);
  }

  std::size_t row_position(std::size_t i) const {
    const auto found = std::ranges::find(slotted_, i, &SlottedArg::arg);
    return found == slotted_.end() ? i : found->sum;
  }

  void begin_function(const char* role, const char* range,
                      const std::vector<KernelParameter>& parameters) {
    line("\nextern \"C\" __global__ void __launch_bounds__({}) {}(", block_threads,
         cuda_symbol(role, nest_));
    out_.append(fmt::format("    {}", range));
    for (const KernelParameter& parameter : parameters) {
      const auto& [kind, type, name] =
          *std::ranges::find(declarations, parameter.kind, &Declaration::kind);
      out_.append(fmt::format(",\n    {}* __restrict__ {}", with_names(type, parameter.arg),
                              with_names(name, parameter.arg)));
    }
    line(") {{");
  }

  void declare_warps(std::size_t i) {
    if (is_payload(args_[i])) return;
    write("  __shared__ {T} op2_warps{i}[{warps}];\n", i);
    if (!payloads_of(args_, i).empty())
      write("  __shared__ long long op2_indices{i}[{warps}];\n", i);
  }

  void declare_shared() {
    for (std::size_t i = 0; i < args_.size(); ++i)
      if (ways_[i] == Way::term)
        write("  __shared__ long long op2_words{i}[{dim}][{words}];\n", i);
      else if (is_reduction(args_[i]))
        declare_warps(i);
  }

  void declare_staging() {
    std::set<std::string> members;
    each(Way::added, [&](std::size_t i) {
      if (is_staged(args_[i]))
        members.insert(with_names("    op2_device::Staging<{T}, {dim}> {staging};\n", i));
    });
    if (!members.empty())
      line("  __shared__ union {{\n{}  }} op2_staging[{}];", fmt::join(members, ""),
           block_threads / 32);
  }

  void align_dats() {
    std::set<int> done;
    each(Way::in_place, [&](std::size_t i) {
      if (done.insert(args_[i].dat).second)
        line("  op2_dat{0} = static_cast<{1}*>(__builtin_assume_aligned(op2_dat{0}, {2}));",
             args_[i].dat, with_names("{Element}", i), dat_alignment);
    });
  }

  void begin_threads(const char* index) {
    write(before_elements);
    if (has(Way::term)) line("  __syncthreads();");
    if (!takes_turns()) {
      line("  const long long {} = op2_begin + {}LL * blockIdx.x + threadIdx.x;", index,
           block_threads);
      line("  const bool op2_active = {} < op2_end;", index);
      return;
    }
    const std::int64_t chunk = chunk_elements(is_ordered_);
    line("  const long long op2_first = op2_begin + {}LL * blockIdx.x;", chunk);
    line("  const long long op2_last = op2_first + {0} < op2_end ? op2_first + {0} : op2_end;",
         chunk);
    line("  for (long long op2_turn = op2_first; op2_turn < op2_last; op2_turn += {}) {{",
         block_threads);
    line("  const long long {} = op2_turn + threadIdx.x;", index);
    line("  const bool op2_active = {} < op2_last;", index);
  }

  void end_threads() {
    if (takes_turns()) line("  }}");
    write(after_elements, store_payload);
    if (has(Way::term)) line("  __syncthreads();");
    each(Way::term, [&](std::size_t i) { write(store_words, i); });
    line("}}");
  }

  void read_columns() {
    const auto current =
        std::span(args_).subspan(current_args_.begin, current_args_.end - current_args_.begin);
    for (const ArgShape& arg : columns_of(current))
      line("    const int {} = {}[op2_element];", row_name(arg), column_name(arg));
  }

  void call_kernels() {
    std::vector<std::string> pointers(args_.size());
    for (std::size_t i = 0; i < args_.size(); ++i)
      for (const auto& [way, text] : pointers_to_data)
        if (way == ways_[i]) pointers[i] = with_names(text, i);
    const auto pass = [](const std::string& pointer, bool) {
      return fmt::format("op2_pointer{{(void*)({})}}", pointer);
    };
    for (std::size_t n = current_calls_.begin; n < current_calls_.end; ++n)
      line("{}    {}::{}(\n        {});", vector_declarations(nest_, n, pointers, "    "),
           kernel_namespace(n), nest_.calls[n].name,
           fmt::join(actual_arguments(nest_, n, pointers, pass), ",\n        "));
    write(after_call);
  }

  void finish_reductions(const char* condition) {
    if (!reduces()) return;
    line("    if ({}) {{", condition);
    write(not_counted);
    if (has(Way::best) || has(Way::term) || has(Way::compared)) line("    }} else {{");
    write(counted, take_payload);
    line("    }}");
  }

  void gather_parts(std::size_t k, const AddedDat& dat) {
    const std::string parameters = with_names(
        "long long op2_values, {T}* op2_dat, const {T}* op2_parts, const int* op2_rows,\n"
        "    const int* op2_start, const int* op2_of_row",
        dat.arg);
    begin_function(gather_role(k).c_str(), parameters.c_str(), {});
    write(
        "  op2_device::gather_parts<{dim}>(op2_values, op2_dat, op2_parts, op2_rows, op2_start, "
        "op2_of_row);\n}}\n",
        dat.arg);
  }

  void pull_all() {
    begin_elements(0);
    read_columns();
    line("    const bool op2_counts = {} == op2_target;", row_name(pulled_columns(args_).front()));
    write(before_call);
    each(Way::once, [&](std::size_t i) {
      write(
          "    {T} op2_scratch{i}[{dim}];\n"
          "    {T}* const op2_in_place{i} = op2_counts ? {at} : op2_scratch{i};\n",
          i);
    });
    each(Way::summed, [&](std::size_t i) { begin_sum(i); });
    call_kernels();
    finish_reductions("!op2_counts || op2_element >= op2_counted");
    each(Way::summed, [&](std::size_t i) { write(end_sum, i); });
    line("    }}");
  }

  void gather_and_call() {
    const std::vector<ArgRange> ranges = arg_ranges(nest_.gathered, args_.size());
    for (std::size_t loop = 0; loop < nest_.gathered.size(); ++loop) {
      restrict_to(ranges[loop], {loop, loop + 1});
      begin_elements(loop);
      read_columns();
      write(before_call);
      each(Way::summed, [&](std::size_t i) { begin_sum(i); });
      call_kernels();
      each(Way::summed, [&](std::size_t i) { write(end_sum, i); });
      line("    }}");
    }
    restrict_to(ranges.back(), {nest_.gathered.size(), nest_.calls.size()});
    line("    {{");
    line("    const long long op2_element = op2_target;");
    read_columns();
    write(before_call);
    call_kernels();
    finish_reductions("op2_element >= op2_counted");
    line("    }}");
    restrict_to({0, args_.size()}, {0, nest_.calls.size()});
  }

  void begin_elements(std::size_t loop) {
    line("    const int op2_past{0} = op2_start{0}[op2_thread + 1];", loop);
    line("    for (int op2_at = op2_start{0}[op2_thread]; op2_at < op2_past{0}; ++op2_at) {{",
         loop);
    line("    const long long op2_element = op2_elements{}[op2_at];", loop);
  }

  void begin_sum(std::size_t i) {
    write("    const bool op2_mine{i} = {row} == op2_target;\n", i);
    std::string earlier;
    each(Way::summed, [&](std::size_t k) {
      if (k < i && args_[k].dat == args_[i].dat) earlier += fmt::format(" && !op2_mine{}", k);
    });
    line("    const bool op2_is_sum{0} = op2_mine{0}{1};", i, earlier);
    write(
        "    op2_device::Row<{T}, {dim}> op2_row{i} =\n"
        "        op2_device::begin_sum(op2_sum{dat}, op2_is_sum{i});\n",
        i);
  }

  const LoopNest& nest_;
  const std::vector<ArgShape>& args_;
  const bool is_ordered_;
  const std::vector<Way> ways_;
  const std::set<int> written_, moved_;
  std::vector<SlottedArg> slotted_;  ///< none unless sums are in order
  ArgRange current_args_, current_calls_;
  fmt::memory_buffer out_;
};

}  // namespace

std::string emit_kernels(const LoopNest& nest, Adding adding) {
  KernelWriter writer(nest, adding);
  if (adding == Adding::atomically) writer.loop();
  if (adding == Adding::by_rows) writer.pull();
  if (adding == Adding::in_order) writer.loop_of_parts();
  writer.fold();
  return writer.text();
}

}  // namespace op2::jit
