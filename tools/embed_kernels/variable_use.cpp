// SPDX-License-Identifier: BSD-3-Clause
#include "variable_use.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMap.h>
#include <clang/AST/StmtCXX.h>
#include <fmt/format.h>

#include "spelling.hpp"

namespace op2::embed {
namespace {

/// What an expression denotes: the variable or a part of it; a pointer into it; another variable
/// that holds such a pointer.
enum class Form { lvalue, pointer, pointer_variable };

/// What the enclosing expression does with it.
struct Step {
  enum class Kind { ends, goes_on, changes, escapes, is_given } kind;
  Form form = Form::lvalue;  ///< goes_on: what the enclosing expression denotes
};
constexpr Step ends{Step::Kind::ends}, changes{Step::Kind::changes}, escapes{Step::Kind::escapes},
    is_given{Step::Kind::is_given};
constexpr Step goes_on(Form form) {
  return {Step::Kind::goes_on, form};
}

/// A function's body.
struct Body {
  explicit Body(clang::Stmt* body) : parents(body) { collect(body); }

  clang::ParentMap parents;
  std::map<const clang::ValueDecl*, std::vector<const clang::DeclRefExpr*>> names;

 private:
  void collect(const clang::Stmt* statement) {
    if (statement == nullptr) return;
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(statement))
      names[name->getDecl()].push_back(name);
    for (const auto* inner : statement->children()) collect(inner);
  }
};

bool is_to_const(const clang::ASTContext& context, clang::QualType pointer) {
  return context.getBaseElementType(pointer->getPointeeType()).isConstQualified();
}

/// Whether the value of an expression is discarded.
bool is_dropped(const clang::Stmt& around, const clang::Stmt* beyond) {
  if (llvm::isa<clang::CompoundStmt>(around))
    return beyond == nullptr || !llvm::isa<clang::StmtExpr>(beyond);
  return llvm::isa<clang::IfStmt, clang::ForStmt, clang::WhileStmt, clang::DoStmt,
                   clang::SwitchCase, clang::LabelStmt, clang::CXXForRangeStmt,
                   clang::UnaryExprOrTypeTraitExpr>(around);
}

Step after_cast(const clang::CastExpr& cast, Form form, const clang::ASTContext& context) {
  const auto type = cast.getType();
  switch (cast.getCastKind()) {
    case clang::CK_ToVoid:
    case clang::CK_PointerToBoolean:
      return ends;
    case clang::CK_LValueToRValue:
      return form == Form::pointer_variable ? goes_on(Form::pointer) : ends;
    case clang::CK_ArrayToPointerDecay:
      return goes_on(Form::pointer);
    case clang::CK_NoOp:
      if (form == Form::pointer_variable) return escapes;
      if (form == Form::pointer) return is_to_const(context, type) ? ends : goes_on(form);
      return context.getBaseElementType(type).isConstQualified() ? ends : goes_on(form);
    case clang::CK_BitCast:
      return form == Form::pointer && is_to_const(context, type) ? ends : escapes;
    default:
      return escapes;
  }
}

Step after_unary(const clang::UnaryOperator& operation, Form form) {
  switch (operation.getOpcode()) {
    case clang::UO_AddrOf:
      return form == Form::lvalue ? goes_on(Form::pointer) : escapes;
    case clang::UO_Deref:
      return goes_on(Form::lvalue);
    case clang::UO_PreInc:
    case clang::UO_PreDec:
      return form == Form::pointer_variable ? goes_on(form) : changes;
    case clang::UO_PostInc:
    case clang::UO_PostDec:
      return form == Form::pointer_variable ? goes_on(Form::pointer) : changes;
    case clang::UO_Plus:
    case clang::UO_Extension:
      return goes_on(form);
    default:
      return escapes;
  }
}

/// @param is_left  of the operator
Step after_binary(const clang::BinaryOperator& operation, bool is_left, Form form) {
  if (operation.getOpcode() == clang::BO_Comma) return is_left ? ends : goes_on(form);
  if (operation.isAssignmentOp() && is_left)
    return form == Form::pointer_variable ? goes_on(form) : changes;
  if (form != Form::pointer) return escapes;
  if (operation.isAssignmentOp()) return is_given;
  if (operation.isComparisonOp()) return ends;
  if (!operation.isAdditiveOp()) return escapes;
  return operation.getType()->isPointerType() ? goes_on(form) : ends;
}

class Follower {
 public:
  Follower(const Unit& unit, const Closure& closure) : unit_(unit), closure_(closure) {}

