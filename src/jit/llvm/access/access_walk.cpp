// SPDX-License-Identifier: BSD-3-Clause
// The statements of a kernel, and the effects of its expressions on the data of arguments and on
// local variables.
#include <jit/llvm/access/access_walk.hpp>

#include <algorithm>
#include <utility>

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <jit/llvm/access/access_record.hpp>

namespace op2::jit {
namespace {

bool has_default(const clang::SwitchStmt& statement) {
  const auto* label = statement.getSwitchCaseList();
  while (label != nullptr && !llvm::isa<clang::DefaultStmt>(label))
    label = label->getNextSwitchCase();
  return label != nullptr;
}

/// Whether no label is inside another statement of the body.
bool is_plain(const clang::SwitchStmt& statement) {
  int labels = 0, found = 0;
  for (const auto* label = statement.getSwitchCaseList(); label != nullptr;
       label = label->getNextSwitchCase())
    ++labels;
  const auto* body = llvm::dyn_cast<clang::CompoundStmt>(statement.getBody());
  if (body == nullptr) return false;
  for (const auto* inner : body->body())
    for (const auto* label = llvm::dyn_cast<clang::SwitchCase>(inner); label != nullptr;
         label = llvm::dyn_cast<clang::SwitchCase>(label->getSubStmt()))
      ++found;
  return labels == found;
}

/// Whether the children of an expression are evaluated once and unconditionally, if it is.
bool evaluates_children(const clang::Expr* expression) {
  return llvm::isa<clang::ParenExpr, clang::BinaryOperator, clang::UnaryOperator, clang::FullExpr,
                   clang::ArraySubscriptExpr, clang::MemberExpr, clang::InitListExpr,
                   clang::CXXConstructExpr, clang::MaterializeTemporaryExpr,
                   clang::CXXBindTemporaryExpr, clang::CXXParenListInitExpr,
                   clang::SubstNonTypeTemplateParmExpr, clang::CompoundLiteralExpr>(expression);
}

/// Cost: O(1) for expressions of different classes, such as a sum and one value; otherwise their
/// size.
bool is_same(const clang::Expr* a, const clang::Expr* b, const clang::ASTContext& context) {
  return bare(a)->getStmtClass() == bare(b)->getStmtClass() && is_same_text(a, b, context);
}

bool is_zero(const clang::Expr* value, const clang::ASTContext& context) {
  clang::Expr::EvalResult result;
  if (value->isValueDependent() || !value->EvaluateAsRValue(result, context)) return false;
  if (result.HasSideEffects) return false;
  return result.Val.isFloat() ? result.Val.getFloat().isPosZero()
                              : result.Val.isInt() && result.Val.getInt() == 0;
}

/// The sum in `fma(a, b, sum)` of the C++ library; null for other calls.
const clang::Expr* fused_sum(const clang::CallExpr& call) {
  const auto* function = call.getDirectCallee();
  if (function == nullptr || function->getIdentifier() == nullptr || call.getNumArgs() != 3)
    return nullptr;
  llvm::StringRef name = function->getName();
  name.consume_front("__builtin_");
  const bool is_known = name == "fma" || name == "fmaf" || name == "fmal";
  const bool is_of_library = function->getBuiltinID() != 0 || function->isInStdNamespace();
  return is_known && is_of_library ? call.getArg(2) : nullptr;
}

/// Whether it uses nothing but the values of its arguments, although it takes references.
bool takes_values(const clang::FunctionDecl* function) {
  if (function == nullptr || function->getIdentifier() == nullptr) return false;
  const llvm::StringRef name = function->getName();
  return function->isInStdNamespace() && (name == "min" || name == "max" || name == "clamp");
}

class AccessWalk : private AccessRecord {
 public:
  using AccessRecord::AccessRecord;

  std::vector<ParameterUse> run(const clang::FunctionDecl& kernel) {
    for (std::size_t i = 0; i < extents_.size() && i < kernel.getNumParams(); ++i) {
      const auto* parameter = kernel.getParamDecl(i);
      if (!parameter->getType()->isPointerType()) continue;
      state_.locals[parameter] =
          DataPointer{i, parameter->getType()->getPointeeType()->isPointerType(), 0, 0};
    }
    calls_.push_back(&kernel);
    follows_all_ = is_followed(kernel);
    if (!follows_all_) doubt_all();
    execute(kernel.getBody());
    leave_function();
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      uses_[i].marks = state_.marks[i];
      const auto& sure = state_.sure[i];
      if (!sure.empty()) uses_[i].missed = std::ranges::count(sure, false);
      if (steps_ > most_steps) uses_[i].unsure = uses_[i].doubted = true;
    }
    return uses_;
  }

