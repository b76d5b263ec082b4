// SPDX-License-Identifier: BSD-3-Clause
#include "loops.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include <clang/AST/ExprCXX.h>
#include <fmt/format.h>

#include <core/value_type.hpp>
#include <jit/kernel_facts.hpp>
#include <jit/llvm/access/access_rules.hpp>
#include <jit/llvm/access/access_syntax.hpp>
#include <jit/llvm/clang_messages.hpp>
#include <jit/llvm/syntax_visitor.hpp>

namespace op2::embed {
namespace {

/// The expression without implicit code: casts, copies, converting constructors.
const clang::Expr* stripped(const clang::Expr* expression) {
  while (true) {
    const clang::Expr* inner = expression->IgnoreParenCasts()->IgnoreImplicit();
    if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(inner)) {
      if (construct->getNumArgs() == 0) return inner;
      inner = construct->getArg(0);
    } else if (const auto* value = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(inner)) {
      inner = value->getReplacement();
    } else if (const auto* constant = llvm::dyn_cast<clang::ConstantExpr>(inner)) {
      inner = constant->getSubExpr();
    }
    if (inner == expression) return inner;
    expression = inner;
  }
}

const clang::FunctionDecl* named_function(const clang::Expr* expression) {
  const clang::Expr* inner = stripped(expression);
  if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(inner)) {
    if (address->getOpcode() != clang::UO_AddrOf) return nullptr;
    inner = stripped(address->getSubExpr());
  }
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(inner);
  return name != nullptr ? llvm::dyn_cast<clang::FunctionDecl>(name->getDecl()) : nullptr;
}

bool is_lambda(const clang::Expr* expression) {
  const clang::Expr* inner = stripped(expression);
  if (const auto* plus = llvm::dyn_cast<clang::UnaryOperator>(inner))
    inner = stripped(plus->getSubExpr());
  if (const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(inner))
    inner = stripped(call->getImplicitObjectArgument());
  const auto* record = inner->getType()->getAsCXXRecordDecl();
  return record != nullptr && record->isLambda();
}

std::string literal(const clang::Expr* expression) {
  const auto* text = llvm::dyn_cast<clang::StringLiteral>(stripped(expression));
  return text != nullptr && text->isOrdinary() ? text->getString().str() : std::string();
}

/// The name of the function that a call names; empty: none.
std::string_view callee_of(const clang::CallExpr& call) {
  const auto* function = call.getDirectCallee();
  const bool is_named = function != nullptr && function->getIdentifier() != nullptr;
  return is_named ? std::string_view(function->getName()) : std::string_view();
}

/// Finds the variables that never change their initial value.
class InitialValues : public jit::SyntaxVisitor {
 public:
  bool visits_instances() const override { return true; }

  void on_statement(const clang::Stmt& statement) override {
    if (const auto* variable = variable_of(&statement)) ++other_uses_[variable];
    const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&statement);
    if (cast == nullptr || cast->getCastKind() != clang::CK_LValueToRValue) return;
    if (const auto* variable = variable_of(cast->getSubExpr()->IgnoreParens()))
      --other_uses_[variable];
  }

  /// The initialiser of `variable`; null: it may have other values.
  const clang::Expr* value_of(const clang::VarDecl& variable) const {
    const bool is_external = variable.hasExternalFormalLinkage();
    const auto uses = other_uses_.find(&variable);
    const bool is_only_read = uses == other_uses_.end() || uses->second == 0;
    return is_only_read && !is_external ? variable.getInit() : nullptr;
  }

 private:
  static const clang::VarDecl* variable_of(const clang::Stmt* name) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(name);
    return reference != nullptr ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
  }

  std::map<const clang::VarDecl*, int> other_uses_;  ///< other than loading the value
};

/// Reads the arguments of one op_arg_...() call.
class ArgumentReader {
 public:
  ArgumentReader(const clang::ASTContext& context, const InitialValues& initial_values,
                 const clang::CallExpr& call)
      : context_(context), initial_values_(initial_values), call_(call) {}

  LoopArgument read() const {
    std::string_view name = callee_of(call_);
    LoopArgument argument;
    argument.optional = name.starts_with("op_opt_");
    name.remove_prefix(argument.optional ? 7 : name.starts_with("op_") ? 3 : 0);
    const int first = argument.optional ? 1 : 0;
    for (const Form& form : forms) {
      if (name != form.name || static_cast<int>(call_.getNumArgs()) < first + form.count) continue;
      argument.kind = form.kind;
      if (form.column >= 0) argument.column = number(first + form.column);
      if (form.map >= 0) argument.indirect = is_map(first + form.map);
      if (form.dim >= 0) argument.dim = number(first + form.dim);
      if (form.type >= 0) argument.type = literal(call_.getArg(first + form.type));
      if (form.access >= 0) argument.access = access(first + form.access);
      const auto* data = call_.getArg(first);
      argument.values =
          form.kind == LoopArgument::Kind::dat ? values_of_dat(stripped(data)) : pointee(data);
    }
    if (argument.kind == LoopArgument::Kind::index) {
      argument.dim = 1;
      argument.access = OP_READ;
      argument.type = "int";
      argument.values = context_.IntTy;
    }
    return argument;
  }