  VariableUse run() {
    for (const NamedVariable& named : closure_.names) {
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(named.within);
      const bool is_pattern = llvm::isa<clang::TemplateDecl>(named.within) ||
                              (function != nullptr && function->isDependentContext());
      if (is_pattern) continue;  // each instance is there too
      origin_ = named.variable;
      follow(*named.name, Form::lvalue, function);
    }
    while (!worklist_.empty() && !result_.change) {
      const Held next = worklist_.back();
      worklist_.pop_back();
      origin_ = next.origin;
      const auto& names = body_of(*next.function).names;
      const auto uses = names.find(next.variable);
      if (uses == names.end()) continue;
      for (const auto* name : uses->second) follow(*name, next.form, next.function);
    }
    return std::move(result_);
  }

 private:
  /// A local variable that refers to, or points into, a variable of the program.
  struct Held {
    const clang::VarDecl* variable;
    const clang::VarDecl* origin;
    Form form;  ///< of its name
    const clang::FunctionDecl* function;
  };

  const Body& body_of(const clang::FunctionDecl& function) {
    auto& body = bodies_[&function];
    if (body == nullptr) body = std::make_unique<Body>(function.getBody());
    return *body;
  }

  void note(Step step, const clang::Expr& expression, Form form) {
    const std::string name = origin_->getQualifiedNameAsString();
    if (step.kind == Step::Kind::changes) {
      result_.change =
          Fault{fmt::format("changes the variable '{}'", name), expression.getExprLoc()};
      return;
    }
    if (result_.loss) return;
    const auto type = unit_.context.getBaseElementType(origin_->getType()).getUnqualifiedType();
    const bool is_reference = form == Form::lvalue;
    result_.loss = Fault{
        fmt::format("takes a non-const {} to the variable '{}', through which it may be changed; "
                    "make it 'const {} {}'",
                    is_reference ? "reference" : "pointer", name, type.getAsString(),
                    is_reference ? '&' : '*'),
        expression.getExprLoc()};
  }

  void follow(const clang::Expr& name, Form form, const clang::FunctionDecl* function) {
    const bool has_body = function != nullptr && function->getBody() != nullptr;
    if (!has_body || body_of(*function).parents.getParent(&name) == nullptr) {
      result_.is_clear = false;
      return;
    }
    const Body& body = body_of(*function);
    const clang::Expr* inner = &name;
    while (!result_.change) {
      const auto* around = body.parents.getParent(inner);
      if (is_dropped(*around, body.parents.getParent(around))) return;
      const Step step = step_to(*around, *inner, form);
      if (step.kind == Step::Kind::ends) return;
      if (step.kind == Step::Kind::is_given) {
        if (!give(*around, *inner, form, *function)) return note(escapes, *inner, form);
        if (!llvm::isa<clang::BinaryOperator>(around)) return;
        form = Form::pointer_variable;  // the value of an assignment
      } else if (step.kind != Step::Kind::goes_on) {
        return note(step, *inner, form);
      } else {
        form = step.form;
      }
      inner = llvm::cast<clang::Expr>(around);
    }
  }

