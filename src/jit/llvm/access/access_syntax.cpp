// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/access/access_syntax.hpp>

#include <algorithm>

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/Builtins.h>
#include <llvm/ADT/FoldingSet.h>

namespace op2::jit {
namespace {

bool has_own_rules(unsigned builtin) {
  return builtin == clang::Builtin::BI__builtin_assume ||
         builtin == clang::Builtin::BI__builtin_is_constant_evaluated ||
         builtin == clang::Builtin::BI__builtin_unreachable;
}

/// Of a function that is named, and evaluates its arguments as usual.
bool accepts_call(const clang::CallExpr& call) {
  const auto* callee = call.getCallee()->IgnoreImpCasts();
  const auto* function = call.getDirectCallee();
  if (function == nullptr || !llvm::isa<clang::DeclRefExpr, clang::MemberExpr>(callee))
    return false;
  const unsigned builtin = function->getBuiltinID();
  const auto& builtins = function->getASTContext().BuiltinInfo;
  return builtin == 0 || !(builtins.isUnevaluated(builtin) ||
                           builtins.hasCustomTypechecking(builtin) || has_own_rules(builtin));
}

bool accepts_expression(const clang::Expr& expression) {
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&expression)) return accepts_call(*call);
  if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&expression))
    return !operation->isPtrMemOp();
  if (const auto* trait = llvm::dyn_cast<clang::UnaryExprOrTypeTraitExpr>(&expression))
    return !trait->getTypeOfArgument()->isVariablyModifiedType();
  if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&expression))
    return !cast->getTypeAsWritten()->isVariablyModifiedType() &&
           llvm::isa<clang::CStyleCastExpr, clang::CXXFunctionalCastExpr, clang::CXXStaticCastExpr,
                     clang::CXXConstCastExpr>(cast);
  return llvm::isa<
      // Values.
      clang::IntegerLiteral, clang::FloatingLiteral, clang::CharacterLiteral, clang::StringLiteral,
      clang::CXXBoolLiteralExpr, clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr,
      clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr, clang::DeclRefExpr,
      clang::CXXNoexceptExpr, clang::TypeTraitExpr,
      // Operations.
      clang::UnaryOperator, clang::ArraySubscriptExpr, clang::MemberExpr,
      clang::ConditionalOperator, clang::ImplicitCastExpr, clang::InitListExpr,
      clang::CXXParenListInitExpr, clang::CXXConstructExpr, clang::CompoundLiteralExpr,
      // What only surrounds others.
      clang::ParenExpr, clang::FullExpr, clang::MaterializeTemporaryExpr,
      clang::CXXBindTemporaryExpr, clang::CXXDefaultArgExpr, clang::CXXDefaultInitExpr,
      clang::SubstNonTypeTemplateParmExpr>(expression);
}

bool accepts_declaration(const clang::Decl& declaration) {
  const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
  if (variable == nullptr)
    return llvm::isa<clang::TypedefNameDecl, clang::StaticAssertDecl>(declaration);
  if (llvm::isa<clang::DecompositionDecl>(variable) ||
      variable->getType()->isVariablyModifiedType())
    return false;
  return variable->hasLocalStorage() ||
         (variable->getType().isConstQualified() && variable->hasConstantInitialization());
}

/// @return whether its kind is followed, whatever is in it
bool accepts_statement(const clang::Stmt& statement) {
  if (const auto* group = llvm::dyn_cast<clang::DeclStmt>(&statement))
    return std::ranges::all_of(group->decls(), [](const clang::Decl* declaration) {
      return accepts_declaration(*declaration);
    });
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement))
    return loop->getConditionVariable() == nullptr;
  if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(&statement))
    return loop->getConditionVariable() == nullptr;
  return llvm::isa<clang::CompoundStmt, clang::IfStmt, clang::DoStmt, clang::SwitchStmt,
                   clang::SwitchCase, clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt,
                   clang::NullStmt, clang::AttributedStmt>(statement);
}

