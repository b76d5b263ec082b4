// SPDX-License-Identifier: BSD-3-Clause
// Start and end, results, timers and messages.
#pragma once

#include <cstdint>

#include <op2/error.hpp>
#include <op2/types.hpp>

/// Starts the library: reads the OP2_* variables, starts the threads. `--op2-help` among the
/// arguments prints the table of switches and ends the program. The thread that calls it is the
/// only one that may use the library.
/// @param diags  what is logged if OP2_LOG does not say: 0 errors, 1 warnings, 2 information, 3 all
/// @throws op2::Error already_initialised, bad_option, not_compiled (several processes, no MPI)
OP2_API void op_init(int argc, char** argv, int diags = 1);

/// The same on the ranks of a communicator, which is duplicated. `op_init` itself uses all ranks
/// that a launcher started, or MPI_COMM_WORLD if the program has initialised MPI; it starts MPI if
/// nobody has (with MPI_THREAD_MULTIPLE) and then ends it in `op_exit`. MPI can be started only
/// once: a program with several sessions on several ranks initialises and ends it itself.
/// @param communicator  MPI_Comm_c2f of the program's communicator
/// @throws op2::Error as op_init; communication_failure
OP2_API void op_mpi_init(int argc, char** argv, int diags, int communicator);

/// What happens on several ranks when one of them has an error that the others do not see: without
/// a handler the error is logged and the job ended (MPI_Abort), because the others wait for this
/// rank for ever. After a handler that returns, the error is thrown on this rank.
using op_error_handler = void (*)(const op2::Error& error, int rank);

/// Local. For the sessions that begin later; null: the default.
OP2_API void op_set_error_handler(op_error_handler handler);

/// Executes pending loops, writes the reports that OP2_TIMING and OP2_TRACE ask for and frees
/// everything. Handles are dead afterwards; `op_init` may be called again. Does nothing if the
/// library is not running.
OP2_API void op_exit();

/// Decides which rank owns what; without it every rank owns what it declared. With one rank it only
/// executes pending loops.
///
/// | library | what it does |
/// |---|---|
/// | "PTSCOTCH", "PARMETIS", "KAHIP" | k-way partition of the set that `map` leads to; neighbours |
/// |                                 | share an element of the set it comes from |
/// | "INERTIAL", "RCB" | recursive bisection of the set of `coordinates` |
/// | "BLOCK", "RANDOM" | blocks of global numbers; a hash of them |
/// | "EXTERNAL" | `coordinates` is a dat of one int per element: the rank that is to own it |
///
/// A routine "GEOM" means bisection. ParMETIS and KaHIP are replaced by PT-Scotch, and what cannot
/// be done here by bisection or blocks, with a line in the log. Other sets follow through the maps.
/// @throws op2::Error bad_option (unknown name), bad_handle, bad_dim, bad_type, bad_range (ranks of
/// EXTERNAL); what executing loops may throw
OP2_API void op_partition(const char* library, const char* routine, op_set set, op_map map,
                          op_dat coordinates);

/// Executes pending loops.
OP2_API void op_flush();

namespace op2::detail {
OP2_API void fetch_data(op_dat dat, Type value_type, void* values);
OP2_API void fetch_data_range(op_dat dat, Type value_type, void* values, std::int64_t low,
                              std::int64_t high);
}  // namespace op2::detail

/// Executes pending loops and copies this rank's declared block, shape [elements declared here x
/// dim], in the original order.
/// @throws op2::Error bad_type, and everything that executing loops may throw
template <op2::Value T>
void op_fetch_data(op_dat dat, T* values) {
  op2::detail::fetch_data(dat, op2::type_of<T>(), values);
}

/// The same for the elements low .. high (inclusive, global indices); every rank gets all of them.
/// @param values  shape [(high - low + 1) x dim]
/// @throws op2::Error bad_type, bad_range
template <op2::Value T>
void op_fetch_data_idx(op_dat dat, T* values, std::int64_t low, std::int64_t high) {
  op2::detail::fetch_data_range(dat, op2::type_of<T>(), values, low, high);
}

/// This rank, and how many there are: what a program needs to declare its own block of a mesh.
/// Local.
OP2_API int op_rank();
OP2_API int op_ranks();

/// Elements of `set` on all ranks.
OP2_API std::int64_t op_get_size(op_set set);

/// True on one rank of all.
OP2_API bool op_is_root();

/// Prints on one rank. Needs no `op_init` and executes nothing.
OP2_API void op_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Executes pending loops, then yields processor and wall clock time in seconds.
OP2_API void op_timers(double* cpu, double* wall);

/// Executes pending loops, then prints the per-loop table: calls, time, bytes, bandwidth, share,
/// and what the JIT did.
OP2_API void op_timing_output();

/// What the JIT has done since `op_init`. Local.
struct op_jit_statistics {
  std::int64_t compiled;     ///< kernels compiled in this process
  std::int64_t disk_hits;    ///< kernels found in the cache directory
  std::int64_t received;     ///< kernels made by another rank of the job
  std::int64_t memory_hits;  ///< loops planned again with code that was already linked
  double compile_seconds;    ///< sum over compilations
  double wait_seconds;       ///< wall clock time for which loops waited for code
};
OP2_API op_jit_statistics op_get_jit_statistics();

/// What loops and their halo exchanges have cost this rank since `op_init`. Local; may also be
/// called while loops are executed, and yields zeros if the library is not running.
struct op_chain_statistics {
  std::int64_t chains;                ///< sequences of loops with at most one exchange
  std::int64_t exchanges;             ///< of those, with one
  std::int64_t messages, bytes;       ///< sent by this rank in exchanges
  std::int64_t packed_rows;           ///< rows of dats put into these messages
  std::int64_t core_iterations;       ///< executed before the halos had arrived
  std::int64_t rest_iterations;       ///< executed after that
  std::int64_t redundant_iterations;  ///< of all: for elements that another rank owns
  int layers;                         ///< of the deepest exchange
  double wait_seconds;                ///< for halos
};
OP2_API op_chain_statistics op_get_chain_statistics();

/// Iterations of all loops of this name since `op_init`, redundant ones included. As above.
OP2_API std::int64_t op_get_loop_iterations(const char* loop_name);
