// SPDX-License-Identifier: BSD-3-Clause
// Reports what kernels should not contain although Clang accepts it.
#pragma once

#include <clang/AST/DeclBase.h>
#include <clang/Basic/Diagnostic.h>

namespace op2::jit {

/// Warnings of variables that a kernel changes and that outlive it, and of inline assembly; errors
/// for memory that is allocated, virtual functions, and functions of the library that are defined
/// anew. Bodies of functions included, templates as they are written.
void check_source(const clang::Decl& declaration, clang::DiagnosticsEngine& messages);

}  // namespace op2::jit
