// SPDX-License-Identifier: BSD-3-Clause
#include "access_check.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <core/access.hpp>
#include <core/op2_type_names.hpp>
#include <jit/embedded_facts.hpp>
#include <jit/llvm/access/access_rules.hpp>
#include <jit/llvm/clang_messages.hpp>

namespace op2::embed {
namespace {

using Kind = LoopArgument::Kind;
using Severity = jit::Diagnostic::Severity;

/// What switches messages about access modes on and off.
constexpr const char* warning_flag = " [-Wop2-access]";

/// The type that an OP2 type string names; nothing for an unknown string, which may mean any type.
std::optional<clang::QualType> type_named(const clang::ASTContext& context, std::string_view name) {
  const auto type = core::op2_type_named(name);
  if (!type) return std::nullopt;
  const std::array<clang::QualType, 7> known{context.DoubleTy,   context.FloatTy,
                                             context.IntTy,      context.UnsignedIntTy,
                                             context.LongLongTy, context.UnsignedLongLongTy,
                                             context.BoolTy};
  return known.at(static_cast<std::size_t>(*type));
}

/// `long` and `long long` count as the same type: both have 64 bits.
bool is_same_number(const clang::ASTContext& context, clang::QualType a, clang::QualType b) {
  a = a.getCanonicalType().getUnqualifiedType();
  b = b.getCanonicalType().getUnqualifiedType();
  if (a == b) return true;
  const bool is_64_bit = a->isIntegerType() && b->isIntegerType() && context.getTypeSize(a) == 64 &&
                         context.getTypeSize(b) == 64;
  return is_64_bit && a->isSignedIntegerType() == b->isSignedIntegerType();
}

bool is_vector(const LoopArgument& argument) {
  return argument.kind == Kind::dat && argument.column && *argument.column < -1;
}

jit::Extent extent_of(const LoopArgument& argument) {
  jit::Extent extent;
  extent.components = argument.dim.value_or(-1);
  if (argument.kind == Kind::dat && !argument.column) extent.rows = -1;
  if (is_vector(argument)) extent.rows = -*argument.column;
  return extent;
}

std::string shown(const Unit& unit, clang::QualType type) {
  return type.getAsString(unit.context.getPrintingPolicy());
}

/// What is wrong if a parameter's type is not that of the argument's data; otherwise empty.
std::string type_fault(const Unit& unit, const clang::ParmVarDecl& parameter,
                       const LoopArgument& argument) {
  if (argument.kind == Kind::unknown) return {};
  auto pointee = parameter.getType()->getPointeeType();
  if (pointee.isNull()) return {};
  if (pointee->isPointerType()) pointee = pointee->getPointeeType();
  const auto named = type_named(unit.context, argument.type);
  if (!named || pointee->isRecordType() || is_same_number(unit.context, *named, pointee)) return {};
  return fmt::format("takes it as '{}', but its type is \"{}\"", shown(unit, parameter.getType()),
                     argument.type);
}

/// What the call of a loop says about an argument.
jit::AccessRule rule_of(const LoopArgument& argument) {
  jit::AccessRule rule;
  rule.is_known = argument.kind != Kind::unknown;
  if (argument.access && argument.kind != Kind::info) rule.access = argument.access;
  rule.extent = extent_of(argument);
  rule.set_by_some = argument.kind == Kind::global;
  rule.keeps_rest = argument.kind == Kind::dat && argument.indirect.value_or(true);
  rule.may_be_unused = argument.kind == Kind::index;
  rule.has_copies = argument.kind == Kind::global || argument.indirect.value_or(false);
  return rule;
}

/// One loop whose kernel is known.
class LoopCheck {
 public:
  LoopCheck(const Unit& unit, const Loop& loop, AccessCheck check,
            std::vector<jit::Diagnostic>& messages)
      : unit_(unit),
        loop_(loop),
        kernel_(*loop.kernel->getDefinition()),
        check_(check),
        messages_(messages) {}

  void run() {
    if (!fits() || check_ == AccessCheck::off) return;
    std::vector<jit::AccessRule> rules;
    for (std::size_t i = 0; i < loop_.arguments.size(); ++i) {
      rules.push_back(rule_of(loop_.arguments[i]));
      const auto fault = type_fault(unit_, *kernel_.getParamDecl(i), loop_.arguments[i]);
      if (fault.empty()) continue;
      report(severity(), i, place_of(i), fault + warning_flag);
      rules.back().is_known = false;
    }
    for (const auto& finding : jit::access_findings(kernel_, rules, jit::steps_at_build)) {
      const auto number = static_cast<std::size_t>(finding.argument);
      const LoopArgument& argument = loop_.arguments[number];
      if (finding.is_omission != 0 && argument.optional) continue;
      jit::Diagnostic place;
      place.file = finding.file;
      place.line = finding.line;
      place.column = finding.column;
      const bool is_error = finding.beyond == jit::Beyond::certain && is_known(argument);
      report(is_error ? Severity::error : severity(), number, place, finding.what + warning_flag);
    }
  }

 private:
  void report(Severity severity, std::size_t number, jit::Diagnostic place,
              const std::string& what) {
    const auto& access = loop_.arguments[number].access;
    place.severity = severity;
    place.text = fmt::format("loop '{}', argument {}{}: kernel '{}' {}", loop_.name, number,
                             access ? fmt::format(" ({})", core::name_of(*access)) : "",
                             kernel_.getNameAsString(), what);
    messages_.push_back(std::move(place));
  }

