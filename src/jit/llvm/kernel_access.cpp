// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/kernel_access.hpp>

#include <algorithm>
#include <utility>

#include <clang/AST/ASTContext.h>

#include <jit/llvm/access/access_proof.hpp>
#include <jit/llvm/access/access_rules.hpp>
#include <jit/llvm/clang_messages.hpp>

namespace op2::jit {
namespace {

AccessRule rule_of(const ParameterShape& parameter) {
  const ArgShape& arg = parameter.arg;
  AccessRule rule;
  rule.is_known = arg.active;
  rule.extent = {.rows = parameter.rows, .components = arg.dim, .is_there = arg.active};
  if (arg.kind == OP_ARG_IDX) {
    rule.extent.components = 1;
    rule.may_be_unused = true;
    return rule;
  }
  const bool is_global = arg.kind != OP_ARG_DAT;
  rule.access = arg.access;
  rule.set_by_some = is_global;
  rule.keeps_rest = !is_global && (arg.map >= 0 || arg.padding > 0);
  rule.has_copies = is_global || arg.map >= 0;
  return rule;
}

AccessFinding finding_of(const AccessFault& fault, const clang::SourceManager& sources) {
  const Diagnostic place = note_at(sources, fault.place, "");
  return {.argument = static_cast<std::int32_t>(fault.argument),
          .is_omission = fault.is_omission ? 1 : 0,
          .beyond = fault.beyond,
          .what = fault.what,
          .advice = fault.advice,
          .file = place.file,
          .line = place.line,
          .column = place.column,
          .source_line = place.source_line};
}

std::vector<AccessRule> rules_of(const std::vector<ParameterShape>& parameters) {
  std::vector<AccessRule> rules;
  for (const ParameterShape& parameter : parameters) rules.push_back(rule_of(parameter));
  return rules;
}

ParameterFacts facts_of(AccessProof proof, const clang::SourceManager& sources) {
  const Diagnostic place = note_at(sources, proof.place, "");
  return {.writes_all = proof.writes_all,
          .only_adds = proof.only_adds,
          .only_lowers = proof.only_lowers,
          .only_raises = proof.only_raises,
          .leaves_zero = proof.leaves_zero,
          .obstacle = std::move(proof.obstacle),
          .file = place.file,
          .line = place.line,
          .column = place.column};
}

}  // namespace

std::vector<AccessFinding> access_findings(const clang::FunctionDecl& kernel,
                                           const std::vector<ParameterShape>& parameters) {
  const std::vector<AccessRule> rules = rules_of(parameters);
  std::vector<AccessFinding> findings;
  const auto& sources = kernel.getASTContext().getSourceManager();
  for (const AccessFault& fault : access_faults(kernel, rules, steps_at_run))
    findings.push_back(finding_of(fault, sources));
  return findings;
}

std::vector<ParameterFacts> access_facts(const clang::FunctionDecl& kernel,
                                         const std::vector<ParameterShape>& parameters) {
  if (std::ranges::none_of(parameters, [](const auto& shape) { return asks_for_facts(shape.arg); }))
    return {};
  std::vector<ParameterFacts> facts;
  const auto& sources = kernel.getASTContext().getSourceManager();
  for (AccessProof& proof : access_proofs(kernel, rules_of(parameters), steps_of_proof))
    facts.push_back(facts_of(std::move(proof), sources));
  return facts;
}

}  // namespace op2::jit
