// SPDX-License-Identifier: BSD-3-Clause
// What goes wrong, as one exception type with a stable code. The number of a code tells its kind:
// 100-199 the text of a kernel, 200-299 declarations, arguments and the order of calls,
// 400-499 several ranks, 500-599 the environment, 900-999 faults of the library itself.
#pragma once

#include <stdexcept>
#include <string>

#include <op2/types.hpp>

namespace op2 {

/// Stable numbers: `OP2-E203` in a message is `ErrorCode::bad_name` for ever.
enum class ErrorCode : int {
  kernel_text = 101,       ///< the compiler rejects the text of a kernel
  kernel_signature = 102,  ///< count, types or constness of the parameters do not fit the arguments
  kernel_include = 103,    ///< an included file is not found
  unknown_symbol = 104,    ///< the text names something that is neither declared nor a constant
  kernel_limits = 105,     ///< the text exceeds a limit of the compiler (depth, steps, frame size)
  compiler_crash = 106,    ///< the compiler itself failed on the text
  kernel_access = 107,     ///< a kernel breaks an access mode of its loop (with OP2_CHECK=access)

  not_initialised = 201,  ///< a call before `op_init` or after `op_exit`
  bad_size = 202,         ///< a negative size, or one that overflows
  bad_name = 203,         ///< an empty or missing name
  bad_dim = 204,    ///< a dim or arity outside 1 .. 65536, or one that contradicts the declaration
  bad_type = 205,   ///< an unknown type string, or one that contradicts the C++ type or the dat
  null_data = 206,  ///< data is missing although the set has elements
  map_out_of_range = 207,  ///< a map entry is no element of the target set
  wrong_set = 208,         ///< set, map and dat of an argument do not belong together
  bad_map_index = 209,     ///< the column of a map is outside its arity, or OP_ID has one
  bad_access = 210,        ///< an access mode that this sort of argument cannot have
  conflicting_args = 211,  ///< two arguments of a loop contradict each other
  bad_handle = 212,        ///< a null handle, or one of an earlier session
  wrong_thread = 213,      ///< a call from another thread than the one that called `op_init`
  wrong_process = 214,     ///< a call in a child process after fork()
  already_initialised = 215,
  bad_constant =
      216,  ///< a constant is redeclared with another type or dim, or its name is no identifier
  poisoned = 217,       ///< an earlier error left loops unexecuted, so results are not available
  bad_range = 218,      ///< a range of elements outside the set
  too_large = 219,      ///< an `op_arg_gbl` of more than 16 MiB, or a number above 2^31 - 1
  inside_kernel = 220,  ///< a kernel's host function called the library
  host_function_threw = 221,  ///< a kernel's host function threw, on one of several ranks
  not_supported = 222,        ///< a call of OP2's that has no meaning here

  collective_mismatch = 401,              ///< the ranks of a job make different calls
  divergent_ranks = collective_mismatch,  ///< its earlier name
  kernel_differs = 402,                   ///< the ranks of a job have different texts of one kernel
  communication_failure = 403,            ///< the message layer (MPI) reports a fault
  order_dependent = 404,  ///< a loop whose result depends on the order of its elements, on ranks

  bad_option = 501,    ///< an environment variable has a value that cannot be used
  io_failure = 502,    ///< a file cannot be read or written
  not_compiled = 503,  ///< a part that this build does not have; the message names the CMake option
  plugin_failure = 504,  ///< the JIT plug-in cannot be loaded or does not fit the library
  out_of_memory = 505,
  link_failure = 506,  ///< generated code cannot be linked into the process
  bad_dataset = 507,   ///< a dataset of a file is missing, or its type, sizes or values do not fit
  device_failure = 508,  ///< an accelerator or its driver reports a fault

  internal = 901  ///< a fault of the library; please report it
};

/// The one exception of the library. `what()` is a full sentence that begins with the code:
/// `OP2-E207 map 'pecell'[1042][1] = 720001, but set 'cells' has 720000 elements; ...`
class OP2_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message);
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace op2
