// SPDX-License-Identifier: BSD-3-Clause
// What is proven of kernels when a program is built, so that it needs no compiler for that later.
#pragma once

#include <string>

#include <clang/AST/Decl.h>

#include "loops.hpp"

namespace op2::embed {

/// Lines as in jit/embedded_facts.hpp, one for each form of the loops that call `kernel`, each
/// once. Empty if nothing can be proven.
std::string facts_of(const Unit& unit, const Loops& loops, const clang::FunctionDecl& kernel);

}  // namespace op2::embed