 private:
  /// Where a function takes what, after what makes it optional; -1: it does not. The data are
  /// first.
  struct Form {
    std::string_view name;
    LoopArgument::Kind kind;
    int count, column, map, dim, type, access;
  };
  static constexpr std::array<Form, 4> forms{
      {{"arg_dat", LoopArgument::Kind::dat, 6, 1, 2, 3, 4, 5},
       {"arg_gbl", LoopArgument::Kind::global, 4, -1, -1, 1, 2, 3},
       {"arg_idx", LoopArgument::Kind::index, 2, 0, 1, -1, -1, -1},
       {"arg_info", LoopArgument::Kind::info, 3, -1, -1, 1, 2, -1}}};

  static clang::QualType pointee(const clang::Expr* data) {
    return data->getType()->getPointeeType();
  }

  /// The data type of a variable whose only value is `op_decl_dat(set, dim, type, data, name)`.
  clang::QualType values_of_dat(const clang::Expr* dat) const {
    const auto* variable = jit::named_variable(dat);
    const auto* value = variable != nullptr ? initial_values_.value_of(*variable) : nullptr;
    const auto* call =
        value != nullptr ? llvm::dyn_cast<clang::CallExpr>(stripped(value)) : nullptr;
    if (call == nullptr || call->getNumArgs() < 5) return {};
    const auto name = callee_of(*call);
    const bool is_known = name == "op_decl_dat" || name == "op_decl_dat_temp";
    return is_known ? pointee(call->getArg(3)) : clang::QualType();
  }

  std::optional<int> number(unsigned position) const {
    const clang::Expr* expression = call_.getArg(position);
    clang::Expr::EvalResult result;
    if (expression->isValueDependent() || !expression->getType()->isIntegralOrEnumerationType() ||
        !expression->EvaluateAsInt(result, context_))
      return std::nullopt;
    return static_cast<int>(result.Val.getInt().getExtValue());
  }

  std::optional<op_access> access(unsigned position) const {
    constexpr std::array modes{OP_READ, OP_WRITE, OP_RW, OP_INC, OP_MIN, OP_MAX};
    const auto value = number(position);
    if (!value || *value < 0 || *value >= static_cast<int>(modes.size())) return std::nullopt;
    return modes.at(static_cast<std::size_t>(*value));
  }

  /// Whether the argument is a map: false for a null pointer; unknown in a template.
  std::optional<bool> is_map(unsigned position) const {
    const clang::Expr* expression = call_.getArg(position);
    if (expression->isValueDependent()) return std::nullopt;
    const bool null = stripped(expression)
                          ->isNullPointerConstant(const_cast<clang::ASTContext&>(context_),
                                                  clang::Expr::NPC_ValueDependentIsNotNull) !=
                      clang::Expr::NPCK_NotNull;
    return !null;
  }

  const clang::ASTContext& context_;
  const InitialValues& initial_values_;
  const clang::CallExpr& call_;
};

class LoopFinder : public jit::SyntaxVisitor {
 public:
  LoopFinder(const clang::ASTContext& context, const InitialValues& initial_values, Loops& result)
      : context_(context), initial_values_(initial_values), result_(result) {}

  bool visits_instances() const override { return true; }
  bool visits_implicit_code() const override { return true; }

  void on_statement(const clang::Stmt& statement) override {
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement)) {
      callees_.insert(call->getCallee()->IgnoreParenImpCasts());
      if (callee_of(*call) == "op_par_loop" && call->getNumArgs() >= 3 && !call->isTypeDependent())
        add(*call);
    } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&statement)) {
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(name->getDecl());
      if (function != nullptr && !callees_.contains(name) && known_.insert(function).second)
        result_.addressed.push_back(function);
    }
  }

 private:
  void add(const clang::CallExpr& call) {
    Loop loop;
    loop.location = call.getBeginLoc();
    loop.kernel_type = call.getArg(0)->getType().getCanonicalType();
    if (!loop.kernel_type->isFunctionPointerType()) return;
    loop.kernel = named_function(call.getArg(0));
    loop.is_lambda = is_lambda(call.getArg(0));
    loop.name = literal(call.getArg(1));
    for (unsigned i = 3; i < call.getNumArgs(); ++i) {
      const auto* argument = llvm::dyn_cast<clang::CallExpr>(stripped(call.getArg(i)));
      loop.arguments.push_back(argument != nullptr
                                   ? ArgumentReader(context_, initial_values_, *argument).read()
                                   : LoopArgument());
    }
    result_.loops.push_back(std::move(loop));
  }

  const clang::ASTContext& context_;
  const InitialValues& initial_values_;
  Loops& result_;
  std::set<const clang::Expr*> callees_;
  std::set<const clang::FunctionDecl*> known_;
};

}  // namespace

Loops find_loops(const Unit& unit) {
  Loops result;
  InitialValues initial_values;
  LoopFinder finder(unit.context, initial_values, result);
  for (jit::SyntaxVisitor* visitor : {static_cast<jit::SyntaxVisitor*>(&initial_values),
                                      static_cast<jit::SyntaxVisitor*>(&finder)})
    for (const auto* declaration : unit.context.getTranslationUnitDecl()->decls())
      if (!unit.is_standard(*declaration)) visitor->walk(*declaration);
  return result;
}

