// SPDX-License-Identifier: BSD-3-Clause
// What the queue holds: loops and assignments to globals, in the order of the calls. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <op2/kernel.hpp>
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
  bool traps = false;       ///< floating-point traps are on when it runs; see float_environment.hpp

  bool is_assignment() const { return kernel == nullptr; }
};

}  // namespace op2::core
