// SPDX-License-Identifier: BSD-3-Clause
// What options let listen to a session (core/measurements/listener.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <core/measurements/listener.hpp>

namespace op2::comm {
class Communicator;
}

namespace op2::api {

class Runtime;

/// Adds the listeners that the options of a session ask for. Collective.
/// @throws Error io_failure, device_failure, out_of_memory
void add_listeners(Runtime& runtime);

/// OP2_TOOLS: tells the libraries what the session does (op2/tool.h). Local.
/// @throws Error bad_option  if one cannot be loaded, or has none of the functions
std::unique_ptr<core::Listener> make_tools(Runtime& runtime);

/// OP2_TRACE: keeps spans, and writes them at the end, on the root.
std::unique_ptr<core::Listener> make_trace_file(Runtime& runtime);

/// OP2_CHECK=bits: executes each flush first in the plainest way: on one thread, without tiles,
/// chains, fusion and vectors; then compares the bits. Cost: the second execution, its
/// compilations, and copies of what the queue modifies. Error bits_differ, on all ranks.
std::unique_ptr<core::Listener> make_bits_check(Runtime& runtime);

/// OP2_CHECK=finite: finds the first loop after which a dat has NaN or infinity, and the first such
/// value. Values that are not finite before a loop are allowed only in dats that it does not read
/// (OP_WRITE). Cost of a loop: two passes over the owned rows of its dats, on the host, and two
/// reductions over the ranks. Error not_finite, on all ranks.
std::unique_ptr<core::Listener> make_finite_check(Runtime& runtime);

/// OP2_CHECK=pointers on a device: logs, as an error and once for a loop and dat, rows that the
/// program has written through `dat->data` without a word about it, so that loops do not see them.
/// The program goes on. Cost of a loop: a pass over the rows of its dats, and one over those that
/// it has changed.
std::unique_ptr<core::Listener> make_pointer_check(Runtime& runtime);

/// OP2_HASH: writes a hash of each value that the program declares or sees (core/hash.hpp),
/// on the root; without op_exit there is no file. Cost: a pass over the owned rows and a reduction.
/// @throws Error io_failure, on all ranks, if the root cannot write the file; later errors of the
/// root end the job
std::unique_ptr<core::Listener> make_value_log(Runtime& runtime);

/// OP2_MODEL: writes what op2-model needs of a run (core/measurements/run_record.hpp), and the maps
/// beside it, on the root. Cost at the end: the maps travel to the root, one after the other.
std::unique_ptr<core::Listener> make_model_log(Runtime& runtime);

/// Where a wrong value is: of several arrays or arguments one, and in it the lowest element.
struct ElementPosition {
  std::size_t position;
  std::int64_t element;  ///< global index, below 2^40
};

struct FirstOfRanks {
  bool any;      ///< a rank has found a wrong value
  bool is_mine;  ///< this rank has found the first one; others may have the same
};

/// Compares what each rank has found, if anything. Collective; call `Runtime::enter` before.
FirstOfRanks first_of_ranks(comm::Communicator& ranks, const std::optional<ElementPosition>& mine);

}  // namespace op2::api