namespace {

using Kind = LoopArgument::Kind;
using Severity = jit::Diagnostic::Severity;

/// What switches messages about access modes on and off.
constexpr const char* warning_flag = " [-Wop2-access]";

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
  const auto named = core::op2_type_named(argument.type);
  if (!named || pointee->isRecordType() || named == jit::stored_type(unit.context, pointee))
    return {};
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

jit::ParameterShape shape_of(const jit::AccessRule& rule, const LoopArgument& argument) {
  jit::ArgShape shape;
  shape.kind = argument.kind == LoopArgument::Kind::dat ? OP_ARG_DAT : OP_ARG_GBL;
  shape.access = rule.access.value_or(OP_READ);
  shape.dim = static_cast<int>(rule.extent.components);
  return {shape, static_cast<std::int32_t>(rule.extent.rows)};
}

/// One loop whose kernel is known.
class LoopCheck {
 public:
  LoopCheck(const Unit& unit, const Loop& loop, AccessCheck check, AccessReport& report)
      : unit_(unit),
        loop_(loop),
        kernel_(*loop.kernel->getDefinition()),
        check_(check),
        report_(report) {}

  void run() {
    if (!fits()) return;
    std::vector<jit::AccessRule> rules;
    std::vector<jit::ParameterShape> shapes;
    for (std::size_t i = 0; i < loop_.arguments.size(); ++i) {
      rules.push_back(rule_of(loop_.arguments[i]));
      shapes.push_back(shape_of(rules.back(), loop_.arguments[i]));
      const auto fault = type_fault(unit_, *kernel_.getParamDecl(i), loop_.arguments[i]);
      if (fault.empty()) continue;
      if (check_ != AccessCheck::off) report(severity(), i, place_of(i), fault + warning_flag);
      rules.back().is_known = false;
    }
    jit::AccessAnalysis analysis = jit::analyse_access(kernel_, rules);
    if (check_ != AccessCheck::off)
      for (const jit::AccessFinding& finding : analysis.findings) report(finding);
    note_facts(shapes, std::move(analysis.facts));
  }

 private:
  void report(Severity severity, std::size_t number, jit::Diagnostic place,
              const std::string& what) {
    const auto& access = loop_.arguments[number].access;
    place.severity = severity;
    place.text = fmt::format("loop '{}', argument {}{}: kernel '{}' {}", loop_.name, number,
                             access ? fmt::format(" ({})", core::name_of(*access)) : "",
                             kernel_.getNameAsString(), what);
    report_.messages.push_back(std::move(place));
  }

  void report(const jit::AccessFinding& finding) {
    const auto number = static_cast<std::size_t>(finding.argument);
    const LoopArgument& argument = loop_.arguments[number];
    if (finding.is_omission != 0 && argument.optional) return;
    jit::Diagnostic place;
    place.file = finding.file;
    place.line = finding.line;
    place.column = finding.column;
    const bool is_error = finding.beyond == jit::Beyond::certain && is_known(argument);
    report(is_error ? Severity::error : severity(), number, place, finding.what + warning_flag);
  }

  void note_facts(const std::vector<jit::ParameterShape>& shapes,
                  std::vector<jit::ArgumentFacts> facts) {
    if (std::ranges::none_of(shapes, [](const auto& shape) { return asks_for_facts(shape.arg); }))
      return;
    for (jit::ArgumentFacts& fact : facts) {
      if (fact.why.empty()) continue;
      const std::string file = std::filesystem::path(fact.file).filename().string();
      fact.why = fmt::format("{} ({}:{}:{})", fact.why, file, fact.line, fact.column);
    }
    report_.facts[loop_.kernel->getCanonicalDecl()].insert(jit::embedded_line(shapes, facts));
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
      report_.messages.push_back(unit_.message(
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
    const auto named = core::op2_type_named(argument.type);
    return named && !argument.values.isNull() &&
           named == jit::stored_type(unit_.context, argument.values);
  }

  const Unit& unit_;
  const Loop& loop_;
  const clang::FunctionDecl& kernel_;
  AccessCheck check_;
  AccessReport& report_;
};

/// Whether a kernel has a definition without errors.
bool is_sound(const Unit& unit, const clang::FunctionDecl& kernel) {
  const auto* found = kernel.getDefinition();
  return found != nullptr && found->getBody() != nullptr && !found->isInvalidDecl() &&
         unit.errors.empty();
}

}  // namespace

AccessReport check_access(const Unit& unit, const Loops& loops, AccessCheck check) {
  AccessReport report;
  for (const Loop& loop : loops.loops)
    if (loop.kernel != nullptr && is_sound(unit, *loop.kernel))
      LoopCheck(unit, loop, check, report).run();
  std::set<std::string> reported;  // one loop in several instances of a template
  std::erase_if(report.messages, [&](const jit::Diagnostic& message) {
    return !reported.insert(line_of(message)).second;
  });
  return report;
}

}  // namespace op2::embed
