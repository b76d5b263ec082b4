// SPDX-License-Identifier: BSD-3-Clause
// The lazy queue: loops and assignments to globals that have been called but not yet executed, in
// the order of the calls. Records are plain data. Memory is reused from flush to flush, so that
// queueing a loop of a time step allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include <op2/kernel.hpp>
#include <op2/par_loop.hpp>
#include <op2/types.hpp>

#include <core/mesh.hpp>

namespace op2::core {

/// Colours of the elements of a set: a loop whose result depends on the order of its elements runs
/// as a sequence of loops, one for each colour, within which no two elements use a row in common.
/// Uniform but for `rows`. Lives as long as the session.
struct Colouring {
  const Set* set;
  int count;                        ///< of colours, at least 2
  bool writes;                      ///< also rows that elements only write; false: that they read
  std::vector<std::uint16_t> rows;  ///< the colour of each local row: shape [rows of the set]
};

/// One argument of a queued loop; each column of a vector argument is a separate argument. Loops
/// whose arguments compare equal have the same analysis, the same code and the same data; what may
/// differ from call to call is in ArgValue.
struct LoopArg {
  op_arg_type kind;
  op_access access;
  /// By the program. Plans may count with another `access`, see sched/analysis/facts.hpp.
  op_access declared = access;
  int dim;     ///< of a dat with padding: that of whole rows
  int column;  ///< of `map`; -1: direct
  /// A vector argument of n columns is n arguments: the first has n here, the others 0. One that is
  /// off is a single argument. All other arguments have 1.
  int members = 1;
  /// Of OP_ARG_INFO, whose kind is OP_ARG_GBL and whose access is OP_WRITE: the argument of the
  /// loop with its minimum or maximum; otherwise -1.
  int info_of = -1;
  Type type;
  bool active;  ///< false: optional and off; has no effect
  /// Of OP_ARG_INFO: elements may run in any order, because compiled code keeps the index of the
  /// element with the extreme. Set in plans, see sched/analysis/order.hpp.
  bool any_order = false;
  bool optional = false;  ///< may be off in other calls
  Dat* dat;
  Map* map;
  Global* global;  ///< lazy global; null for a raw one
  bool operator==(const LoopArg&) const = default;

  bool modifies() const { return access != OP_READ; }
  bool is_active_dat() const { return active && kind == OP_ARG_DAT; }
  bool modifies_dat() const { return is_active_dat() && modifies(); }
  bool is_indirect() const { return map != nullptr; }
  /// A global that gets the value of one element: an argmin or argmax payload, or written
  /// (OP_WRITE).
  bool is_payload() const { return is_reduction() && access == OP_WRITE; }
  bool is_reduction() const { return active && kind == OP_ARG_GBL && modifies(); }
};

/// The arguments of a chain are compared as one block of memory.
static_assert(std::has_unique_object_representations_v<LoopArg>);

/// What differs from call to call: the memory of a raw global.
struct ArgValue {
  void* user;            ///< raw reduction: where the result goes
  std::size_t captured;  ///< raw OP_READ: offset of the copy in Queue::captured
};

/// The place of a call in the user's program.
struct CallSite {
  const char* file;
  int line;
};

/// A loop, or (kernel == null) the assignment of captured values to a global.
struct LoopRecord {
  op_kernel kernel;
  const char* name;  ///< interned: lives as long as the queue
  Set* set;
  CallSite where;
  std::uint32_t first_arg;  ///< its arguments are [first_arg, first_arg + arg_count) of Queue::args
  std::uint32_t arg_count;
  Global* target;        ///< of an assignment
  std::size_t captured;  ///< of an assignment: offset of the values
  /// In a plan, of a loop that runs in colours: the elements of this one. Null: all elements.
  const Colouring* colouring = nullptr;
  std::int32_t colour = 0;
  std::int32_t region = 0;  ///< of the program, in which it was called; see Profile
  bool traps = false;       ///< floating-point traps are on when it runs; see sched/rounding.hpp

  bool is_assignment() const { return kernel == nullptr; }
};

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