bool accepts(const clang::Stmt* statement);

/// Only over built-in arrays: iterators of classes could do anything.
bool accepts_range(const clang::CXXForRangeStmt& range) {
  return range.getRangeInit()->getType()->isConstantArrayType() && accepts(range.getInit()) &&
         accepts(range.getRangeInit()) && accepts(range.getBody());
}

bool accepts(const clang::Stmt* statement) {
  if (statement == nullptr) return true;
  if (llvm::isa<clang::LambdaExpr>(statement)) return true;
  if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(statement))
    return accepts_range(*range);
  const auto* expression = llvm::dyn_cast<clang::Expr>(statement);
  if (!(expression != nullptr ? accepts_expression(*expression) : accepts_statement(*statement)))
    return false;
  return std::ranges::all_of(statement->children(),
                             [](const clang::Stmt* child) { return accepts(child); });
}

/// The forms in which one value becomes an extreme.
class ExtremeForms {
 public:
  ExtremeForms(const clang::Expr* value, const clang::ASTContext& context)
      : value_(value), context_(context) {}

  /// Whether the expression has the same text.
  bool is_value(const clang::Expr* expression) const {
    return is_same_text(expression, value_, context_);
  }

  /// Whether values are compared and assigned in the type of the value, so that none is rounded.
  bool has_its_type(clang::QualType type) const {
    return context_.hasSameUnqualifiedType(type, value_->getType());
  }
  bool has_its_type(const clang::Expr* expression) const {
    return has_its_type(expression->getType());
  }

  /// `a < b` and the like, which chooses `chosen` of the value and another one.
  std::optional<Extreme> of_comparison(const clang::Expr* condition,
                                       const clang::Expr* chosen) const {
    const auto* comparison = llvm::dyn_cast<clang::BinaryOperator>(bare(condition));
    if (comparison == nullptr || !comparison->isRelationalOp() ||
        comparison->HasSideEffects(context_))
      return std::nullopt;
    const auto *left = comparison->getLHS(), *right = comparison->getRHS();
    if (!has_its_type(left) || !has_its_type(right)) return std::nullopt;
    const bool value_is_left = is_value(left);
    if (!value_is_left && !is_value(right)) return std::nullopt;
    const auto* other = value_is_left ? right : left;
    const bool chooses_value = is_value(chosen);
    if (!chooses_value && !is_same_text(chosen, other, context_)) return std::nullopt;
    const auto code = comparison->getOpcode();
    const bool left_is_less = code == clang::BO_LT || code == clang::BO_LE;
    const bool chooses_left = chooses_value == value_is_left;
    return Extreme{left_is_less == chooses_left ? WriteKind::lower : WriteKind::raise,
                   value_,
                   value_is_left ? left : right,
                   {other}};
  }

  std::optional<Extreme> of_source(const clang::Expr* source) const {
    if (!has_its_type(source) || value_->HasSideEffects(context_)) return std::nullopt;
    const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(bare(source));
    if (choice == nullptr) return of_call(source);
    const auto *yes = choice->getTrueExpr(), *no = choice->getFalseExpr();
    if (!has_its_type(choice) || is_value(yes) == is_value(no)) return std::nullopt;
    auto extreme = of_comparison(choice->getCond(), yes);
    if (extreme && !is_same_text(is_value(yes) ? no : yes, extreme->others.front(), context_))
      extreme.reset();
    return extreme;
  }

