// SPDX-License-Identifier: BSD-3-Clause
#include "access_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "access_state.hpp"

namespace op2::embed {
namespace {

using Kind = LoopArgument::Kind;

const char* word_of(Access access) {
  constexpr std::array words{"OP_READ", "OP_WRITE", "OP_RW", "OP_INC", "OP_MIN", "OP_MAX"};
  return words.at(static_cast<std::size_t>(access));
}

/// Types as OP2 calls them; others may be anything.
std::optional<clang::QualType> type_named(const clang::ASTContext& context, std::string_view name) {
  name = name.substr(0, name.find(':'));
  const std::map<std::string_view, clang::QualType> known{{"double", context.DoubleTy},
                                                          {"r8", context.DoubleTy},
                                                          {"real*8", context.DoubleTy},
                                                          {"real(8)", context.DoubleTy},
                                                          {"float", context.FloatTy},
                                                          {"r4", context.FloatTy},
                                                          {"int", context.IntTy},
                                                          {"i4", context.IntTy},
                                                          {"integer*4", context.IntTy},
                                                          {"integer(4)", context.IntTy},
                                                          {"uint", context.UnsignedIntTy},
                                                          {"ll", context.LongLongTy},
                                                          {"ull", context.UnsignedLongLongTy},
                                                          {"bool", context.BoolTy}};
  const auto found = known.find(name);
  return found != known.end() ? std::optional(found->second) : std::nullopt;
}

/// `long` and `long long` are of one size.
bool is_same_number(const clang::ASTContext& context, clang::QualType a, clang::QualType b) {
  a = a.getCanonicalType().getUnqualifiedType();
  b = b.getCanonicalType().getUnqualifiedType();
  if (a == b) return true;
  const bool wide = a->isIntegerType() && b->isIntegerType() && context.getTypeSize(a) == 64 &&
                    context.getTypeSize(b) == 64;
  return wide && a->isSignedIntegerType() == b->isSignedIntegerType();
}

bool is_vector(const LoopArgument& argument) {
  return argument.kind == Kind::dat && argument.column && *argument.column < -1;
}

Extent extent_of(const LoopArgument& argument) {
  Extent extent;
  extent.components = argument.dim.value_or(-1);
  if (argument.kind == Kind::dat && !argument.column) extent.rows = -1;
  if (is_vector(argument)) extent.rows = -*argument.column;
  return extent;
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
    std::vector<Extent> extents;
    for (const auto& argument : loop_.arguments) extents.push_back(extent_of(argument));
    const auto uses = uses_of(kernel_, extents);
    for (std::size_t i = 0; i < uses.size(); ++i) check_use(i, uses[i]);
  }

 private:
  void tell(Message::Severity severity, std::size_t argument, clang::SourceLocation location,
            const std::string& what) {
    const auto& access = loop_.arguments[argument].access;
    messages_.push_back({severity, place_of(unit_.sources(), location),
                         fmt::format("loop '{}', argument {}{}: kernel '{}' {}", loop_.name,
                                     argument, access ? fmt::format(" ({})", word_of(*access)) : "",
                                     kernel_.getNameAsString(), what)});
  }

  void warn(std::size_t argument, clang::SourceLocation location, const std::string& what) {
    tell(check_ == AccessCheck::error ? Message::Severity::error : Message::Severity::warning,
         argument, location, what + " [-Wop2-access]");
  }

  /// Number and types of parameters.
  bool fits() {
    if (kernel_.getNumParams() != loop_.arguments.size()) {
      messages_.push_back(
          {Message::Severity::error, place_of(unit_.sources(), loop_.location),
           fmt::format("loop '{}' has {} arguments, but kernel '{}' has {} parameters", loop_.name,
                       loop_.arguments.size(), kernel_.getNameAsString(), kernel_.getNumParams())});
      return false;
    }
    bool all = true;
    for (std::size_t i = 0; i < loop_.arguments.size(); ++i) {
      const auto fault = type_fault(loop_.arguments[i], kernel_.getParamDecl(i)->getType());
      if (fault.empty()) continue;
      tell(Message::Severity::error, i, kernel_.getParamDecl(i)->getLocation(), fault);
      all = false;
    }
    return all;
  }

