// SPDX-License-Identifier: BSD-3-Clause
// The loops of a unit: calls of op_par_loop, their kernels and their arguments, and how the kernels
// access these.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <op2/types.hpp>

#include "options.hpp"
#include "unit.hpp"

namespace op2::embed {

/// An argument as far as the call determines it; members are empty where only the run decides.
struct LoopArgument {
  enum class Kind { dat, global, index, info, unknown };
  Kind kind = Kind::unknown;
  bool optional = false;         ///< may be off
  std::optional<int> column;     ///< of the map; negative: that many columns at once
  std::optional<bool> indirect;  ///< through a map
  std::optional<int> dim;
  std::string type;        ///< as in the call, e.g. "double:soa"; empty: unknown
  clang::QualType values;  ///< type of the data that the program declared; null: unknown
  std::optional<op_access> access;
};

struct Loop {
  std::string name;  ///< empty: not a literal
  clang::SourceLocation location;
  const clang::FunctionDecl* kernel = nullptr;  ///< null: the call names no function
  clang::QualType kernel_type;                  ///< pointer to function
  bool is_lambda = false;
  std::vector<LoopArgument> arguments;
};

struct Loops {
  std::vector<Loop> loops;  ///< calls in several instances of a template count several times
  std::vector<const clang::FunctionDecl*> addressed;  ///< functions whose address is taken
};

Loops find_loops(const Unit& unit);

struct AccessReport {
  /// Kernels that violate an access mode: warnings, or errors with AccessCheck::error. Those that
  /// use values of others whatever the data, and parameters that do not match the arguments in
  /// number or type: errors. Nothing where it is not certain.
  std::vector<jit::Diagnostic> messages;
  /// What is proven of a kernel when a program is built, so that it needs no compiler for that
  /// later: lines as in jit/kernel_facts.hpp, one for each form of the loops that call it.
  std::map<const clang::FunctionDecl*, std::set<std::string>> facts;
};

AccessReport check_access(const Unit& unit, const Loops& loops, AccessCheck check);

}  // namespace op2::embed
