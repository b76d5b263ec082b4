// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_facts.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include <fmt/format.h>

#include <jit/embedded_facts.hpp>
#include <jit/llvm/access/access_proof.hpp>

#include "access_check.hpp"
#include "message.hpp"

namespace op2::embed {
namespace {

jit::ParameterShape shape_of(const jit::AccessRule& rule, const LoopArgument& argument) {
  jit::ArgShape shape;
  shape.kind = argument.kind == LoopArgument::Kind::dat ? OP_ARG_DAT : OP_ARG_GBL;
  shape.access = rule.access.value_or(OP_READ);
  shape.dim = static_cast<int>(rule.extent.components);
  return {shape, static_cast<std::int32_t>(rule.extent.rows)};
}

jit::ParameterFacts with_place(const jit::AccessProof& proof, const Unit& unit) {
  jit::ParameterFacts facts{.writes_all = proof.writes_all,
                            .only_adds = proof.only_adds,
                            .only_lowers = proof.only_lowers,
                            .only_raises = proof.only_raises};
  if (proof.obstacle.empty()) return facts;
  const FileLocation place = file_location(unit.sources(), proof.place);
  facts.obstacle =
      fmt::format("{} ({}:{}:{})", proof.obstacle,
                  std::filesystem::path(place.file).filename().string(), place.line, place.column);
  return facts;
}

std::string line_of(const Unit& unit, const Loop& loop, const clang::FunctionDecl& kernel) {
  std::vector<jit::AccessRule> rules;
  std::vector<jit::ParameterShape> shapes;
  for (std::size_t i = 0; i < loop.arguments.size(); ++i) {
    const LoopArgument& argument = loop.arguments[i];
    rules.push_back(rule_of(argument));
    shapes.push_back(shape_of(rules.back(), argument));
    if (!type_fault(unit, *kernel.getParamDecl(i), argument).empty()) rules.back().is_known = false;
  }
  if (std::ranges::none_of(shapes, [](const auto& shape) { return asks_for_facts(shape.arg); }))
    return {};
  std::vector<jit::ParameterFacts> facts;
  for (const auto& proof : jit::access_proofs(kernel, rules, jit::steps_of_proof))
    facts.push_back(with_place(proof, unit));
  return jit::embedded_line(shapes, facts);
}

}  // namespace

std::string facts_of(const Unit& unit, const Loops& loops, const clang::FunctionDecl& kernel) {
  const auto* definition = kernel.getDefinition();
  if (definition == nullptr || definition->getBody() == nullptr || definition->isInvalidDecl() ||
      !unit.errors.empty())
    return {};
  std::set<std::string> lines;
  for (const Loop& loop : loops.loops) {
    const bool calls_it = loop.kernel != nullptr &&
                          loop.kernel->getCanonicalDecl() == kernel.getCanonicalDecl() &&
                          loop.arguments.size() == definition->getNumParams();
    if (calls_it) lines.insert(line_of(unit, loop, *definition));
  }
  std::string text;
  for (const std::string& line : lines)
    if (!line.empty()) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace op2::embed