 private:
  static constexpr int most_steps = 60000;  ///< of some 0.3 us

  // Statements.

  /// Joins the states of all returns and of the end.
  void leave_function() {
    for (const AccessState& state : returns_) state_.join(state);
    returns_.clear();
  }

  bool is_spent() { return ++steps_ > most_steps; }

  /// A copy of the state for another path.
  AccessState fork() {
    constexpr int values_per_step = 8;
    std::size_t values = state_.locals.size();
    for (const auto& marks : state_.marks) values += marks.size() / values_per_step;
    steps_ += static_cast<int>(values) / values_per_step;
    return state_;
  }

  void execute(const clang::Stmt* statement) {
    if (statement == nullptr || is_spent()) return;
    if (const auto* label = llvm::dyn_cast<clang::SwitchCase>(statement))
      return execute_label(*label);
    if (!state_.live && !llvm::isa<clang::CompoundStmt>(statement)) return;
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(statement)) {
      for (const auto* inner : block->body()) execute(inner);
    } else if (const auto* group = llvm::dyn_cast<clang::DeclStmt>(statement)) {
      for (const auto* declaration : group->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
        if (variable != nullptr) execute_declaration(*variable);
      }
    } else if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(statement)) {
      execute_if(*branch);
    } else if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(statement)) {
      execute_loop(loop->getInit(), loop->getCond(), loop->getInc(), loop->getBody(), false);
    } else if (const auto* repeat = llvm::dyn_cast<clang::WhileStmt>(statement)) {
      execute_loop(nullptr, repeat->getCond(), nullptr, repeat->getBody(), false);
    } else if (const auto* until = llvm::dyn_cast<clang::DoStmt>(statement)) {
      execute_loop(nullptr, until->getCond(), nullptr, until->getBody(), true);
    } else if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(statement)) {
      execute(range->getInit());
      evaluate(range->getRangeInit());
      execute_unknown_turns(nullptr, nullptr, range->getBody(), true);
    } else if (const auto* choice = llvm::dyn_cast<clang::SwitchStmt>(statement)) {
      execute_switch(*choice);
    } else if (llvm::isa<clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt>(statement)) {
      execute_jump(*statement);
    } else if (const auto* expression = llvm::dyn_cast<clang::Expr>(statement)) {
      discard(expression);
    } else if (const auto* marked = llvm::dyn_cast<clang::AttributedStmt>(statement)) {
      execute(marked->getSubStmt());
    } else if (!llvm::isa<clang::NullStmt>(statement)) {
      note_unsure(calls_.front()->getBody());  // jumps, assembler, exceptions
      doubt_all();
    }
  }

  void execute_jump(const clang::Stmt& statement) {
    jumped_ = jumped_ || uncertain_ > 0;
    if (const auto* back = llvm::dyn_cast<clang::ReturnStmt>(&statement)) {
      evaluate(back->getRetValue());
      returns_.push_back(fork());
    } else {
      auto& list = llvm::isa<clang::BreakStmt>(statement) ? breaks_ : continues_;
      if (!list.empty()) list.back().push_back(fork());
    }
    state_.live = false;
  }

  void execute_declaration(const clang::VarDecl& variable) {
    const clang::Expr* value = variable.getInit();
    state_.locals.erase(&variable);  // from an earlier call or iteration
    if (value == nullptr) return;
    if (!variable.hasLocalStorage()) {  // only the first call evaluates it
      evaluate(value);
      return note_doubt(value);
    }
    const LocalValue known = value_for(variable, value);
    if (!escaped_.contains(&variable)) state_.locals[&variable] = known;
  }

  void execute_if(const clang::IfStmt& statement) {
    execute(statement.getInit());
    execute(statement.getConditionVariableDeclStmt());
    const auto extreme = extreme_of(statement, context_);
    const auto target = extreme ? place(extreme->target) : std::nullopt;
    if (target && depends_on_itself_only(*extreme, *target)) {
      evaluate_extreme(*extreme, *target);
      const auto change = [&] {
        note_write(*target, extreme->kind, extreme->target->getExprLoc(),
                   is_zero(extreme->others.front(), context_));
        follow_indices(extreme->target);
      };
      return branch(statement.getCond(), change, [] {});
    }
    evaluate(statement.getCond());
    branch(
        statement.getCond(), [&] { execute(statement.getThen()); },
        [&] { execute(statement.getElse()); });
  }

  /// Executes one of two paths or, if the condition is not known, both.
  void branch(const clang::Expr* condition, const auto& yes, const auto& no) {
    if (const auto known = number(condition)) return *known != 0 ? yes() : no();
    const AccessState before = fork();
    perhaps(yes);
    const AccessState after = std::exchange(state_, before);
    perhaps(no);
    state_.join(after);
  }

  /// Executes all cases one after the other; everything that one of them changes is unsure.
  void execute_switch(const clang::SwitchStmt& statement) {
    if (!is_plain(statement)) doubt_all();
    execute(statement.getInit());
    execute(statement.getConditionVariableDeclStmt());
    evaluate(statement.getCond());
    const AccessState before = fork();
    switches_.push_back({before.sure, statement.getBody()});
    breaks_.emplace_back();
    perhaps([&] { execute(statement.getBody()); });
    for (const AccessState& state : breaks_.back()) state_.join_unsure(state);
    breaks_.pop_back();
    switches_.pop_back();
    const bool one_is_run = state_.live && has_default(statement);
    const auto sure = one_is_run ? state_.sure : before.sure;
    state_.join_unsure(before);
    state_.sure = sure;
    forget_changed(statement.getBody());
  }

  /// A case begins with what is known before the switch; the case above may not have been executed.
  void execute_label(const clang::SwitchCase& label) {
    state_.live = true;
    state_.sure = switches_.back().sure;
    forget_changed(switches_.back().body);
    execute(label.getSubStmt());
  }

  /// @return false if not all paths reach the end of the iteration
  bool execute_turn(const clang::Stmt* step, const clang::Stmt* body) {
    breaks_.emplace_back();
    continues_.emplace_back();
    execute(body);
    for (const AccessState& state : continues_.back()) state_.join(state);
    const bool all = breaks_.back().empty();
    const auto broken = std::move(breaks_.back());
    breaks_.pop_back();
    continues_.pop_back();
    if (state_.live) execute(step);
    const bool live = state_.live;
    if (!all) {
      for (const AccessState& state : broken) state_.join_unsure(state);
    }
    return all && live;
  }

  void execute_loop(const clang::Stmt* init, const clang::Expr* condition, const clang::Stmt* step,
                    const clang::Stmt* body, bool body_first) {
    execute(init);
    if (body_first && !execute_turn(step, body)) {
      if (state_.live) execute_unknown_turns(condition, step, body, false);
      return;
    }
    while (!is_spent()) {
      const auto known = condition != nullptr ? number(condition) : std::nullopt;
      if (!known) return execute_unknown_turns(condition, step, body, true);
      evaluate(condition);
      if (*known == 0) return;
      if (!execute_turn(step, body)) {
        if (state_.live) execute_unknown_turns(condition, step, body, false);
        return;
      }
    }
  }

  /// Executes an unknown number of iterations, perhaps none.
  /// @param is_reached  the condition is evaluated at least once: no `break` leads past it
  void execute_unknown_turns(const clang::Expr* condition, const clang::Stmt* step,
                             const clang::Stmt* body, bool is_reached) {
    const auto forget = [&] {
      for (const clang::Stmt* part : {static_cast<const clang::Stmt*>(condition), step, body})
        forget_changed(part);
    };
    forget();
    if (is_reached) evaluate(condition);
    const AccessState before = fork();
    perhaps([&] {
      if (!is_reached) evaluate(condition);
      execute_turn(step, body);
    });
    state_.join_unsure(before);
    forget();
  }

  // Expressions, for their effects.

  /// Evaluates an expression whose value is not used.
  void discard(const clang::Expr* expression) {
    const auto* inner = expression->IgnoreParens();
    if (const auto* full = llvm::dyn_cast<clang::ExprWithCleanups>(inner))
      return discard(full->getSubExpr());
    const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(inner);
    if (operation != nullptr && operation->getOpcode() == clang::BO_Comma) {
      discard(operation->getLHS());
      return discard(operation->getRHS());
    }
    const auto* cast = llvm::dyn_cast<clang::CastExpr>(inner);
    if (cast != nullptr && cast->getCastKind() == clang::CK_ToVoid &&
        is_change(cast->getSubExpr()->IgnoreParens()))
      return discard(cast->getSubExpr());
    if (!is_change(inner)) return evaluate(expression);
    if (!is_spent()) change(*inner);
  }

  void evaluate(const clang::Expr* expression) {
    if (expression == nullptr || is_spent()) return;
    if (is_change(expression)) return evaluate_kept(*expression);
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) return evaluate_cast(*cast);
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression))
      return evaluate_binary(*operation);
    if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(expression))
      return evaluate_unary(*operation);
    if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expression))
      return evaluate_branches(choice->getCond(), choice->getTrueExpr(), choice->getFalseExpr());
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expression)) {
      evaluate_call(*call);
      return call->isGLValue() ? note_doubt(call) : void();  // it may name data of an argument
    }
    if (llvm::isa<clang::LambdaExpr, clang::StmtExpr>(expression)) {
      note_unsure(expression);
      return note_escape(expression);
    }
    if (llvm::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr>(expression))
      return;  // sizeof
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
      // A reference or an array without a load: its address escapes.
      const auto any = [](const clang::VarDecl&, std::size_t) { return true; };
      return mentions_data(name, any) ? note_unsure(name) : note_escape(name);
    }
    if (llvm::isa<clang::ArraySubscriptExpr>(expression)) {
      if (place(expression)) {
        follow_indices(expression);
        return note_unsure(expression);
      }
    }
    if (!evaluates_children(expression)) note_doubt(expression);
    evaluate_children(expression);
  }

  /// Evaluates a change whose target or, for `x++`, value before is used in a way that is not seen.
  void evaluate_kept(const clang::Expr& expression) {
    change(expression);
    const auto* target = target_of(&expression);
    if (expression.isGLValue()) {
      note_doubt(target);
      return note_escape(target);
    }
    if (const auto changed = place(target)) note_read(*changed, expression.getExprLoc());
  }

  void evaluate_children(const clang::Expr* expression) {
    for (const auto* child : expression->children()) {
      if (const auto* inner = llvm::dyn_cast_or_null<clang::Expr>(child)) evaluate(inner);
    }
  }

  void evaluate_cast(const clang::CastExpr& cast) {
    const clang::Expr* inner = cast.getSubExpr();
    const auto kind = cast.getCastKind();
    if (kind == clang::CK_LValueToRValue) {
      if (const auto* assignment = assignment_in(inner)) return evaluate_assigned(*assignment);
      if (const auto* call = llvm::dyn_cast<clang::CallExpr>(inner->IgnoreParens()))
        return evaluate_call(*call);
      if (const auto source = place(inner)) {
        note_read(*source, inner->getExprLoc());
        return follow_indices(inner);
      }
      if (pointer(&cast)) {
        follow_indices(&cast);
        return note_unsure(&cast);
      }
      if (llvm::isa<clang::DeclRefExpr>(inner->IgnoreParens())) return;
      return evaluate(inner);
    }
    if (kind == clang::CK_PointerToBoolean || kind == clang::CK_ToVoid) {  // only looked at
      const auto here = place(inner);
      auto target = here ? std::optional(here->pointer) : pointer(inner);
      if (!target && llvm::isa<clang::DeclRefExpr>(inner->IgnoreParens()))
        target = loaded_pointer(inner);  // (void)p
      if (target) return follow_indices(inner);
    }
    evaluate(inner);
  }

  /// An assignment whose value is used: `a = b = c`. If that depends on the value before, as in
  /// `a = b = b + c`, the value before is used, too.
  void evaluate_assigned(const clang::Expr& assignment) {
    const bool depends = change(assignment);
    const auto* target = target_of(&assignment);
    if (target->getType()->isPointerType()) return note_unsure(&assignment);
    const auto changed = depends ? place(target) : std::nullopt;
    if (changed) note_read(*changed, assignment.getExprLoc());
  }

  void evaluate_binary(const clang::BinaryOperator& operation) {
    const auto* left = operation.getLHS();
    const auto* right = operation.getRHS();
    if (operation.isLogicalOp()) {
      const bool is_and = operation.getOpcode() == clang::BO_LAnd;
      return evaluate_branches(left, is_and ? right : nullptr, is_and ? nullptr : right);
    }
    if (operation.isComparisonOp() && left->getType()->isPointerType())
      return evaluate_comparison(operation);
    evaluate_children(&operation);
  }

  /// Of pointers. Only whether one is null is the same in all code: where increments go to copies,
  /// pointers to one row differ.
  void evaluate_comparison(const clang::BinaryOperator& operation) {
    const bool with_null = presence(operation.getLHS()) == 0 || presence(operation.getRHS()) == 0;
    for (const auto* side : {operation.getLHS(), operation.getRHS()}) {
      if (pointer(side)) {
        if (!with_null) note_doubt(side);
        follow_indices(side);
      } else {
        evaluate(side);
      }
    }
  }

  void evaluate_branches(const clang::Expr* condition, const clang::Expr* yes,
                         const clang::Expr* no) {
    evaluate(condition);
    branch(condition, [&] { evaluate(yes); }, [&] { evaluate(no); });
  }

  void evaluate_unary(const clang::UnaryOperator& operation) {
    const auto* inner = operation.getSubExpr();
    const auto code = operation.getOpcode();
    const bool leads_to_data = (code == clang::UO_AddrOf && place(inner)) ||
                               (code == clang::UO_Deref && place(&operation));
    if (!leads_to_data) return evaluate(inner);
    follow_indices(inner);
    note_unsure(&operation);
  }

  /// @return whether the new value depends on the one before
  bool change(const clang::Expr& expression) {
    const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&expression);
    if (operation != nullptr && operation->getOpcode() == clang::BO_Assign)
      return assign(operation->getLHS(), operation->getRHS());
    if (operation != nullptr)
      change_by_operator(*operation);
    else
      change_by_one(llvm::cast<clang::UnaryOperator>(expression));
    return true;
  }

  /// Evaluates what a variable gets, or refers to from now on.
  /// @return what is known of it
  LocalValue value_for(const clang::VarDecl& variable, const clang::Expr* source) {
    const auto type = variable.getType();
    if (type->isReferenceType()) {
      if (const auto target = place(source)) {
        follow_indices(source);
        return *target;
      }
    } else if (type->isPointerType()) {
      if (const auto target = pointer(source)) {
        follow_indices(source);
        return *target;
      }
    }
    evaluate(source);
    if (!type->isIntegralOrEnumerationType()) return {};
    const auto* assignment = assignment_in(source);
    const auto value = assignment == nullptr
                           ? number(source)
                           : fitted(number(target_of(assignment)), type, context_);
    return value ? LocalValue(*value) : LocalValue();
  }

  /// `a += b` and the like.
  void change_by_operator(const clang::BinaryOperator& operation) {
    const auto* left = operation.getLHS();
    const auto* right = operation.getRHS();
    evaluate(right);
    if (const auto target = place(left)) {
      const auto op = operation.getOpcode();
      const bool is_or = op == clang::BO_OrAssign && left->getType()->isBooleanType();
      const bool adds = op == clang::BO_AddAssign || op == clang::BO_SubAssign || is_or;
      note_write(*target, adds ? WriteKind::increment : WriteKind::update,
                 operation.getOperatorLoc());
      note_inexact(left,
                   llvm::cast<clang::CompoundAssignOperator>(operation).getComputationResultType());
      follow_indices(left);
    } else if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare(left))) {
      note_unsure(name);  // a pointer: `p += n` is not followed
      forget_changed(name);
    } else {
      evaluate_children(left);
    }
  }

  /// `++a`, `a--` and the like.
  void change_by_one(const clang::UnaryOperator& operation) {
    const auto* inner = operation.getSubExpr();
    if (const auto target = place(inner)) {
      note_write(*target, WriteKind::increment, operation.getOperatorLoc());
      note_inexact(inner, inner->getType());
      return follow_indices(inner);
    }
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare(inner));
    if (name == nullptr) return evaluate_children(inner);
    const auto* variable = named_variable(name);
    const auto known = state_.locals.find(variable);
    if (known == state_.locals.end()) return;
    const int by = operation.isIncrementOp() ? 1 : -1;
    note_unsure(name);  // `*p++` is not followed
    if (const auto* value = std::get_if<std::int64_t>(&known->second)) {
      const auto next = fitted(sum(*value, by), variable->getType(), context_);
      known->second = next ? LocalValue(*next) : LocalValue();
    }
  }

  /// `p[0] = p[0] + x` or `p[0] = fma(x, y, p[0])`: an increment written as an assignment.
  bool evaluate_as_increment(const clang::Expr* target, const clang::Expr* sum) {
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(bare(sum))) {
      const auto* added_to = fused_sum(*call);
      if (added_to == nullptr ||
          !(is_same(added_to, target, context_) || evaluate_as_increment(target, added_to)))
        return false;
      note_inexact(target, call->getType());
      evaluate(call->getArg(0));
      evaluate(call->getArg(1));
      return true;
    }
    const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(bare(sum));
    if (operation == nullptr || !operation->isAdditiveOp()) return false;
    const auto is_target = [&](const clang::Expr* side) { return is_same(side, target, context_); };
    const bool adds = operation->getOpcode() == clang::BO_Add;
    note_inexact(target, operation->getType());
    if (is_target(operation->getLHS()) || evaluate_as_increment(target, operation->getLHS())) {
      evaluate(operation->getRHS());
      return true;
    }
    if (!adds ||
        !(is_target(operation->getRHS()) || evaluate_as_increment(target, operation->getRHS())))
      return false;
    evaluate(operation->getLHS());
    return true;
  }

  /// @return whether the new value depends on the one before
  bool assign(const clang::Expr* target, const clang::Expr* source) {
    const auto* variable = named_variable(target);
    if (variable != nullptr && !variable->getType()->isReferenceType()) {
      assign_local(*variable, source);
      return false;
    }
    WriteKind kind = WriteKind::assign;
    const auto before = place(target);
    const auto extreme = before ? extreme_of(target, source, context_) : std::nullopt;
    if (extreme && depends_on_itself_only(*extreme, *before)) {
      kind = extreme->kind;
      evaluate_extreme(*extreme, *before);
    } else if (before && evaluate_as_increment(target, source)) {
      kind = WriteKind::increment;
      doubt_repeated(target, source, *before);
    } else {
      evaluate(source);
    }
    const bool depends = kind != WriteKind::assign;
    if (const auto found = place(target)) {
      note_write(*found, kind, target->getExprLoc(), !depends && is_zero(source, context_));
      follow_indices(target);
    } else {
      evaluate_children(target);
    }
    return depends;
  }

  /// Whether a parameter leads to the target, and the others do not depend on its data.
  bool depends_on_itself_only(const Extreme& extreme, const DataPlace& target) {
    const auto is_same = [&](const clang::VarDecl&, std::size_t parameter) {
      return parameter == target.pointer.parameter;
    };
    const auto is_parameter = [&](const clang::VarDecl& variable, std::size_t parameter) {
      return llvm::isa<clang::ParmVarDecl>(variable) && is_same(variable, parameter);
    };
    return mentions_data(extreme.target, is_parameter) &&
           std::ranges::none_of(extreme.others, [&](const clang::Expr* other) {
             return mentions_data(other, is_same);
           });
  }

  void evaluate_extreme(const Extreme& extreme, const DataPlace& target) {
    note_read(target, extreme.before->getExprLoc(), true);
    for (const clang::Expr* other : extreme.others) evaluate_argument(other, true);
    bool is_fixed = true;  // pointers that change are doubted anyway
    for_each_name(extreme.target, [&](const clang::VarDecl* variable) {
      const auto known = state_.locals.find(variable);
      const auto* pointer = known != state_.locals.end() ? pointer_in(known->second) : nullptr;
      is_fixed = is_fixed && pointer != nullptr && pointer->parameter == target.pointer.parameter;
    });
    if (is_fixed) return;
    for (const clang::Expr* other : extreme.others) doubt_repeated(extreme.target, other, target);
  }

  /// Equal text names the same number twice if nothing in between can change that.
  /// @param before  the target before `source` was evaluated
  void doubt_repeated(const clang::Expr* target, const clang::Expr* source,
                      const DataPlace& before) {
    const auto& pointer = before.pointer;
    const bool is_known = pointer.row && pointer.component && place(target) == before;
    if (!is_known && source->HasSideEffects(context_)) note_doubt(target);
  }

  /// What a pointer that is assigned points to is not known where paths join.
  void assign_local(const clang::VarDecl& variable, const clang::Expr* source) {
    const LocalValue known = value_for(variable, source);
    const auto before = state_.locals.find(&variable);
    if (before != state_.locals.end()) doubt(before->second, source->getExprLoc());
    doubt(known, source->getExprLoc());
    if (variable.hasLocalStorage() && !escaped_.contains(&variable))
      state_.locals[&variable] = known;
  }

  /// Evaluates what a place or a pointer is computed from: `p[i++]`, `p + n[0]`.
  void follow_indices(const clang::Expr* place) {
    place = place->IgnoreParens();
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(place))
      return follow_indices(cast->getSubExpr());
    if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
      evaluate(element->getIdx());
      follow_indices(element->getBase());
    } else if (const auto* step = llvm::dyn_cast<clang::UnaryOperator>(place)) {
      if (step->isIncrementDecrementOp()) return change_by_one(*step);
      follow_indices(step->getSubExpr());
    } else if (const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(place);
               sum != nullptr && sum->isAdditiveOp()) {
      for (const auto* side : {sum->getLHS(), sum->getRHS()})
        side->getType()->isPointerType() ? follow_indices(side) : evaluate(side);
    } else if (!llvm::isa<clang::DeclRefExpr>(place)) {
      note_unsure(place);
      note_escape(place);
    }
  }

  bool is_refused(const clang::FunctionDecl* function, const clang::CallExpr& call) const {
    if (function == nullptr || function->getDefinition() == nullptr || function->isVariadic())
      return true;
    if (llvm::isa<clang::CXXMemberCallExpr, clang::CXXOperatorCallExpr>(call)) return true;
    const auto result = function->getReturnType();
    if (result->isPointerType() || result->isReferenceType()) return true;
    const auto* definition = function->getDefinition();
    return calls_.size() > 8 || std::ranges::find(calls_, definition) != calls_.end() ||
           !is_followed(*definition);
  }

  bool leads_to_data(const clang::Expr* argument) {
    return (argument->isGLValue() && place(argument)) ||
           (argument->getType()->isPointerType() && pointer(argument));
  }

  void evaluate_call(const clang::CallExpr& call) {
    const auto* function = call.getDirectCallee();
    const bool hands_over = std::ranges::any_of(
        call.arguments(), [this](const auto* argument) { return leads_to_data(argument); });
    if (hands_over && !is_refused(function, call)) return call_function(*function, call);
    if (const auto* method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call))
      evaluate(method->getImplicitObjectArgument());
    for (const auto* argument : call.arguments())
      evaluate_argument(argument, takes_values(function));
  }

  /// @param by_value  only its value is used, although it may be a reference
  void evaluate_argument(const clang::Expr* argument, bool by_value) {
    const auto source = by_value && argument->isGLValue() ? place(argument) : std::nullopt;
    const auto* inner = llvm::dyn_cast<clang::CallExpr>(bare(argument));
    if (source) {
      note_read(*source, argument->getExprLoc());  // std::max(p[0], x)
      follow_indices(argument);
    } else if (by_value && inner != nullptr) {
      evaluate_call(*inner);  // std::max(std::min(p[0], x), y)
    } else if (leads_to_data(argument)) {
      note_unsure(argument);
      follow_indices(argument);
    } else {
      evaluate(argument);
    }
  }

  void call_function(const clang::FunctionDecl& function, const clang::CallExpr& call) {
    const auto* definition = function.getDefinition();
    std::vector<std::pair<const clang::VarDecl*, LocalValue>> values;
    for (unsigned i = 0; i < call.getNumArgs() && i < definition->getNumParams(); ++i)
      values.emplace_back(definition->getParamDecl(i),
                          value_for(*definition->getParamDecl(i), call.getArg(i)));
    for (auto& [parameter, value] : values) state_.locals[parameter] = value;
    auto returns = std::exchange(returns_, {});
    calls_.push_back(definition);
    const bool jumped = jumped_;
    execute(definition->getBody());
    leave_function();
    jumped_ = jumped;
    calls_.pop_back();
    returns_ = std::move(returns);
  }

  /// Executes what other data may leave out.
  void perhaps(const auto& work) {
    ++uncertain_;
    work();
    --uncertain_;
  }

  std::vector<AccessState> returns_;
  std::vector<std::vector<AccessState>> breaks_, continues_;  ///< of the loops around
  /// What is known where a case begins.
  struct CaseBegin {
    std::vector<std::vector<bool>> sure;
    const clang::Stmt* body;
  };
  std::vector<CaseBegin> switches_;  ///< of the switches around
  std::vector<const clang::FunctionDecl*> calls_;
  int steps_ = 0;
};

}  // namespace

std::vector<ParameterUse> uses_of(const clang::FunctionDecl& kernel,
                                  const std::vector<Extent>& extents) {
  return AccessWalk(kernel.getASTContext(), extents).run(kernel);
}

}  // namespace op2::jit
