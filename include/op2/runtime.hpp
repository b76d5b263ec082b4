// SPDX-License-Identifier: BSD-3-Clause
// Initialisation and finalisation, partitioning, results, timers and messages.
#pragma once

#include <cstdint>

#include <op2/error.hpp>
#include <op2/lengths.hpp>
#include <op2/types.hpp>

/// Initialises the library: reads the OP2_* variables and starts the threads. `--op2-help` among
/// the arguments prints the table of switches and ends the program. Only the thread that calls it
/// may use the library. Collective.
/// @param argc, argv  of main: the program's own arguments stay
/// @param diags  log level if OP2_LOG is not set: 0 errors, 1 warnings, 2 information, 3 all
/// @throws op2::Error already_initialised, bad_option, not_compiled (several processes, no MPI)
OP2_API void op_init(int argc, char** argv, int diags = 1);

/// The same on the ranks of a communicator, which is duplicated. `op_init` uses MPI_COMM_WORLD if
/// the program has initialised MPI, otherwise all ranks of the launcher: then it initialises
/// MPI itself (MPI_THREAD_MULTIPLE) and finalises it in `op_exit`. MPI can be initialised only
/// once: a program with several sessions on several ranks must initialise and finalise it itself.
/// @param communicator  MPI_Comm_c2f of the program's communicator
/// @throws op2::Error what op_init throws; communication_failure
OP2_API void op_mpi_init(int argc, char** argv, int diags, int communicator);

/// Called on several ranks when one of them has an error that the others do not see. Without a
/// handler the error is logged and the job aborted (MPI_Abort), because the other ranks would wait
/// for this one for ever. If the handler returns, the error is thrown on this rank.
using op_error_handler = void (*)(const op2::Error& error, int rank);

/// Sets the handler of sessions that begin later; null: the default. Local.
OP2_API void op_set_error_handler(op_error_handler handler);

/// Executes pending loops, writes the reports requested by OP2_TIMING and OP2_TRACE and frees all
/// data. Handles are invalid afterwards; `op_init` may be called again. Does nothing if the library
/// is not initialised. Collective.
OP2_API void op_exit();

/// Partitions the mesh; without it every rank owns what it declared. With one rank it only executes
/// pending loops and, with OP2_REPRODUCIBLE=on, decides the order of sums. Collective.
///
/// | library | method |
/// |---|---|
/// | "PTSCOTCH", "PARMETIS", "KAHIP" | k-way partition of the target set of `map`: elements are |
/// |                                 | neighbours if a source element refers to both |
/// | "INERTIAL", "RCB" | recursive bisection of the set of `coordinates` |
/// | "BLOCK", "RANDOM" | blocks of global indices; a hash of the global index |
/// | "EXTERNAL" | `coordinates` is a dat of one int per element: the rank that shall own it |
///
/// Routine "GEOM" selects bisection. PT-Scotch stands in for ParMETIS and KaHIP, and bisection or
/// blocks for a library that is missing, with a log entry. Other sets inherit owners through maps.
/// @param library      see the table; upper and lower case are the same
/// @param routine      of the library, as in OP2; null or ""
/// @param set, map     set whose elements are distributed, and the map for k-way; null: the library
///                     chooses
/// @param coordinates  dat on the set to bisect, dim 1 to 3, double; or of EXTERNAL; or null
/// @throws op2::Error bad_option (unknown name), bad_handle, bad_dim, bad_type, bad_range (ranks of
/// EXTERNAL); what executing loops may throw
OP2_API void op_partition(const char* library, const char* routine, op_set set, op_map map,
                          op_dat coordinates);

/// Executes pending loops. Collective.
OP2_API void op_flush();

namespace op2::detail {
OP2_API void fetch_data(op_dat dat, Type value_type, void* values);
OP2_API void fetch_data_range(op_dat dat, Type value_type, void* values, std::int64_t low,
                              std::int64_t high);
}  // namespace op2::detail

/// Executes pending loops and copies the block that this rank declared, shape [declared elements x
/// dim], in the original order. The length of a container is checked. Collective.
/// @param values  shape [declared elements x dim], of the dat's type
/// @throws op2::Error bad_type, bad_size, null_data, and everything that executing loops may throw
template <op2::Value T>
void op_fetch_data(op_dat dat, T* values) {
  op2::detail::fetch_data(dat, op2::type_of<T>(), values);
}
template <op2::WritableArray C>
void op_fetch_data(op_dat dat, C&& values) {
  op2::detail::check_length("op_fetch_data", dat, op2::detail::given(values));
  op_fetch_data(dat, std::data(values));
}
template <op2::NoResults C>
void op_fetch_data(op_dat, C&&) {
  op2::detail::refuse_results<C>();
}