 private:
  /// `std::min(v, e)`, also of such a minimum.
  std::optional<Extreme> of_call(const clang::Expr* expression) const {
    const auto* call =
        llvm::dyn_cast<clang::CallExpr>(bare(expression->IgnoreUnlessSpelledInSource()));
    const auto kind = call != nullptr ? kind_of(*call) : std::nullopt;
    if (!kind) return std::nullopt;
    for (unsigned k = 0; k < 2; ++k) {
      const auto* inner = call->getArg(k);
      auto extreme = is_value(inner->IgnoreUnlessSpelledInSource())
                         ? Extreme{*kind, value_, inner, {}}
                         : of_call(inner);
      if (!extreme || extreme->kind != *kind) continue;
      extreme->others.push_back(call->getArg(1 - k));
      return extreme;
    }
    return std::nullopt;
  }

  /// min, max, fmin and fmax of the library, of two numbers of the value's type.
  std::optional<WriteKind> kind_of(const clang::CallExpr& call) const {
    const auto* function = call.getDirectCallee();
    if (function == nullptr || function->getIdentifier() == nullptr || call.getNumArgs() != 2 ||
        !has_its_type(&call) || !has_its_type(call.getArg(0)) || !has_its_type(call.getArg(1)))
      return std::nullopt;
    if (const auto* definition = function->getDefinition();
        definition != nullptr && !function->isInStdNamespace())
      if (const auto* inner = called_by(*definition);
          inner != nullptr && inner->getIdentifier() != nullptr && inner->getNumParams() == 2 &&
          has_its_type(inner->getReturnType()) && has_its_type(inner->getParamDecl(0)->getType()) &&
          has_its_type(inner->getParamDecl(1)->getType()))
        function = inner;  // fmin(float, float) of <cmath>
    llvm::StringRef name = function->getName();
    name.consume_front("__builtin_");
    const bool is_std = function->isInStdNamespace();
    const bool is_c = is_std || function->getBuiltinID() != 0;
    if ((is_std && name == "min") || (is_c && (name == "fmin" || name == "fminf")))
      return WriteKind::lower;
    if ((is_std && name == "max") || (is_c && (name == "fmax" || name == "fmaxf")))
      return WriteKind::raise;
    return std::nullopt;
  }

  /// The function of C that a function does nothing but call with its two parameters.
  static const clang::FunctionDecl* called_by(const clang::FunctionDecl& function) {
    const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(function.getBody());
    const auto* back = body != nullptr && body->size() == 1
                           ? llvm::dyn_cast<clang::ReturnStmt>(body->body_front())
                           : nullptr;
    const auto* value = back != nullptr ? back->getRetValue() : nullptr;
    const auto* call = value != nullptr ? llvm::dyn_cast<clang::CallExpr>(bare(value)) : nullptr;
    if (call == nullptr || call->getNumArgs() != 2 || function.getNumParams() != 2) return nullptr;
    for (unsigned k = 0; k < 2; ++k)
      if (named_variable(call->getArg(k)) != function.getParamDecl(k)) return nullptr;
    return call->getDirectCallee();
  }

  const clang::Expr* value_;
  const clang::ASTContext& context_;
};

}  // namespace

std::optional<Extreme> extreme_of(const clang::Expr* target, const clang::Expr* source,
                                  const clang::ASTContext& context) {
  return ExtremeForms(target, context).of_source(source);
}

std::optional<Extreme> extreme_of(const clang::IfStmt& statement,
                                  const clang::ASTContext& context) {
  const clang::Stmt* then = statement.getThen();
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(then))
    then = block->size() == 1 ? block->body_front() : nullptr;
  const auto* expression = llvm::dyn_cast_or_null<clang::Expr>(then);
  if (expression == nullptr || statement.getElse() != nullptr || statement.getInit() != nullptr ||
      statement.getConditionVariable() != nullptr)
    return std::nullopt;
  const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(expression->IgnoreParens());
  if (assignment == nullptr || assignment->getOpcode() != clang::BO_Assign) return std::nullopt;
  const ExtremeForms forms(assignment->getLHS(), context);
  const auto* source = assignment->getRHS();
  if (!forms.has_its_type(source) || forms.is_value(source)) return std::nullopt;
  return forms.of_comparison(statement.getCond(), source);
}

