// SPDX-License-Identifier: BSD-3-Clause
// The values that the loops of a queue may change: kept, put back, and compared. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/queue.hpp>

namespace op2::sched {

struct SavedDat {
  core::Dat* dat;
  std::vector<std::byte> rows;  ///< shape [local rows x dim]; later there may be more rows
  bool is_freed;                ///< by the program: its values are not defined after the queue
};

struct SavedGlobal {
  core::Global* global;
  std::vector<std::byte> value, partial;
  op_access partial_access;
  bool partial_is_exact, nan_wins;
};

/// A variable of the program that a loop reduces.
struct SavedVariable {
  std::size_t record;  ///< the last loop that reduces it
  std::uint32_t arg;   ///< of that loop
  std::byte* address;
  Type type;
  std::vector<std::byte> value;
};

/// In the order in which the queue names them, the same on all ranks.
struct SavedValues {
  std::vector<SavedDat> dats;
  std::vector<SavedGlobal> globals;
  std::vector<SavedVariable> variables;
};

/// Of dats that the program has freed, too: loops of the queue may still read what they have.
SavedValues save_values(const core::Queue& queue, const core::Mesh& mesh);

/// Puts the values back. Rows that were added since keep theirs.
void restore(const SavedValues& saved);

/// A value that is not the same, of this rank.
struct Difference {
  std::size_t position;  ///< in SavedValues: of the dats, then the globals, then the variables
  std::int64_t element;  ///< global index; 0 of what is no dat
  int component;
  std::string one, other;
  std::int64_t count;  ///< of such values at this position, on this rank
};

/// The first difference: of the lowest position, and there of the lowest element. Rows that this
/// rank does not own and dats that are freed are not compared; all NaN are the same. Collective: it
/// gives globals their values, in copies.
std::optional<Difference> find_difference(const SavedValues& one, const SavedValues& other,
                                          comm::Communicator& ranks);

/// "dat 'q' on set 'cells', element 3", "global 'rms'" or "arg 2".
std::string place_of(const Difference& found, const SavedValues& saved);

}  // namespace op2::sched
