// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/access/access_proof.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <jit/llvm/access/access_extremes.hpp>

namespace op2::jit {
namespace {

AccessProof stopped_by(std::string obstacle, clang::SourceLocation place) {
  return {.obstacle = std::move(obstacle), .place = place};
}

AccessProof proof_of_write(const ParameterUse& use, clang::SourceLocation declared) {
  if (use.read_early.isValid()) return stopped_by("may read it before writing it", use.read_early);
  if (use.write.isInvalid()) return stopped_by("does not write it", declared);
  if (use.missed == 0) return {.writes_all = true};
  const auto all = std::ssize(use.marks);
  if (use.missed < 0) return stopped_by("writes a number of values that is not known", use.write);
  return stopped_by(use.missed == all ? "writes it only on some paths"
                                      : fmt::format("writes only {} of its {} values on every path",
                                                    all - use.missed, all),
                    use.write);
}

AccessProof proof_of_sum(const ParameterUse& use, clang::SourceLocation declared) {
  if (use.assign.isValid()) return stopped_by("does not only add to it", use.assign);
  if (use.read.isValid()) return stopped_by("also reads it", use.read);
  if (use.inexact.isValid()) return stopped_by("computes the sum in another type", use.inexact);
  if (use.write.isInvalid()) return stopped_by("does not add to it", declared);
  return {.only_adds = true};
}

AccessProof proof_of(const ParameterUse& use, const AccessRule& rule,
                     const clang::ParmVarDecl& parameter) {
  const bool is_dat = rule.is_known && !rule.set_by_some;
  const bool is_write = is_dat && rule.access == OP_WRITE;
  if (!is_write && !(is_dat && rule.access == OP_RW)) return {};
  const auto declared = parameter.getLocation();
  if (use.unsure || use.doubted)
    return stopped_by("uses it in a way that the analysis cannot follow",
                      use.doubt.isValid() ? use.doubt : declared);
  if (use.beyond.isValid())
    return is_write ? AccessProof{} : stopped_by("uses an index beyond its values", use.beyond);
  return is_write ? proof_of_write(use, declared) : proof_of_sum(use, declared);
}

/// Whether every component is a constant zero in the end, whatever it was before.
bool leaves_zero(const ParameterUse& use, const AccessRule& rule) {
  const bool is_dat = rule.is_known && !rule.set_by_some;
  return is_dat && (rule.access == OP_WRITE || rule.access == OP_RW) && !use.unsure &&
         !use.doubted && use.beyond.isInvalid() && use.write.isValid() && use.missed == 0 &&
         use.other_than_zero.isInvalid();
}

/// Whether a look at the statements can tell more. References and pointers that AccessWalk does not
/// follow stand in no form of an extreme.
bool may_be_extreme(const ParameterUse& use, const AccessRule& rule) {
  return rule.is_known && !rule.set_by_some && rule.access == OP_RW && use.beyond.isInvalid() &&
         use.assign.isValid();
}

}  // namespace

std::vector<AccessProof> access_proofs(const clang::FunctionDecl& kernel,
                                       const std::vector<AccessRule>& rules, int most_steps) {
  std::vector<Extent> extents;
  for (const AccessRule& rule : rules) extents.push_back(rule.extent);
  const auto uses = uses_of(kernel, extents, most_steps);
  std::vector<AccessProof> proofs(rules.size());
  for (std::size_t i = 0; i < uses.size() && i < kernel.getNumParams(); ++i) {
    proofs[i] = proof_of(uses[i], rules[i], *kernel.getParamDecl(i));
    if (may_be_extreme(uses[i], rules[i]) && !proofs[i].only_adds) {
      const ExtremeUse found = extreme_use_of(kernel, i);
      proofs[i].only_lowers = found == ExtremeUse::only_lowers;
      proofs[i].only_raises = found == ExtremeUse::only_raises;
      if (found != ExtremeUse::none) proofs[i].obstacle.clear();
    }
    proofs[i].leaves_zero = leaves_zero(uses[i], rules[i]);
  }
  return proofs;
}

}  // namespace op2::jit
