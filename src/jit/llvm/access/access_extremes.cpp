// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/access/access_extremes.hpp>

#include <algorithm>

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <jit/llvm/access/access_syntax.hpp>

namespace op2::jit {
namespace {

/// One parameter, and what is done with it.
class ExtremeSearch {
 public:
  ExtremeSearch(const clang::FunctionDecl& function, const clang::ParmVarDecl& parameter, int depth)
      : context_(function.getASTContext()),
        function_(function),
        parameter_(parameter),
        depth_(depth) {}

  ExtremeUse run() {
    const bool is_proven = is_followed(function_, context_) && accepts(function_.getBody());
    if (!is_proven || lowers_ == raises_) return ExtremeUse::none;
    return lowers_ ? ExtremeUse::only_lowers : ExtremeUse::only_raises;
  }

 private:
  static constexpr int most_depth = 4;  ///< of calls

  bool is_parameter(const clang::Expr* expression) const {
    return named_variable(expression) == &parameter_;
  }

  bool captures_parameter(const clang::LambdaExpr& lambda) const {
    return std::ranges::any_of(lambda.captures(), [this](const clang::LambdaCapture& capture) {
      return capture.capturesVariable() && capture.getCapturedVar() == &parameter_;
    });
  }

  bool names_parameter(const clang::Stmt* statement) const {
    if (statement == nullptr) return false;
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(statement);
        lambda != nullptr && captures_parameter(*lambda))
      return true;
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(statement);
    return (name != nullptr && name->getDecl() == &parameter_) ||
           std::ranges::any_of(statement->children(),
                               [this](const clang::Stmt* child) { return names_parameter(child); });
  }

  bool has_effects(const clang::Expr* expression) const {
    return expression->HasSideEffects(context_);
  }

  /// An index that the same text gives again.
  bool is_index(const clang::Expr* index) const {
    return !names_parameter(index) && !has_effects(index);
  }

  /// Whether it is a pointer to values of the parameter, or to rows of them.
  bool leads_to_values(const clang::Expr* expression) const {
    const auto* inner = bare(expression);
    if (is_parameter(inner)) return !parameter_.getType()->isReferenceType();
    if (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(inner))
      return sum->getOpcode() == clang::BO_Add &&
             ((leads_to_values(sum->getLHS()) && is_index(sum->getRHS())) ||
              (leads_to_values(sum->getRHS()) && is_index(sum->getLHS())));
    if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(inner))
      if (operation->getOpcode() == clang::UO_AddrOf) return is_value(operation->getSubExpr());
    return inner->getType()->isPointerType() && is_element(inner);
  }

  /// Whether it is one value of the parameter.
  bool is_value(const clang::Expr* expression) const {
    const auto* inner = bare(expression);
    if (inner->getType()->isPointerType()) return false;
    return is_parameter(inner) ? parameter_.getType()->isReferenceType() : is_element(inner);
  }