  Step step_to(const clang::Stmt& around, const clang::Expr& inner, Form form) const {
    if (llvm::isa<clang::DeclStmt, clang::CallExpr>(around))
      return form == Form::pointer_variable ? escapes : is_given;
    if (llvm::isa<clang::ParenExpr>(around)) return goes_on(form);
    if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&around))
      return list->getType()->isPointerType() ? goes_on(form) : escapes;
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&around))
      return after_cast(*cast, form, unit_.context);
    if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&around))
      return form == Form::pointer && element->getBase() == &inner ? goes_on(Form::lvalue)
                                                                   : escapes;
    if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(&around))
      return after_unary(*operation, form);
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&around))
      return after_binary(*operation, operation->getLHS() == &inner, form);
    if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&around))
      return choice->getCond() == &inner ? ends : goes_on(form);
    return escapes;
  }

  /// Records the variable to which a declaration, a call or an assignment passes the pointer or
  /// reference. @return false if there is none that can be followed
  bool give(const clang::Stmt& around, const clang::Expr& inner, Form form,
            const clang::FunctionDecl& function) {
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&around)) {
      const auto* callee = definition_of(*call);
      unsigned number = 0;
      while (number < call->getNumArgs() && call->getArg(number) != &inner) ++number;
      return callee != nullptr && number < callee->getNumParams() &&
             hold(*callee->getParamDecl(number), form, *callee);
    }
    if (const auto* group = llvm::dyn_cast<clang::DeclStmt>(&around)) {
      for (const auto* declaration : group->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
        if (variable != nullptr && variable->getInit() == &inner)
          return hold(*variable, form, function);
      }
      return false;
    }
    const auto* target = llvm::cast<clang::BinaryOperator>(around).getLHS()->IgnoreParens();
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(target);
    const auto* variable =
        name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    return variable != nullptr && hold(*variable, form, function);
  }

  const clang::FunctionDecl* definition_of(const clang::CallExpr& call) const {
    const auto* callee = call.getDirectCallee();
    if (callee == nullptr || unit_.is_standard(*callee)) return nullptr;
    if (llvm::isa<clang::CXXOperatorCallExpr>(call)) return nullptr;
    const auto* definition = callee->getDefinition();
    return definition != nullptr && definition->getBody() != nullptr ? definition : nullptr;
  }

  bool hold(const clang::VarDecl& variable, Form form, const clang::FunctionDecl& function) {
    const auto type = variable.getType();
    const bool fits = form == Form::lvalue ? type->isReferenceType() : type->isPointerType();
    if (!fits || !variable.hasLocalStorage()) return false;
    result_.only_read.insert(origin_);
    if (held_.insert({&variable, origin_}).second)
      worklist_.push_back({&variable, origin_,
                           form == Form::lvalue ? Form::lvalue : Form::pointer_variable,
                           &function});
    return true;
  }

  const Unit& unit_;
  const Closure& closure_;
  const clang::VarDecl* origin_ = nullptr;  ///< the variable being followed
  std::map<const clang::FunctionDecl*, std::unique_ptr<Body>> bodies_;
  std::set<std::pair<const clang::VarDecl*, const clang::VarDecl*>> held_;
  std::vector<Held> worklist_;
  VariableUse result_;
};

}  // namespace

VariableUse use_of_variables(const Unit& unit, const Closure& closure) {
  return Follower(unit, closure).run();
}

void add_references(const std::set<const clang::VarDecl*>& variables,
                    const clang::ASTContext& context, Closure& closure) {
  for (BoundVariable& bound : closure.variables) {
    if (!variables.contains(bound.variable)) continue;
    const std::string seen = bound.name;
    bound.name += "_of_program";
    bound.declaration = declaration_of(*bound.variable, bound.name, context);
    closure.helpers.insert(fmt::format("[[maybe_unused]] static {} = const_cast<{}>({});\n",
                                       declaration_of(*bound.variable, "(&" + seen + ")", context),
                                       declaration_of(*bound.variable, "(&)", context),
                                       bound.name));
  }
}

}  // namespace op2::embed
