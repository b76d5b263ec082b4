// SPDX-License-Identifier: BSD-3-Clause
// Names of functions and types as code appended to the unit can spell them.
#pragma once

#include <string>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/PrettyPrinter.h>

namespace op2::embed {

/// Types with all their namespaces except unnamed ones.
clang::PrintingPolicy names_policy(const clang::ASTContext& context);

/// "::flow::flux<double, 3>"
std::string full_name(const clang::NamedDecl& declaration);

/// Of a pointer to the function: "void (*)(const double *, double *)".
std::string pointer_type(const clang::FunctionDecl& function);

}  // namespace op2::embed
