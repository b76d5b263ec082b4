// SPDX-License-Identifier: BSD-3-Clause
// From the messages of the compiler to an error that shows the user's own lines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <jit/backend.hpp>
#include <jit/source_location.hpp>
#include <op2/error.hpp>
#include <op2/kernel.hpp>

namespace op2::jit {

/// The kernel and the loop that a diagnostic is about.
struct KernelContext {
  const op_kernel_core& kernel;
  std::string loop;
  std::string call_site;
  std::vector<std::string> constants;  ///< names of all declared constants
  std::span<const IncludedFile> includes;
};

/// "airfoil.cpp:31:9", "kernel 'res_calc' line 3", "./gas.h:2:1" or "<math.h>:4:1".
std::string location_of(const Diagnostic& diagnostic, const KernelContext& context,
                        const SourceLocator& locator);

/// The source line, cut to a window around the column, and a caret below the column: two lines,
/// each after a line break. Empty if there is none.
std::string snippet_of(const Diagnostic& diagnostic);
/// The same with the line of the user's file, if the compiler has seen another one.
std::string snippet_of(const Diagnostic& diagnostic, const KernelContext& context,
                       const SourceLocator& locator);

/// "loop 'res_calc' (airfoil.cpp:212)"
std::string where_is(const KernelContext& context);

/// The error for a result that is not ok: kernel_source, kernel_signature, kernel_include,
/// unknown_symbol, kernel_limits, compiler_crash or plugin_failure. Locations in the kernel's
/// source become locations in the user's file, if that can be read and contains the source.
Error compile_error(const CompileResult& result, const KernelContext& context);

/// The warnings of a successful compilation, shown like errors; empty if there are none.
std::string compile_warnings(const CompileResult& result, const KernelContext& context);

}  // namespace op2::jit
