// SPDX-License-Identifier: BSD-3-Clause
#include "access_check.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include <core/access.hpp>
#include <core/op2_type_names.hpp>
#include <jit/llvm/access/access_rules.hpp>

namespace op2::embed {
namespace {

using Kind = LoopArgument::Kind;

/// What switches messages about access modes on and off.
constexpr const char* warning_flag = " [-Wop2-access]";

op_access mode_of(Access access) {
  constexpr std::array modes{OP_READ, OP_WRITE, OP_RW, OP_INC, OP_MIN, OP_MAX};
  return modes.at(static_cast<std::size_t>(access));
}

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

/// One loop whose kernel is known.
class LoopCheck {
 public:
  LoopCheck(const Unit& unit, const Loop& loop, AccessCheck check, std::vector<Message>& messages)
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
      const auto fault = type_fault(i);
      if (fault.empty()) continue;
      warn(i, kernel_.getParamDecl(i)->getLocation(), fault);
      rules.back().is_known = false;
    }
    for (const auto& fault : jit::access_faults(kernel_, rules, jit::steps_at_build)) {
      const bool may_be_off = loop_.arguments[fault.argument].optional;
      if (fault.is_omission && may_be_off) continue;
      if (fault.beyond == jit::Beyond::certain && is_known(loop_.arguments[fault.argument]))
        report(Message::Severity::error, fault.argument, fault.place, fault.what + warning_flag);
      else
        warn(fault.argument, fault.place, fault.what);
    }
  }

 private:
  void report(Message::Severity severity, std::size_t argument, clang::SourceLocation location,
              const std::string& what) {
    const auto& access = loop_.arguments[argument].access;
    messages_.push_back(
        {severity, file_location(unit_.sources(), location),
         fmt::format("loop '{}', argument {}{}: kernel '{}' {}", loop_.name, argument,
                     access ? fmt::format(" ({})", core::name_of(mode_of(*access))) : "",
                     kernel_.getNameAsString(), what)});
  }

  void warn(std::size_t argument, clang::SourceLocation location, const std::string& what) {
    report(check_ == AccessCheck::error ? Message::Severity::error : Message::Severity::warning,
           argument, location, what + warning_flag);
  }

  /// Checks the number of parameters and, where they are certain, their types.
  bool fits() {
    if (kernel_.getNumParams() != loop_.arguments.size()) {
      messages_.push_back(
          {Message::Severity::error, file_location(unit_.sources(), loop_.location),
           fmt::format("loop '{}' has {} arguments, but kernel '{}' has {} parameters", loop_.name,
                       loop_.arguments.size(), kernel_.getNameAsString(), kernel_.getNumParams())});
      return false;
    }
    bool all = true;
    for (std::size_t i = 0; i < loop_.arguments.size(); ++i) {
      auto fault = pointer_fault(i);
      if (fault.empty() && is_known(loop_.arguments[i])) fault = type_fault(i);
      if (fault.empty()) continue;
      report(Message::Severity::error, i, kernel_.getParamDecl(i)->getLocation(), fault);
      all = false;
    }
    return all;
  }

  std::string shown(clang::QualType type) const { return embed::shown(unit_, type); }

  std::string pointer_fault(std::size_t i) const {
    const LoopArgument& argument = loop_.arguments[i];
    const auto type = kernel_.getParamDecl(i)->getType();
    if (argument.kind == Kind::unknown) return {};
    if (!type->isPointerType())
      return fmt::format("takes it as '{}', but it must be a pointer", shown(type));
    const bool to_rows = type->getPointeeType()->isPointerType();
    if (is_vector(argument) && !to_rows)
      return fmt::format("takes it as '{0}', but it is a vector argument: '{0} *' is needed",
                         shown(type));
    const bool one_row = argument.kind != Kind::dat || argument.column;
    if (!is_vector(argument) && to_rows && one_row)
      return fmt::format("takes it as '{}', but it is not a vector argument", shown(type));
    return {};
  }

  /// Whether the data have the type that the type string names; dats of user-defined types need
  /// not.
  bool is_known(const LoopArgument& argument) const {
    const auto wanted = type_named(unit_.context, argument.type);
    return wanted && !argument.values.isNull() &&
           is_same_number(unit_.context, *wanted, argument.values);
  }

  std::string type_fault(std::size_t i) const {
    return embed::type_fault(unit_, *kernel_.getParamDecl(i), loop_.arguments[i]);
  }

  const Unit& unit_;
  const Loop& loop_;
  const clang::FunctionDecl& kernel_;
  AccessCheck check_;
  std::vector<Message>& messages_;
};

}  // namespace

std::string type_fault(const Unit& unit, const clang::ParmVarDecl& parameter,
                       const LoopArgument& argument) {
  if (argument.kind == Kind::unknown) return {};
  auto pointee = parameter.getType()->getPointeeType();
  if (pointee.isNull()) return {};
  if (pointee->isPointerType()) pointee = pointee->getPointeeType();
  const auto wanted = type_named(unit.context, argument.type);
  if (!wanted || pointee->isRecordType() || is_same_number(unit.context, *wanted, pointee))
    return {};
  return fmt::format("takes it as '{}', but its type is \"{}\"", shown(unit, parameter.getType()),
                     argument.type);
}

jit::AccessRule rule_of(const LoopArgument& argument) {
  jit::AccessRule rule;
  rule.is_known = argument.kind != Kind::unknown;
  if (argument.access && argument.kind != Kind::info) rule.access = mode_of(*argument.access);
  rule.extent = extent_of(argument);
  rule.set_by_some = argument.kind == Kind::global;
  rule.keeps_rest = argument.kind == Kind::dat && argument.indirect.value_or(true);
  rule.may_be_unused = argument.kind == Kind::index;
  rule.has_copies = argument.kind == Kind::global || argument.indirect.value_or(false);
  return rule;
}

std::vector<Message> access_faults(const Unit& unit, const Loops& loops, AccessCheck check) {
  std::vector<Message> messages, result;
  for (const Loop& loop : loops.loops) {
    const auto* kernel = loop.kernel != nullptr ? loop.kernel->getDefinition() : nullptr;
    if (kernel == nullptr || kernel->getBody() == nullptr) continue;
    if (kernel->isInvalidDecl() || !unit.errors.empty()) continue;
    LoopCheck(unit, loop, check, messages).run();
  }
  std::set<std::string> reported;  // one loop in several instances of a template
  for (const Message& message : messages) {
    if (reported.insert(line_of(message)).second) result.push_back(message);
  }
  return result;
}

}  // namespace op2::embed
