// SPDX-License-Identifier: BSD-3-Clause
#include <jit/kernel_facts.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <core/text.hpp>
#include <jit/backend.hpp>

namespace op2::jit {
namespace {

constexpr std::string_view full = "all", sum = "adds", least = "lowers", greatest = "raises";

/// "all, proof 2": what another version has proven does not count.
std::string proven(std::string_view fact) {
  return fmt::format("{}, proof {}", fact, proof_version);
}

/// "write 1x4 ", "rw ", or nothing. What is only added to may have any extent.
std::string form_of(const ParameterShape& parameter) {
  ArgShape arg = parameter.arg;
  arg.active = true;
  if (!asks_for_facts(arg)) return {};
  return arg.access == OP_RW ? "rw " : fmt::format("write {}x{} ", parameter.rows, arg.dim);
}

std::string text_of(const ParameterFacts& facts) {
  if (facts.writes_all || facts.only_adds) return proven(facts.writes_all ? full : sum);
  if (facts.only_lowers || facts.only_raises) return proven(facts.only_lowers ? least : greatest);
  std::string text = facts.obstacle;
  std::ranges::replace_if(text, [](char c) { return c == '|' || c == '\n'; }, ' ');
  return text;
}

/// @return nothing if the word is about a parameter of another form
std::optional<ParameterFacts> facts_in(std::string_view word, const ParameterShape& parameter) {
  const std::string form = form_of(parameter);
  if (form.empty()) return word.empty() ? std::optional(ParameterFacts{}) : std::nullopt;
  if (!word.starts_with(form)) return std::nullopt;
  word.remove_prefix(form.size());
  ParameterFacts facts;
  facts.writes_all = parameter.arg.access == OP_WRITE && word == proven(full);
  const bool is_changed = parameter.arg.access == OP_RW;
  facts.only_adds = is_changed && word == proven(sum);
  facts.only_lowers = is_changed && word == proven(least);
  facts.only_raises = is_changed && word == proven(greatest);
  if (facts != ParameterFacts{}) return facts;
  for (const std::string_view fact : {full, sum, least, greatest})
    if (word.starts_with(fact)) return std::nullopt;
  facts.obstacle = word;
  return facts;
}

std::optional<std::vector<ParameterFacts>> facts_of_line(
    std::string_view line, const std::vector<ParameterShape>& parameters) {
  if (std::ranges::count(line, '|') + 1 != std::ssize(parameters)) return std::nullopt;
  std::vector<ParameterFacts> all;
  for (const ParameterShape& parameter : parameters) {
    auto facts = facts_in(core::next_part(line, '|'), parameter);
    if (!facts) return std::nullopt;
    all.push_back(std::move(*facts));
  }
  return all;
}

}  // namespace

std::string embedded_line(const std::vector<ParameterShape>& parameters,
                          const std::vector<ParameterFacts>& facts) {
  std::string line;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string form = form_of(parameters[i]);
    line += (i > 0 ? "|" : "") + form + (form.empty() ? "" : text_of(facts[i]));
  }
  return line;
}

std::optional<std::vector<ParameterFacts>> embedded_facts(
    std::string_view text, const std::vector<ParameterShape>& parameters) {
  while (!text.empty())
    if (auto facts = facts_of_line(core::next_part(text, '\n'), parameters)) return facts;
  return std::nullopt;
}

}  // namespace op2::jit
