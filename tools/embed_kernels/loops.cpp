// SPDX-License-Identifier: BSD-3-Clause
#include "loops.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

#include <clang/AST/ExprCXX.h>

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
    LoopArgument argument;
    const auto* function = call_.getDirectCallee();
    if (function == nullptr || function->getIdentifier() == nullptr) return argument;
    std::string_view name = function->getName();
    argument.optional = name.starts_with("op_opt_");
    if (argument.optional) name.remove_prefix(7);
    if (name.starts_with("op_")) name.remove_prefix(3);
    const unsigned first = argument.optional ? 1 : 0;
    if (name == "arg_dat" && call_.getNumArgs() >= first + 6) read_dat(argument, first);
    if (name == "arg_gbl" && call_.getNumArgs() >= first + 4) read_global(argument, first);
    if (name == "arg_idx" && call_.getNumArgs() >= 2) read_index(argument);
    if (name == "arg_info" && call_.getNumArgs() >= 3) {
      argument.kind = LoopArgument::Kind::info;
      argument.dim = number(1);
      argument.type = literal(call_.getArg(2));
      argument.values = pointee(call_.getArg(0));
    }
    return argument;
  }

 private:
  void read_dat(LoopArgument& argument, unsigned first) const {
    argument.kind = LoopArgument::Kind::dat;
    argument.column = number(first + 1);
    argument.indirect = is_map(first + 2);
    argument.dim = number(first + 3);
    argument.type = literal(call_.getArg(first + 4));
    argument.access = access(first + 5);
    argument.values = values_of_dat(stripped(call_.getArg(first)));
  }

  void read_global(LoopArgument& argument, unsigned first) const {
    argument.kind = LoopArgument::Kind::global;
    argument.dim = number(first + 1);
    argument.type = literal(call_.getArg(first + 2));
    argument.access = access(first + 3);
    argument.values = pointee(call_.getArg(first));
  }

  void read_index(LoopArgument& argument) const {
    argument.kind = LoopArgument::Kind::index;
    argument.column = number(0);
    argument.indirect = is_map(1);
    argument.dim = 1;
    argument.access = OP_READ;
    argument.type = "int";
    argument.values = context_.IntTy;
  }

  static clang::QualType pointee(const clang::Expr* data) {
    return data->getType()->getPointeeType();
  }

  /// The data type of a variable whose only value is `op_decl_dat(set, dim, type, data, name)`.
  clang::QualType values_of_dat(const clang::Expr* dat) const {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(dat);
    const auto* variable =
        name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    const auto* value = variable != nullptr ? initial_values_.value_of(*variable) : nullptr;
    const auto* call =
        value != nullptr ? llvm::dyn_cast<clang::CallExpr>(stripped(value)) : nullptr;
    const auto* function = call != nullptr ? call->getDirectCallee() : nullptr;
    if (function == nullptr || function->getIdentifier() == nullptr || call->getNumArgs() < 5)
      return {};
    const bool is_known =
        function->getName() == "op_decl_dat" || function->getName() == "op_decl_dat_temp";
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
      const auto* function = call->getDirectCallee();
      if (function != nullptr && function->getIdentifier() != nullptr &&
          function->getName() == "op_par_loop" && call->getNumArgs() >= 3 &&
          !call->isTypeDependent())
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

}  // namespace op2::embed
