// SPDX-License-Identifier: BSD-3-Clause
// Faults of kernels' sources that are found without a compiler, because NVRTC does not report them,
// or reports them at generated code.
#pragma once

#include <vector>

#include <jit/compile_result.hpp>
#include <jit/loop_nest.hpp>

namespace op2::jit {

/// An error for each macro that has the name of a keyword, or begins with op2_.
std::vector<Diagnostic> macro_faults(const LoopNest& nest);

/// Gives messages the source lines that NVRTC 12.0 and 12.1 do not show, with the column of what
/// the message is about, or of the line's first word.
void add_source_lines(std::vector<Diagnostic>& messages, const LoopNest& nest);

/// Adds notes to errors: where a bracket is opened that is never closed, if there are errors in
/// generated code; that a constant is declared, if a source defines its name.
void add_notes(std::vector<Diagnostic>& messages, const LoopNest& nest);

}  // namespace op2::jit
