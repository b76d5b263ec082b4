// SPDX-License-Identifier: BSD-3-Clause
// From the messages of the compiler to an error that shows the user's own lines.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <op2/error.hpp>
#include <op2/kernel.hpp>

#include <jit/backend.hpp>
#include <jit/source_location.hpp>

namespace op2::jit {

/// The kernel and the loop that a diagnostic is about.
struct KernelContext {
  const LoopOrigin& origin;
  std::vector<std::string> constants;  ///< names of all declared constants
  std::span<const IncludedFile> includes;
  mutable std::optional<SourceLocator> kept_locator{};

  const op_kernel_core& kernel() const { return *origin.kernel; }
  /// Of the kernel's file, which is read at the first call.
  const SourceLocator& locator() const {
    return kept_locator ? *kept_locator : kept_locator.emplace(*origin.kernel);
  }
};

/// "airfoil.cpp:31:9", "kernel 'res_calc' line 3", "./gas.h:2:1" or "<math.h>:4:1".
std::string location_of(const Diagnostic& diagnostic, const KernelContext& context);

/// The error for a result that is not ok: kernel_source, kernel_signature, kernel_include,
/// unknown_symbol, kernel_limits, compiler_crash or plugin_failure. Locations in the kernel's
/// source become locations in the user's file, if that can be read and contains the source.
Error compile_error(const CompileResult& result, const KernelContext& context);

/// The warnings of a successful compilation, shown like errors; empty if there are none.
std::string compile_warnings(const CompileResult& result, const KernelContext& context);

/// Whether it is an OP_KERNEL.
inline bool is_macro(const op_kernel_core& kernel) {
  return kernel.parameters != nullptr;
}

/// The folder of the file that declares the kernel, in which its headers are searched. If the
/// compiler was given a relative name of the file: from the working directory, or, if that does not
/// have the header of an OP_KERNEL, from the folder of the program.
std::string folder_of(const op_kernel_core& kernel);

// Messages about kernels that break an access mode of their loop.

struct AccessMessage {
  bool is_error = false;  ///< also without OP2_CHECK=access
  bool is_known = false;  ///< whoever plans the loop says it, from what the source proves
  std::string topic;      ///< equal for equal findings at the same place of a kernel
  std::string text;  ///< loop, argument, kernel, what it does, where, what to do; the source line
};

/// One message per finding of a call of the nest, without those that do not apply to an argument
/// that may be off.
std::vector<AccessMessage> access_messages(const std::vector<AccessFinding>& findings,
                                           const LoopRequest& request, std::size_t call,
                                           const KernelContext& context);

/// The error kernel_access with those messages that are errors.
/// @param messages  at least one
/// @param all       because of OP2_CHECK=access
/// @return          nothing if none is an error
std::optional<Error> access_error(const std::vector<AccessMessage>& messages, bool all);

}  // namespace op2::jit