/// The same for the elements low .. high (global indices, inclusive); all ranks get all of them.
/// @param values  shape [(high - low + 1) x dim]
/// @throws op2::Error bad_type, bad_range, bad_size, null_data, and as op_fetch_data
template <op2::Value T>
void op_fetch_data_idx(op_dat dat, T* values, std::int64_t low, std::int64_t high) {
  op2::detail::fetch_data_range(dat, op2::type_of<T>(), values, low, high);
}
template <op2::WritableArray C>
void op_fetch_data_idx(op_dat dat, C&& values, std::int64_t low, std::int64_t high) {
  op2::detail::check_length("op_fetch_data_idx", dat, low, high, op2::detail::given(values));
  op_fetch_data_idx(dat, std::data(values), low, high);
}
template <op2::NoResults C>
void op_fetch_data_idx(op_dat, C&&, std::int64_t, std::int64_t) {
  op2::detail::refuse_results<C>();
}

/// This rank, from 0: with `op_ranks` a program decides which block of the mesh it declares. Local.
OP2_API int op_rank();
/// The number of ranks of the job. Local.
OP2_API int op_ranks();

/// Size of `set` over all ranks. Local.
OP2_API std::int64_t op_get_size(op_set set);

/// True on exactly one rank. Local.
OP2_API bool op_is_root();

/// Prints on the root rank. Works before `op_init`; does not execute pending loops. Local.
OP2_API void op_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Executes pending loops, then returns times in seconds. Collective.
/// @param cpu, wall  of the processor on this rank, and of the wall clock; either may be null
OP2_API void op_timers(double* cpu, double* wall);

/// Executes pending loops, then prints the per-loop table: calls, time, bytes, bandwidth, share of
/// the time, and the work of the JIT. Collective.
OP2_API void op_timing_output();

/// Statistics of the JIT since `op_init`. Local.
struct op_jit_statistics {
  std::int64_t compiled;     ///< kernels compiled in this process
  std::int64_t disk_hits;    ///< kernels found in the cache directory
  std::int64_t received;     ///< kernels compiled by another rank of the job
  std::int64_t memory_hits;  ///< loops planned with code that was already linked
  double compile_seconds;    ///< sum over compilations
  double wait_seconds;       ///< wall clock time for which loops waited for code
};
/// What has been compiled, found and waited for since `op_init`. Local.
OP2_API op_jit_statistics op_get_jit_statistics();

/// Statistics of loops and halo exchanges of this rank since `op_init`. Local; may also be called
/// while loops are executed; all zero if the library is not initialised.
struct op_chain_statistics {
  std::int64_t chains;                ///< chains: sequences of loops with at most one exchange
  std::int64_t exchanges;             ///< chains with an exchange
  std::int64_t messages, bytes;       ///< sent by this rank in halo exchanges
  std::int64_t packed_rows;           ///< rows of dats packed into these messages
  std::int64_t interior_iterations;   ///< interior phase: executed while messages are in flight
  std::int64_t boundary_iterations;   ///< boundary phase: executed after the messages have arrived
  std::int64_t redundant_iterations;  ///< included in both: for elements that another rank owns
  int layers;                         ///< halo layers of the deepest exchange
  double wait_seconds;                ///< waiting for messages
};
/// Chains, messages and iterations of this rank since `op_init`. Local.
OP2_API op_chain_statistics op_get_chain_statistics();

/// Iterations of all loops of this name since `op_init`, redundant ones included. Local.
OP2_API std::int64_t op_get_loop_iterations(const char* loop_name);
/// Of these, the iterations that ran tile by tile. Local.
OP2_API std::int64_t op_get_tiled_iterations(const char* loop_name);

/// The same by phase, as in op_chain_statistics; on one rank all are in the boundary phase.
struct op_loop_statistics {
  std::int64_t interior_iterations;   ///< executed while messages are in flight
  std::int64_t boundary_iterations;   ///< executed after the messages have arrived
  std::int64_t redundant_iterations;  ///< included in both: for elements that another rank owns
};
/// Iterations of all loops of this name by phase, since `op_init`. Local.
OP2_API op_loop_statistics op_get_loop_statistics(const char* loop_name);

/// The halo exchanges of one dat; the same on all ranks.
struct op_halo_statistics {
  std::int64_t exchanges;  ///< of which the dat was part
  std::int64_t layers;     ///< that were sent in them, added up
};
/// The exchanges of `dat` since `op_init`. Local.
/// @throws op2::Error bad_handle
OP2_API op_halo_statistics op_get_halo_statistics(op_dat dat);
