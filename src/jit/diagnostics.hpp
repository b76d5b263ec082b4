// SPDX-License-Identifier: BSD-3-Clause
// From the messages of the compiler to an error that shows the user's own lines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <jit/backend.hpp>
#include <jit/text_place.hpp>
#include <op2/error.hpp>
#include <op2/kernel.hpp>

namespace op2::jit {

/// What an error is told about.
struct CompiledText {
  const op_kernel_core& kernel;
  std::string loop;
  std::string call_site;
  std::vector<std::string> constants;  ///< names of all declared constants
  std::span<const IncludedFile> includes;
};

/// "airfoil.cpp:31:9", "kernel 'res_calc' line 3", "./gas.h:2:1" or "<math.h>:4:1".
std::string place_of(const Diagnostic& diagnostic, const CompiledText& text,
                     const TextPlaces& places);

/// The source line, cut to a window around the column, and a caret below the column: two lines,
/// each behind a line break. Empty if there is none.
std::string snippet_of(const Diagnostic& diagnostic);

/// "loop 'res_calc' (airfoil.cpp:212)"
std::string where_is(const CompiledText& text);

/// The error for a result that is not ok: kernel_text, kernel_signature, kernel_include,
/// unknown_symbol, kernel_limits, compiler_crash or plugin_failure. Places in the kernel's text
/// become places in the file that it stands in, if that can be read and the text is found there.
Error compile_error(const CompileResult& result, const CompiledText& text);

/// The warnings of a successful compilation, shown like errors; empty if there are none.
std::string compile_warnings(const CompileResult& result, const CompiledText& text);

}  // namespace op2::jit
