// SPDX-License-Identifier: BSD-3-Clause
// Compares a kernel's use of its arguments with the access modes of the request, and proves more
// about it than the modes say.
#pragma once

#include <vector>

#include <clang/AST/Decl.h>

#include <jit/backend.hpp>

namespace op2::jit {

/// The violated access modes, as far as they are certain. The source must be free of errors and its
/// templates instantiated.
/// @param parameters  those of the unit, which match the kernel's
std::vector<AccessFinding> access_findings(const clang::FunctionDecl& kernel,
                                           const std::vector<ParameterShape>& parameters);

/// What the kernel does to its dats on every path, one for each parameter; empty if no access mode
/// asks for it. Preconditions as above.
std::vector<ParameterFacts> access_facts(const clang::FunctionDecl& kernel,
                                         const std::vector<ParameterShape>& parameters);

}  // namespace op2::jit
