// SPDX-License-Identifier: BSD-3-Clause
// What is certain about a kernel's use of its arguments: the counterpart of access_rules, which
// finds what is certainly wrong. Used by op2-embed-kernels and by the run-time compiler.
#pragma once

#include <string>
#include <vector>

#include <clang/AST/Decl.h>
#include <clang/Basic/SourceLocation.h>

#include <jit/llvm/access/access_rules.hpp>

namespace op2::jit {

/// Of one parameter; the facts are those of ArgumentFacts.
struct AccessProof {
  bool writes_all = false;
  bool only_adds = false;
  bool only_lowers = false;
  bool only_raises = false;
  bool leaves_zero = false;
  std::string obstacle{};  ///< to the fact that the access mode asks for; empty: it asks for none,
                           ///< it is proven, or access_rules reports an index beyond an OP_WRITE
  clang::SourceLocation place{};  ///< of the obstacle
};

/// Limit of the analysis in steps of some 0.3 us.
inline constexpr int steps_of_proof = 60000;

/// What `kernel`, which has a body, does on every path, whatever the data.
/// @param rules  one for each parameter; only dats that are written or OP_RW have facts
std::vector<AccessProof> access_proofs(const clang::FunctionDecl& kernel,
                                       const std::vector<AccessRule>& rules, int most_steps);

}  // namespace op2::jit
