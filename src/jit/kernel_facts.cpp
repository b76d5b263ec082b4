// SPDX-License-Identifier: BSD-3-Clause
#include <jit/kernel_facts.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <core/text.hpp>
#include <jit/backend.hpp>

namespace op2::jit {
namespace {

struct NamedFact {
  std::string_view name;
  bool ArgumentFacts::* fact;
  op_access access;  ///< that asks for it
};
constexpr NamedFact named_facts[]{{"all", &ArgumentFacts::writes_all, OP_WRITE},
                                  {"adds", &ArgumentFacts::only_adds, OP_RW},
                                  {"lowers", &ArgumentFacts::only_lowers, OP_RW},
                                  {"raises", &ArgumentFacts::only_raises, OP_RW}};

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

std::string text_of(const ArgumentFacts& facts) {
  for (const auto& [name, fact, access] : named_facts)
    if (facts.*fact) return proven(name);
  std::string text = facts.why;
  std::ranges::replace_if(text, [](char c) { return c == '|' || c == '\n'; }, ' ');
  return text;
}

/// @return nothing if the word is about a parameter of another form
std::optional<ArgumentFacts> facts_in(std::string_view word, const ParameterShape& parameter) {
  const std::string form = form_of(parameter);
  if (form.empty()) return word.empty() ? std::optional(ArgumentFacts{}) : std::nullopt;
  if (!word.starts_with(form)) return std::nullopt;
  word.remove_prefix(form.size());
  ArgumentFacts facts;
  for (const auto& [name, fact, access] : named_facts) {
    facts.*fact = parameter.arg.access == access && word == proven(name);
    if (facts.*fact) return facts;
    if (word.starts_with(name)) return std::nullopt;
  }
  facts.why = word;
  return facts;
}

std::optional<std::vector<ArgumentFacts>> facts_of_line(
    std::string_view line, const std::vector<ParameterShape>& parameters) {
  if (std::ranges::count(line, '|') + 1 != std::ssize(parameters)) return std::nullopt;
  std::vector<ArgumentFacts> all;
  for (const ParameterShape& parameter : parameters) {
    auto facts = facts_in(core::next_part(line, '|'), parameter);
    if (!facts) return std::nullopt;
    all.push_back(std::move(*facts));
  }
  return all;
}

}  // namespace

std::string embedded_line(const std::vector<ParameterShape>& parameters,
                          const std::vector<ArgumentFacts>& facts) {
  std::string line;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string form = form_of(parameters[i]);
    line += (i > 0 ? "|" : "") + form + (form.empty() ? "" : text_of(facts[i]));
  }
  return line;
}

std::optional<std::vector<ArgumentFacts>> embedded_facts(
    std::string_view text, const std::vector<ParameterShape>& parameters) {
  while (!text.empty())
    if (auto facts = facts_of_line(core::next_part(text, '\n'), parameters)) return facts;
  return std::nullopt;
}

}  // namespace op2::jit
