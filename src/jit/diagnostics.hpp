// SPDX-License-Identifier: BSD-3-Clause
// From the messages of the compiler to an error that shows the user's own lines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <op2/error.hpp>
#include <op2/kernel.hpp>

#include <jit/backend.hpp>
#include <jit/source_location.hpp>

namespace op2::jit {

inline bool is_error(const Diagnostic& diagnostic) {
  return diagnostic.severity == Diagnostic::Severity::error;
}

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

// Advice for the user on messages of the compiler.

/// Whether it is an OP_KERNEL.
inline bool is_macro(const op_kernel_core& kernel) {
  return kernel.parameters != nullptr;
}

/// The folder of the file that declares the kernel, in which its headers are searched. If the
/// compiler was given a relative name of the file: from the working directory, or, if that does not
/// have the header of an OP_KERNEL, from the folder of the program.
std::string folder_of(const op_kernel_core& kernel);

/// Advice, e.g. "; declared constants: gam; did you mean 'gam'?" or "; add #include <cstdio>"; may
/// be empty.
/// @param constants  names of all declared constants
std::string hint_for(const Diagnostic& diagnostic, const op_kernel_core& kernel,
                     const std::vector<std::string>& constants);

}  // namespace op2::jit
