// SPDX-License-Identifier: BSD-3-Clause
// Errors: one exception type with a stable code. The range of a code tells its kind: 100-199 source
// of a kernel, 200-299 declarations, arguments and order of calls, 400-499 several ranks, 500-599
// environment, 900-999 internal errors of the library.
#pragma once

#include <stdexcept>
#include <string>

#include <op2/types.hpp>

namespace op2 {

/// Stable numbers: `OP2-E203` in a message is `ErrorCode::bad_name` in every version.
enum class ErrorCode : int {
  kernel_source = 101,     ///< the compiler rejects the source of a kernel
  kernel_signature = 102,  ///< number, types or constness of parameters do not match the arguments
  kernel_include = 103,    ///< an included file is not found, too large, or not a regular file
  unknown_symbol = 104,    ///< the source names something that is not declared, nor a constant
  kernel_limits = 105,   ///< the source exceeds a limit of the compiler (depth, steps, frame size)
  compiler_crash = 106,  ///< the compiler crashed on the source
  kernel_access = 107,   ///< a kernel uses an index beyond its values, or violates an access mode
                         ///< (OP2_CHECK=access)

  not_initialised = 201,  ///< a call before `op_init` or after `op_exit`
  bad_size = 202,         ///< a negative size, one that overflows, or an array of another length
  bad_name = 203,         ///< an empty or missing name
  bad_dim = 204,    ///< a dim or arity outside 1 .. 65536, or one that contradicts the declaration
  bad_type = 205,   ///< an unknown type string, or one that contradicts the C++ type or the dat
  null_data = 206,  ///< data is missing although the set has elements
  map_out_of_range = 207,  ///< a map entry is not an element of the target set
  wrong_set = 208,         ///< set, map and dat of an argument do not belong together
  bad_map_index =
      209,  ///< the column of a map is outside its arity, or the map is null (OP_ID) and has one
  bad_access = 210,  ///< an access mode that this kind of argument cannot have, or an `op_arg_info`
                     ///< that refers to no OP_MIN or OP_MAX
  conflicting_args = 211,  ///< two arguments of a loop contradict each other
  bad_handle = 212,        ///< a null handle, or one of an earlier session
  wrong_thread = 213,      ///< a call from another thread than the one that called `op_init`
  wrong_process = 214,     ///< a call in a child process after fork()
  already_initialised = 215,
  bad_constant =
      216,  ///< a constant is redeclared with another type or dim, or its name is not an identifier
  poisoned = 217,       ///< an earlier error left loops unexecuted, so results are not available
  bad_range = 218,      ///< a range of elements outside the set
  too_large = 219,      ///< an `op_arg_gbl` of more than 16 MiB, or a number above 2^31 - 1
  inside_kernel = 220,  ///< a kernel's host function called the library
  host_function_threw = 221,  ///< a kernel's host function threw, on one of several ranks
  not_supported = 222,        ///< a function of OP2 that this library does not support
  not_finite = 223,           ///< a dat has NaN or infinity (with OP2_CHECK=finite)
  bits_differ = 224,          ///< loops give other bits if one thread runs them (OP2_CHECK=bits)

  collective_mismatch = 401,    ///< the ranks of a job make different calls
  kernel_differs = 402,         ///< the ranks of a job have different sources of one kernel
  communication_failure = 403,  ///< the message layer (MPI) reports an error
  order_dependent = 404,  ///< the result depends on the element order, which ranks have not in
                          ///< common, or with more than 1024 colours
  rank_ended = 405,       ///< a rank of the job ends the program or MPI while others wait for it

  bad_option = 501,      ///< an environment variable has a value that cannot be used
  io_failure = 502,      ///< a file cannot be read or written
  not_compiled = 503,    ///< a feature that is not compiled in; the message names its CMake option
  plugin_failure = 504,  ///< the JIT plug-in cannot be loaded or does not match the library
  out_of_memory = 505,   ///< there is not enough memory, or no thread to be had
  link_failure = 506,    ///< generated code cannot be linked into the process
  bad_dataset = 507,  ///< a dataset of a file is missing, or its type, extents or values do not fit
  device_failure = 508,   ///< an accelerator or its driver reports an error
  no_device = 509,        ///< there is no accelerator, or its driver is missing or too old
  device_compiler = 510,  ///< an accelerator's compiler is missing, too old, or does not fit it
  bad_checkpoint = 511,   ///< a checkpoint of another program, mesh or version, or a damaged one

  internal = 901  ///< an error in the library; please report it
};

/// The exception type of the library. `what()` begins with the code, then says what is wrong,
/// where, and what to do:
///
///     OP2-E207 1 of 1440000 entries are out of range: map 'pecell'[1042][1] = 720001, but set
///     'cells' has 720000 elements (0 .. 719999); check the mesh
class OP2_API Error : public std::runtime_error {
 public:
  /// @param message  what follows the code in `what()`
  Error(ErrorCode code, const std::string& message);

  /// For programs that treat errors differently, e.g. `no_device`.
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace op2
