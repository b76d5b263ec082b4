// SPDX-License-Identifier: BSD-3-Clause
// What the kernels that are launched have in common, whichever way they add to rows through maps:
// their parameters, the frame in which threads take turns, and one call of a nest's kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <jit/loop_nest.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>

namespace op2::jit {

// How each argument of a nest reaches its data on a GPU, where all elements run at once.

/// Rows up to this dim that are only read are loaded into registers as a whole. Longer ones are
/// read where they are: copies of rows that kernels index at run time would be in slow local
/// memory.
inline constexpr int largest_loaded_row = 16;

enum class ArgumentWay {
  off,
  number,    ///< index of the element: a local variable
  global,    ///< a value that is read
  best,      ///< a minimum or maximum with payloads: what the element offers, in a local variable
  payload,   ///< a payload: the same
  reduced,   ///< the thread's part of a reduction, in a local variable
  term,      ///< of an exact sum: the element's value, in a local variable
  compared,  ///< the element's value, with which the thread's minimum or maximum is compared
  loaded,    ///< a row in registers
  stored,    ///< a row in registers that is stored after the call
  in_place,  ///< a row in memory
  added,     ///< a row of zeros that is added to memory after the call, atomically
  extreme,   ///< the element's own value of a row's minimum or maximum, joined with it atomically
  summed,    ///< a row of a sum that the thread keeps, or of zeros that are dropped
  kept,      ///< the row of that sum, after all loops that add to it
  once       ///< a row in memory, or in scratch memory if another thread's execution counts
};

/// The largest power of 2, up to 16, that divides the bytes of every row of a dat.
std::size_t row_alignment(const ArgShape& arg);

/// Rows of the element that the loop modifies, and accesses by one argument only, are loaded and
/// stored as a whole if that takes fewer accesses; values that the kernel sets without reading them
/// are not loaded. Otherwise a dat that some argument modifies, other than by increments alone, is
/// accessed in place by all its arguments. Increments of dats that are only incremented are added,
/// if any of them goes through a map. Minima and maxima through maps are joined.
/// Precondition: of a dat that is modified otherwise, no element accesses rows of another one.
std::vector<ArgumentWay> ways_of(std::span<const ArgShape> args);

/// The same for sums in order (ordered_sums.hpp): dats that are only incremented, and only through
/// maps, are added.
std::vector<ArgumentWay> ordered_ways_of(std::span<const ArgShape> args);

/// The same where rows gather increments. Precondition: `can_pull`, or `can_gather`.
/// @param gathered  of the nest
std::vector<ArgumentWay> pull_ways_of(std::span<const ArgShape> args,
                                      std::span<const std::int32_t> gathered);

/// The first parameters of op2_loop and op2_pull.
inline constexpr const char* loop_range =
    "long long op2_begin, long long op2_end, long long op2_counted";

/// The first line of a function that is launched.
/// @param range       its first parameters
/// @param exact_sums  sums of float and double are integers (ordered_sums.hpp)
std::string signature_of(const std::string& symbol, const char* range,
                         const std::vector<KernelParameter>& parameters,
                         std::span<const ArgShape> args, bool exact_sums = false);

/// How values of a reduction are joined: a type of the device library.
/// @param nan_wins  a minimum or maximum is NaN if any value is (library_parts.hpp)
std::string operation_of(const ArgShape& arg, bool nan_wins = false);

/// The values of a payload and the index of their element: a type of the device library.
std::string candidate_of(const ArgShape& payload);

/// Memory of a block through which its warps fold a reduction, and find the best element.
std::string warps_declaration(std::span<const ArgShape> args, std::size_t position);

/// The row of a dat or of indices that an argument accesses.
std::string row_of(const ArgShape& arg);

/// Writes a function that executes elements. Derived classes decide which, and what becomes of
/// increments.
class KernelWriter {
 public:
  virtual ~KernelWriter() = default;

 protected:
  /// @param nest  outlives it
  KernelWriter(const LoopNest& nest, std::vector<ArgumentWay> ways)
      : nest_(nest),
        args_(nest.args),
        ways_(std::move(ways)),
        current_args_{0, args_.size()},
        current_calls_{0, nest.calls.size()} {}

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(fmt::appender(out_), format, std::forward<Args>(args)...);
    out_.push_back('\n');
  }

  template <class Text>
  void each(ArgumentWay way, void (Text::*emit)(std::size_t position, const ArgShape& arg)) {
    for (std::size_t i = current_args_.begin; i < current_args_.end; ++i)
      if (ways_[i] == way) (static_cast<Text*>(this)->*emit)(i, args_[i]);
  }

  /// What follows is about these arguments and calls [begin, end) alone. At first, about all.
  void restrict_to(ArgRange args, ArgRange calls) {
    current_args_ = args;
    current_calls_ = calls;
  }

  bool reduces() const;

  /// Memory of the block for reductions.
  void declare_shared();
  void align_dats();

  /// One thread for each index of the range, or chunks of them if there are reductions.
  /// `op2_active`: the thread has an index in this turn.
  void begin_threads(const char* index);
  void end_threads();

  /// The rows that the maps of the element `op2_element` lead to.
  void read_columns();
  /// Rows and values that the kernels get for it.
  void prepare_arguments();
  /// Then stores the rows that were loaded to be modified.
  void call_kernels();
  /// Takes what the element offers, or drops what it has added.
  /// @param condition  the element does not contribute to reductions
  void finish_reductions(const std::string& condition);

  const LoopNest& nest_;
  const std::vector<ArgShape>& args_;
  const std::vector<ArgumentWay> ways_;
  fmt::memory_buffer out_;

 private:
  /// Where the element's row of a dat goes.
  virtual std::string stored_address(const ArgShape& arg) const;
  /// Whether extremes are those of all elements in the order of library_parts.hpp.
  virtual bool is_ordered() const { return false; }
  /// The argument whose row in registers an argument uses: itself, or another one for the same row.
  virtual std::size_t row_position(std::size_t position) const { return position; }

  bool takes_turns() const;
  void begin_chunk(const char* index);
  void start_reduction(std::size_t position, const ArgShape& arg);
  void store_partial(std::size_t position, const ArgShape& arg);
  void start_words(std::size_t position, const ArgShape& arg);
  void store_words(std::size_t position, const ArgShape& arg);
  void declare_own(std::size_t position, const ArgShape& arg);
  void take_own(std::size_t position, const ArgShape& arg);
  void start_payload(std::size_t position, const ArgShape& arg);
  void declare_offer(std::size_t position, const ArgShape& arg);
  void take_offer(std::size_t position, const ArgShape& arg);
  void store_best(std::size_t position, const ArgShape& arg);
  void declare_number(std::size_t position, const ArgShape& arg);
  void declare_in_place(std::size_t position, const ArgShape& arg);
  void load_row(std::size_t position, const ArgShape& arg);
  void store_row(std::size_t position, const ArgShape& arg);
  void start_extreme(std::size_t position, const ArgShape& arg);
  void join_extreme(std::size_t position, const ArgShape& arg);
  void remember_reduction(std::size_t position, const ArgShape& arg);
  void restore_reduction(std::size_t position, const ArgShape& arg);
  std::string operation_of(std::size_t position) const;
  bool has(ArgumentWay way) const;
  std::string pointer_to_data(std::size_t position) const;

  ArgRange current_args_;
  ArgRange current_calls_;
};

}  // namespace op2::jit
