// SPDX-License-Identifier: BSD-3-Clause
// The part of the language that an AccessWalk follows in full. What is not on its lists is not in
// it: a new kind of statement or expression stops a proof instead of slipping through one.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

namespace op2::jit {

/// Whether all that a function with a body does is followed. Lambdas count as followed: what they
/// name is treated as used in unknown ways. Cost: one pass over the body.
bool is_followed(const clang::FunctionDecl& function, const clang::ASTContext& context);

}  // namespace op2::jit
