// SPDX-License-Identifier: BSD-3-Clause
// The lazy queue: loops that have been called but not yet executed. Memory is reused from flush to
// flush, so that queueing a loop of a time step allocates nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <op2/par_loop.hpp>

#include <core/loop_record.hpp>

namespace op2::core {

class Queue {
 public:
  /// Appends a loop whose arguments were validated. Values of raw OP_READ globals are copied.
  /// @return true if a raw reduction forces its execution now
  bool push_loop(op_kernel kernel, const op_loop_name& name, op_set set,
                 std::span<const op_arg> args);

  /// Appends the assignment of `global->value.bytes()` bytes.
  void push_assignment(Global& global, const void* values);

  /// The same records with other arguments and without values: to make plans of, not to run.
  /// @param args  as many as this queue has. The result refers to names of this queue.
  Queue with_args(std::vector<LoopArg> args) const;

  /// The first `count` calls, with their values. The result refers to names of this queue.
  Queue first(std::size_t count) const;

  /// The same calls, where each one with a colouring is one call per colour.
  /// @param colourings  of each record, or null. The result refers to names of this queue.
  Queue in_colours(std::span<const Colouring* const> colourings) const;

  /// The smallest period of the whole queue, which contains at least two of them; 0: there is none.
  /// Cost: a comparison per record and candidate.
  std::size_t period() const;

  /// Of loops that are pushed from now on.
  void set_region(int region) { region_ = region; }

  /// Of all loops: floating-point traps are on while they run.
  void set_traps() {
    for (LoopRecord& record : records_) record.traps = true;
  }

  void clear();
  bool empty() const { return records_.empty(); }
  std::size_t size() const { return records_.size(); }
  /// Memory of the copied values, in bytes.
  std::size_t captured_bytes() const { return captured_.size(); }

  std::span<const LoopRecord> records() const { return records_; }
  std::span<const LoopArg> args() const { return args_; }
  std::span<const LoopArg> args_of(const LoopRecord& r) const {
    return args().subspan(r.first_arg, r.arg_count);
  }
  std::span<const ArgValue> values_of(const LoopRecord& r) const {
    return std::span(values_).subspan(r.first_arg, r.arg_count);
  }
  std::byte* captured(std::size_t offset) { return captured_.data() + offset; }

 private:
  void push_other_members(LoopArg arg);
  bool same(const LoopRecord& a, const LoopRecord& b) const;
  std::size_t capture(const void* values, std::size_t bytes);
  const char* intern(const char* name);

  std::vector<LoopRecord> records_;
  std::vector<LoopArg> args_;
  std::vector<ArgValue> values_;
  std::vector<std::byte> captured_;
  int region_ = 0;
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_set<std::string, TextHash, std::equal_to<>> names_;
};

}  // namespace op2::core