  jit::Diagnostic place_of(std::size_t number) const {
    return jit::note_at(unit_.sources(), kernel_.getParamDecl(number)->getLocation(), "");
  }

  /// Of violated access modes.
  Severity severity() const {
    return check_ == AccessCheck::error ? Severity::error : Severity::warning;
  }

  /// Checks the number of parameters and, where they are certain, their types.
  bool fits() {
    if (kernel_.getNumParams() != loop_.arguments.size()) {
      messages_.push_back(unit_.message(
          Severity::error, loop_.location,
          fmt::format("loop '{}' has {} arguments, but kernel '{}' has {} parameters", loop_.name,
                      loop_.arguments.size(), kernel_.getNameAsString(), kernel_.getNumParams())));
      return false;
    }
    bool all = true;
    for (std::size_t i = 0; i < loop_.arguments.size(); ++i) {
      auto fault = pointer_fault(i);
      if (fault.empty() && is_known(loop_.arguments[i]))
        fault = type_fault(unit_, *kernel_.getParamDecl(i), loop_.arguments[i]);
      if (fault.empty()) continue;
      report(Severity::error, i, place_of(i), fault);
      all = false;
    }
    return all;
  }

  std::string pointer_fault(std::size_t i) const {
    const LoopArgument& argument = loop_.arguments[i];
    const auto type = kernel_.getParamDecl(i)->getType();
    if (argument.kind == Kind::unknown) return {};
    if (!type->isPointerType())
      return fmt::format("takes it as '{}', but it must be a pointer", shown(unit_, type));
    const bool to_rows = type->getPointeeType()->isPointerType();
    if (is_vector(argument) && !to_rows)
      return fmt::format("takes it as '{0}', but it is a vector argument: '{0} *' is needed",
                         shown(unit_, type));
    const bool one_row = argument.kind != Kind::dat || argument.column;
    if (!is_vector(argument) && to_rows && one_row)
      return fmt::format("takes it as '{}', but it is not a vector argument", shown(unit_, type));
    return {};
  }

  /// Whether the data have the type that the type string names; dats of user-defined types need
  /// not.
  bool is_known(const LoopArgument& argument) const {
    const auto named = type_named(unit_.context, argument.type);
    return named && !argument.values.isNull() &&
           is_same_number(unit_.context, *named, argument.values);
  }

  const Unit& unit_;
  const Loop& loop_;
  const clang::FunctionDecl& kernel_;
  AccessCheck check_;
  std::vector<jit::Diagnostic>& messages_;
};

jit::ParameterShape shape_of(const jit::AccessRule& rule, const LoopArgument& argument) {
  jit::ArgShape shape;
  shape.kind = argument.kind == LoopArgument::Kind::dat ? OP_ARG_DAT : OP_ARG_GBL;
  shape.access = rule.access.value_or(OP_READ);
  shape.dim = static_cast<int>(rule.extent.components);
  return {shape, static_cast<std::int32_t>(rule.extent.rows)};
}

std::string fact_line(const Unit& unit, const Loop& loop, const clang::FunctionDecl& kernel) {
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
  auto facts = jit::access_facts(kernel, rules, jit::steps_of_proof);
  for (jit::ParameterFacts& fact : facts) {
    if (fact.obstacle.empty()) continue;
    const std::string file = std::filesystem::path(fact.file).filename().string();
    fact.obstacle = fmt::format("{} ({}:{}:{})", fact.obstacle, file, fact.line, fact.column);
  }
  return jit::embedded_line(shapes, facts);
}

/// The definition that can be looked at; null: there is none, or it has errors.
const clang::FunctionDecl* sound_definition(const Unit& unit, const clang::FunctionDecl& kernel) {
  const auto* found = kernel.getDefinition();
  const bool is_sound = found != nullptr && found->getBody() != nullptr &&
                        !found->isInvalidDecl() && unit.errors.empty();
  return is_sound ? found : nullptr;
}

}  // namespace

std::vector<jit::Diagnostic> access_faults(const Unit& unit, const Loops& loops,
                                           AccessCheck check) {
  std::vector<jit::Diagnostic> messages, result;
  for (const Loop& loop : loops.loops) {
    if (loop.kernel == nullptr || sound_definition(unit, *loop.kernel) == nullptr) continue;
    LoopCheck(unit, loop, check, messages).run();
  }
  std::set<std::string> reported;  // one loop in several instances of a template
  for (const jit::Diagnostic& message : messages) {
    if (reported.insert(line_of(message)).second) result.push_back(message);
  }
  return result;
}

std::string facts_of(const Unit& unit, const Loops& loops, const clang::FunctionDecl& kernel) {
  const auto* definition = sound_definition(unit, kernel);
  if (definition == nullptr) return {};
  std::set<std::string> lines;
  for (const Loop& loop : loops.loops) {
    const bool calls_it = loop.kernel != nullptr &&
                          loop.kernel->getCanonicalDecl() == kernel.getCanonicalDecl() &&
                          loop.arguments.size() == definition->getNumParams();
    if (calls_it) lines.insert(fact_line(unit, loop, *definition));
  }
  std::string text;
  for (const std::string& line : lines)
    if (!line.empty()) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace op2::embed