  bool is_element(const clang::Expr* expression) const {
    if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression))
      return leads_to_values(element->getBase()) && is_index(element->getIdx());
    const auto* star = llvm::dyn_cast<clang::UnaryOperator>(expression);
    return star != nullptr && star->getOpcode() == clang::UO_Deref &&
           leads_to_values(star->getSubExpr());
  }

  /// Whether values are compared and assigned in the type of `value`, so that none is rounded.
  bool has_type_of(const clang::Expr* value, const clang::Expr* expression) const {
    return context_.hasSameUnqualifiedType(expression->getType(), value->getType());
  }

  bool has_type_of(const clang::Expr* value, const clang::FunctionDecl& function) const {
    return context_.hasSameUnqualifiedType(function.getReturnType(), value->getType()) &&
           context_.hasSameUnqualifiedType(function.getParamDecl(0)->getType(), value->getType()) &&
           context_.hasSameUnqualifiedType(function.getParamDecl(1)->getType(), value->getType());
  }

  /// Whether the expression is `value` itself, another name of which has the same text.
  bool is_target(const clang::Expr* expression, const clang::Expr* value) const {
    return is_value(expression) && is_same_text(expression, value, context_);
  }

  bool note(bool lowers) {
    (lowers ? lowers_ : raises_) = true;
    return true;
  }

  /// `a < b` and the like, which chooses `chosen` of a value and something else.
  bool is_choice(const clang::Expr* condition, const clang::Expr* value,
                 const clang::Expr* chosen) {
    const auto* comparison = llvm::dyn_cast<clang::BinaryOperator>(bare(condition));
    if (comparison == nullptr || !comparison->isRelationalOp()) return false;
    const auto *left = comparison->getLHS(), *right = comparison->getRHS();
    if (!has_type_of(value, left) || !has_type_of(value, right)) return false;
    const bool value_is_left = is_target(left, value);
    if (!value_is_left && !is_target(right, value)) return false;
    const auto* other = value_is_left ? right : left;
    if (names_parameter(other) || has_effects(other)) return false;
    const bool chooses_value = is_target(chosen, value);
    if (!chooses_value && !is_same_text(chosen, other, context_)) return false;
    const auto code = comparison->getOpcode();
    const bool left_is_less = code == clang::BO_LT || code == clang::BO_LE;
    const bool chooses_left = chooses_value == value_is_left;
    return note(left_is_less == chooses_left);
  }

  /// The two sides of a choice that the condition makes.
  bool is_conditional(const clang::ConditionalOperator& choice, const clang::Expr* value) {
    const auto *yes = choice.getTrueExpr(), *no = choice.getFalseExpr();
    if (!has_type_of(value, &choice) || is_target(yes, value) == is_target(no, value)) return false;
    const auto* comparison = llvm::dyn_cast<clang::BinaryOperator>(bare(choice.getCond()));
    if (comparison == nullptr) return false;
    const auto* other =
        is_target(comparison->getLHS(), value) ? comparison->getRHS() : comparison->getLHS();
    return is_same_text(is_target(yes, value) ? no : yes, other, context_) &&
           is_choice(choice.getCond(), value, yes);
  }

  enum class Library { none, least, greatest };

  /// The function of C that a function does nothing but call with its two parameters.
  static const clang::FunctionDecl* called_by(const clang::FunctionDecl& function) {
    const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(function.getBody());
    const auto* back = body != nullptr && body->size() == 1
                           ? llvm::dyn_cast<clang::ReturnStmt>(body->body_front())
                           : nullptr;
    const auto* value = back != nullptr ? back->getRetValue() : nullptr;
    const auto* call = value != nullptr ? llvm::dyn_cast<clang::CallExpr>(bare(value)) : nullptr;
    if (call == nullptr || call->getNumArgs() != 2 || function.getNumParams() != 2) return nullptr;
    for (unsigned k = 0; k < 2; ++k) {
      const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare(call->getArg(k)));
      if (name == nullptr || name->getDecl() != function.getParamDecl(k)) return nullptr;
    }
    return call->getDirectCallee();
  }

  /// min, max, fmin and fmax of the library, of two numbers of the type of `value`.
  Library library_of(const clang::CallExpr& call, const clang::Expr* value) const {
    const auto* function = call.getDirectCallee();
    if (function == nullptr || function->getIdentifier() == nullptr || call.getNumArgs() != 2 ||
        !has_type_of(value, &call) || !has_type_of(value, call.getArg(0)) ||
        !has_type_of(value, call.getArg(1)))
      return Library::none;
    if (const auto* definition = function->getDefinition();
        definition != nullptr && !function->isInStdNamespace())
      if (const auto* inner = called_by(*definition);
          inner != nullptr && inner->getIdentifier() != nullptr && inner->getNumParams() == 2 &&
          has_type_of(value, *inner))
        function = inner;  // fmin(float, float) of <cmath>
    llvm::StringRef name = function->getName();
    name.consume_front("__builtin_");
    const bool is_std = function->isInStdNamespace();
    const bool is_c = is_std || function->getBuiltinID() != 0;
    if ((is_std && name == "min") || (is_c && (name == "fmin" || name == "fminf")))
      return Library::least;
    if ((is_std && name == "max") || (is_c && (name == "fmax" || name == "fmaxf")))
      return Library::greatest;
    return Library::none;
  }

  /// `std::min(v, e)`, also of such a minimum.
  bool is_library_extreme(const clang::Expr* expression, const clang::Expr* value) {
    const auto* call =
        llvm::dyn_cast<clang::CallExpr>(bare(expression->IgnoreUnlessSpelledInSource()));
    const Library library = call != nullptr ? library_of(*call, value) : Library::none;
    if (library == Library::none) return false;
    for (unsigned k = 0; k < 2; ++k) {
      const auto *inner = call->getArg(k), *other = call->getArg(1 - k);
      if (names_parameter(other) || (has_effects(other) && !has_fixed_place(value))) continue;
      if (is_target(inner->IgnoreUnlessSpelledInSource(), value) ||
          is_library_extreme(inner, value))
        return note(library == Library::least);
    }
    return false;
  }

  /// Whether nothing that is executed changes which value it is.
  bool has_fixed_place(const clang::Expr* value) const {
    const auto* inner = bare(value);
    if (is_parameter(inner)) return true;
    if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(inner))
      return element->getIdx()->isIntegerConstantExpr(context_) &&
             has_fixed_place(element->getBase());
    const auto* star = llvm::dyn_cast<clang::UnaryOperator>(inner);
    return star != nullptr && has_fixed_place(star->getSubExpr());
  }

  /// `v = e < v ? e : v` and the like.
  bool is_extreme_assignment(const clang::BinaryOperator& assignment) {
    const auto *target = assignment.getLHS(), *source = assignment.getRHS();
    if (assignment.getOpcode() != clang::BO_Assign || !is_value(target) ||
        !has_type_of(target, source))
      return false;
    const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(bare(source));
    return choice != nullptr ? is_conditional(*choice, target) : is_library_extreme(source, target);
  }

  static const clang::Stmt* only_statement(const clang::Stmt* statement) {
    const auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(statement);
    return block != nullptr && block->size() == 1 ? block->body_front() : statement;
  }

  /// `if (e < v) v = e;`
  bool is_guarded_assignment(const clang::IfStmt& statement) {
    const auto* then = llvm::dyn_cast_or_null<clang::Expr>(only_statement(statement.getThen()));
    if (then == nullptr || statement.getElse() != nullptr || statement.getInit() != nullptr ||
        statement.getConditionVariable() != nullptr)
      return false;
    const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(then->IgnoreParens());
    if (assignment == nullptr || assignment->getOpcode() != clang::BO_Assign) return false;
    const auto *target = assignment->getLHS(), *source = assignment->getRHS();
    return is_value(target) && has_type_of(target, source) && !is_target(source, target) &&
           is_choice(statement.getCond(), target, source);
  }

  /// A call that gets a pointer or a reference to values, and does the same with them.
  bool accepts_call(const clang::CallExpr& call) {
    // Of objects, lambdas among them: their arguments are not those of the parameters in order.
    if (llvm::isa<clang::CXXOperatorCallExpr, clang::CXXMemberCallExpr>(call)) return false;
    const auto* function = call.getDirectCallee();
    const auto* definition = function != nullptr ? function->getDefinition() : nullptr;
    for (unsigned k = 0; k < call.getNumArgs(); ++k) {
      const auto* argument = call.getArg(k);
      if (!names_parameter(argument)) {
        if (!accepts(argument)) return false;
      } else if (definition == nullptr || k >= definition->getNumParams() ||
                 !accepts_argument(argument, *definition, *definition->getParamDecl(k))) {
        return false;
      }
    }
    return !names_parameter(call.getCallee());
  }

  bool accepts_argument(const clang::Expr* argument, const clang::FunctionDecl& function,
                        const clang::ParmVarDecl& parameter) {
    const auto type = parameter.getType();
    const bool is_passed =
        type->isPointerType() ? leads_to_values(argument)
        : type->isLValueReferenceType()
            ? is_value(argument) && has_type_of(argument, argument->IgnoreImpCasts())
            : false;
    if (!is_passed || depth_ >= most_depth || function.isVariadic() || !function.hasBody())
      return false;
    const auto use = ExtremeSearch(function, parameter, depth_ + 1).run();
    return use != ExtremeUse::none && note(use == ExtremeUse::only_lowers);
  }

  /// An expression whose value nobody uses.
  bool accepts_discarded(const clang::Expr* expression) {
    if (!names_parameter(expression)) return true;
    const auto* inner = expression->IgnoreParens();
    if (const auto* full = llvm::dyn_cast<clang::ExprWithCleanups>(inner))
      return accepts_discarded(full->getSubExpr());
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(inner);
        cast != nullptr && cast->getCastKind() == clang::CK_ToVoid)
      return is_parameter(cast->getSubExpr()) || accepts_discarded(cast->getSubExpr());
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(inner)) {
      if (operation->getOpcode() == clang::BO_Comma)
        return accepts_discarded(operation->getLHS()) && accepts_discarded(operation->getRHS());
      if (is_extreme_assignment(*operation)) return true;
    }
    return accepts(inner);
  }

  /// Whether every use of the parameter in a statement, or in an expression whose value is used, is
  /// in one of the forms.
  bool accepts(const clang::Stmt* statement) {
    if (!names_parameter(statement)) return true;
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(statement);
        branch != nullptr && is_guarded_assignment(*branch))
      return true;
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(statement)) return accepts_call(*call);
    if (llvm::isa<clang::LambdaExpr, clang::DeclRefExpr>(statement)) return false;
    return std::ranges::all_of(statement->children(), [&](const clang::Stmt* child) {
      const auto* expression = llvm::dyn_cast_or_null<clang::Expr>(child);
      return expression != nullptr && is_discarded_by(*statement, child)
                 ? accepts_discarded(expression)
                 : accepts(child);
    });
  }

  /// Whether a statement drops the value of an expression that is one of its parts.
  static bool is_discarded_by(const clang::Stmt& statement, const clang::Stmt* part) {
    if (llvm::isa<clang::CompoundStmt, clang::AttributedStmt>(statement)) return true;
    if (const auto* label = llvm::dyn_cast<clang::SwitchCase>(&statement))
      return part == label->getSubStmt();
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(&statement))
      return part == branch->getThen() || part == branch->getElse();
    if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(&statement))
      return part == loop->getBody() || part == loop->getInit() || part == loop->getInc();
    if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(&statement))
      return part == loop->getBody();
    if (const auto* loop = llvm::dyn_cast<clang::DoStmt>(&statement))
      return part == loop->getBody();
    if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(&statement))
      return part == range->getBody();
    return false;
  }

  const clang::ASTContext& context_;
  const clang::FunctionDecl& function_;
  const clang::ParmVarDecl& parameter_;
  const int depth_;
  bool lowers_ = false, raises_ = false;
};

}  // namespace

ExtremeUse extreme_use_of(const clang::FunctionDecl& kernel, unsigned parameter) {
  if (parameter >= kernel.getNumParams() || !kernel.hasBody()) return ExtremeUse::none;
  return ExtremeSearch(kernel, *kernel.getParamDecl(parameter), 0).run();
}

}  // namespace op2::jit