bool is_change(const clang::Expr* expression) {
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression);
  if (operation != nullptr) return operation->isAssignmentOp();
  const auto* step = llvm::dyn_cast<clang::UnaryOperator>(expression);
  return step != nullptr && step->isIncrementDecrementOp();
}

const clang::Expr* assignment_in(const clang::Expr* expression) {
  const auto* inner = bare(expression);
  if (!is_change(inner)) return nullptr;
  const auto* step = llvm::dyn_cast<clang::UnaryOperator>(inner);
  return step == nullptr || step->isPrefix() ? inner : nullptr;
}

const clang::Expr* target_of(const clang::Expr* change) {
  const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(change);
  return operation != nullptr ? operation->getLHS()
                              : llvm::cast<clang::UnaryOperator>(change)->getSubExpr();
}

const clang::VarDecl* named_variable(const clang::Expr* expression) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare(expression));
  return name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

bool is_same_text(const clang::Expr* a, const clang::Expr* b, const clang::ASTContext& context) {
  llvm::FoldingSetNodeID first, second;
  bare(a)->Profile(first, context, true);
  bare(b)->Profile(second, context, true);
  return first == second;
}

bool is_followed(const clang::FunctionDecl& function) {
  return accepts(function.getBody());
}

std::optional<Type> stored_type(const clang::ASTContext& context, clang::QualType type) {
  if (type->isBooleanType()) return Type::b8;
  if (type->isSpecificBuiltinType(clang::BuiltinType::Double)) return Type::f64;
  if (type->isSpecificBuiltinType(clang::BuiltinType::Float)) return Type::f32;
  const auto* builtin = type->getAs<clang::BuiltinType>();
  if (builtin == nullptr || !builtin->isInteger()) return std::nullopt;
  const bool is_signed = builtin->isSignedInteger();
  if (context.getTypeSize(type) == 32) return is_signed ? Type::i32 : Type::u32;
  if (context.getTypeSize(type) == 64) return is_signed ? Type::i64 : Type::u64;
  return std::nullopt;
}

Number sum(Number a, Number b) {
  std::int64_t result = 0;
  return a && b && !__builtin_add_overflow(*a, *b, &result) ? Number(result) : std::nullopt;
}

Number result_of(clang::BinaryOperatorKind operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const auto unless = [&](bool overflows) { return overflows ? std::nullopt : Number(result); };
  if (operation == clang::BO_Add) return unless(__builtin_add_overflow(a, b, &result));
  if (operation == clang::BO_Sub) return unless(__builtin_sub_overflow(a, b, &result));
  if (operation == clang::BO_Mul) return unless(__builtin_mul_overflow(a, b, &result));
  if (operation == clang::BO_Div && b > 0) return a / b;
  if (operation == clang::BO_Rem && b > 0) return a % b;
  if (operation == clang::BO_LT) return a < b;
  if (operation == clang::BO_LE) return a <= b;
  if (operation == clang::BO_GT) return a > b;
  if (operation == clang::BO_GE) return a >= b;
  if (operation == clang::BO_EQ) return a == b;
  if (operation == clang::BO_NE) return a != b;
  if (operation == clang::BO_LAnd) return a != 0 && b != 0;
  if (operation == clang::BO_LOr) return a != 0 || b != 0;
  return std::nullopt;
}

Number fitted(Number value, clang::QualType type, const clang::ASTContext& context) {
  if (!value || type->isDependentType()) return std::nullopt;
  const bool is_signed = type->isSignedIntegerOrEnumerationType();
  if (!is_signed && *value < 0) return std::nullopt;
  const auto bits = static_cast<int>(context.getIntWidth(type));
  const int digits = is_signed ? bits - 1 : bits;
  if (digits >= 63) return value;
  const std::int64_t limit = std::int64_t{1} << digits;
  return *value < limit && *value >= -limit ? value : std::nullopt;
}

}  // namespace op2::jit
