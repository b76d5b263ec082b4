// SPDX-License-Identifier: BSD-3-Clause
// What a kernel does with its arguments, compared with the access modes of the request.
#pragma once

#include <vector>

#include <clang/AST/Decl.h>

#include <jit/backend.hpp>

namespace op2::jit {

/// Nothing where the kernel keeps what the arguments promise, or where that is not sure. The source
/// must be free of errors, templates instantiated.
/// @param parameters  those of the unit; the kernel's fit them
std::vector<AccessFinding> access_findings(const clang::FunctionDecl& kernel,
                                           const std::vector<ParameterShape>& parameters);

}  // namespace op2::jit