  std::string type_fault(const LoopArgument& argument, clang::QualType type) const {
    const std::string shown = type.getAsString(unit_.context.getPrintingPolicy());
    if (argument.kind == Kind::unknown) return {};
    if (!type->isPointerType())
      return fmt::format("takes it as '{}', but it must be a pointer", shown);
    auto pointee = type->getPointeeType();
    const bool to_rows = pointee->isPointerType();
    if (is_vector(argument) && !to_rows)
      return fmt::format("takes it as '{}', but it is a vector argument: '{} *' is needed", shown,
                         shown);
    const bool one_row = argument.kind != Kind::dat || argument.column;
    if (!is_vector(argument) && to_rows && one_row)
      return fmt::format("takes it as '{}', but it is no vector argument", shown);
    if (to_rows) pointee = pointee->getPointeeType();
    const std::string named = argument.kind == Kind::index ? "int" : argument.type;
    const auto wanted = type_named(unit_.context, named);
    if (!wanted || pointee->isRecordType() || is_same_number(unit_.context, *wanted, pointee))
      return {};
    return fmt::format("takes it as '{}', but its type is \"{}\"", shown, named);
  }

  void check_use(std::size_t i, const ParameterUse& use) {
    const auto& argument = loop_.arguments[i];
    const auto* parameter = kernel_.getParamDecl(i);
    const auto declared = parameter->getLocation();
    if (argument.kind == Kind::unknown || use.unsure) return;
    if (!parameter->isReferenced()) return warn(i, declared, "does not use it");
    if (use.beyond.isValid()) {
      const auto& extent = extent_of(argument);
      warn(i, use.beyond,
           extent.rows > 1 ? fmt::format("uses index {} of {} x {} values", use.beyond_index,
                                         extent.rows, extent.components)
                           : fmt::format("uses index {}, but its dimension is {}", use.beyond_index,
                                         extent.components));
      return;
    }
    if (argument.kind == Kind::info || !argument.access) return;
    if (*argument.access == Access::read && use.write.isValid()) warn(i, use.write, "writes it");
    if (*argument.access == Access::write) check_write(i, use, declared);
    if (*argument.access == Access::inc) check_increment(i, use);
  }

  void check_write(std::size_t i, const ParameterUse& use, clang::SourceLocation declared) {
    const auto& argument = loop_.arguments[i];
    if (use.read_untouched.isValid())
      return warn(i, use.read_untouched, "reads it before writing it");
    if (argument.optional) return;
    const auto count = [&](Mark mark) {
      return std::count(use.marks.begin(), use.marks.end(), mark);
    };
    const auto all = static_cast<std::ptrdiff_t>(use.marks.size());
    if (use.write.isInvalid()) return warn(i, declared, "does not write it");
    if (count(Mark::unsure) > 0) return;
    if (count(Mark::untouched) > 0)
      return warn(i, use.write,
                  fmt::format("writes {} of its {} values", all - count(Mark::untouched), all));
    if (count(Mark::maybe) > 0) warn(i, use.write, "writes it only under a condition");
  }

  void check_increment(std::size_t i, const ParameterUse& use) {
    const auto& argument = loop_.arguments[i];
    if (use.assign.isValid()) return warn(i, use.assign, "assigns to it instead of adding");
    const bool private_copy = argument.kind == Kind::global || argument.indirect.value_or(false);
    if (use.read.isValid() && private_copy) warn(i, use.read, "reads it");
  }

  const Unit& unit_;
  const Loop& loop_;
  const clang::FunctionDecl& kernel_;
  AccessCheck check_;
  std::vector<Message>& messages_;
};

}  // namespace

std::vector<Message> access_faults(const Unit& unit, const Loops& loops, AccessCheck check) {
  std::vector<Message> messages, result;
  for (const Loop& loop : loops.loops) {
    const auto* kernel = loop.kernel != nullptr ? loop.kernel->getDefinition() : nullptr;
    if (kernel == nullptr || kernel->getBody() == nullptr) continue;
    if (kernel->isInvalidDecl() || !unit.errors.empty()) continue;
    LoopCheck(unit, loop, check, messages).run();
  }
  std::set<std::string> told;  // the same loop in several instances of a template
  for (const Message& message : messages) {
    if (told.insert(line_of(message)).second) result.push_back(message);
  }
  return result;
}

}  // namespace op2::embed
