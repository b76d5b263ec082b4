// SPDX-License-Identifier: BSD-3-Clause
// Statements, and what is recorded of reads, writes and statements that cannot be followed.
#include <jit/llvm/access/access_walk.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace op2::jit {
namespace {

constexpr std::int64_t most_marks = 2048;

/// Merges two marks; `different` if they differ.
Mark merged(Mark a, Mark b, Mark different) {
  const auto both = [&](Mark one, Mark other) {
    return (a == one && b == other) || (a == other && b == one);
  };
  if (a == Mark::unsure || b == Mark::unsure || both(Mark::maybe, Mark::again)) return Mark::unsure;
  return both(Mark::written, Mark::again) ? Mark::written : different;
}

/// Of two values of a variable on two paths.
LocalValue merged(const LocalValue& a, const LocalValue& b) {
  if (a == b) return a;
  const auto* one = std::get_if<DataPointer>(&a);
  const auto* other = std::get_if<DataPointer>(&b);
  const bool is_near = one != nullptr && other != nullptr && one->parameter == other->parameter &&
                       one->to_rows == other->to_rows;
  if (!is_near) return {};
  return DataPointer{one->parameter, one->to_rows, one->row == other->row ? one->row : std::nullopt,
                     one->component == other->component ? one->component : std::nullopt};
}

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

/// Calls `found` with each variable that a statement names. A RecursiveASTVisitor would find no
/// more and takes a minute to compile.
void for_each_name(const clang::Stmt* statement, const auto& found) {
  if (statement == nullptr) return;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(statement)) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable != nullptr) found(variable);
  }
  for (const clang::Stmt* child : statement->children()) for_each_name(child, found);
}

/// Whether a number of type `target` to which something is added in type `sum` is only added to: a
/// truth value is not, nor an integer that a sum of floating-point numbers is converted to.
bool adds_exactly(clang::QualType target, clang::QualType sum, const clang::ASTContext& context) {
  const bool is_same_kind =
      target->isRealFloatingType() ? sum->isRealFloatingType() : sum->isIntegralOrEnumerationType();
  return is_same_kind && !target->isBooleanType() && !sum->isDependentType() &&
         context.getTypeSize(sum) >= context.getTypeSize(target);
}

}  // namespace

void AccessState::merge(const AccessState& other, Mark different) {
  if (!other.live) return;
  if (!live) {
    *this = other;
    return;
  }
  for (std::size_t p = 0; p < marks.size(); ++p) {
    for (std::size_t i = 0; i < marks[p].size(); ++i) {
      const Mark a = marks[p][i], b = other.marks[p][i];
      if (a != b) marks[p][i] = merged(a, b, different);
    }
    for (std::size_t i = 0; i < sure[p].size(); ++i) sure[p][i] = sure[p][i] && other.sure[p][i];
  }
  for (auto& [variable, value] : locals) {
    const auto theirs = other.locals.find(variable);
    value = theirs == other.locals.end() ? LocalValue() : merged(value, theirs->second);
  }
}

AccessWalk::AccessWalk(const clang::ASTContext& context, const std::vector<Extent>& extents,
                       int most_steps)
    : context_(context), extents_(extents), uses_(extents.size()), most_steps_(most_steps) {
  for (const Extent& extent : extents) {
    const std::int64_t count = extent.rows * extent.components;
    const bool known = extent.rows > 0 && extent.components > 0 && count <= most_marks;
    state_.marks.emplace_back(known ? count : 1, Mark::untouched);
    state_.sure.emplace_back(known ? count : 0, false);
  }
}

std::vector<ParameterUse> AccessWalk::run(const clang::FunctionDecl& kernel) {
  for (std::size_t i = 0; i < extents_.size() && i < kernel.getNumParams(); ++i) {
    const auto* parameter = kernel.getParamDecl(i);
    if (!parameter->getType()->isPointerType()) continue;
    state_.locals[parameter] =
        DataPointer{i, parameter->getType()->getPointeeType()->isPointerType(), 0, 0};
  }
  calls_.push_back(&kernel);
  follows_all_ = is_followed(kernel, context_);
  if (!follows_all_) doubt_all();
  execute(kernel.getBody());
  leave_function();
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    uses_[i].marks = state_.marks[i];
    const auto& sure = state_.sure[i];
    if (!sure.empty()) uses_[i].missed = std::count(sure.begin(), sure.end(), false);
    if (steps_ > most_steps_) uses_[i].unsure = uses_[i].doubted = true;
  }
  return uses_;
}

/// Joins the states of all returns and of the end.
void AccessWalk::leave_function() {
  for (const AccessState& state : returns_) state_.join(state);
  returns_.clear();
}

bool AccessWalk::is_spent() {
  return ++steps_ > most_steps_;
}

/// A copy of the state for another path.
AccessState AccessWalk::fork() {
  constexpr int values_per_step = 8;
  std::size_t values = state_.locals.size();
  for (const auto& marks : state_.marks) values += marks.size() / values_per_step;
  steps_ += static_cast<int>(values) / values_per_step;
  return state_;
}

void AccessWalk::execute(const clang::Stmt* statement) {
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

void AccessWalk::execute_jump(const clang::Stmt& statement) {
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

void AccessWalk::execute_declaration(const clang::VarDecl& variable) {
  const clang::Expr* value = variable.getInit();
  state_.locals.erase(&variable);  // from an earlier call or iteration
  if (value == nullptr) return;
  if (!variable.hasLocalStorage()) {  // only the first call evaluates it
    evaluate(value);
    return note_doubt(value);
  }
  LocalValue known;
  if (variable.getType()->isReferenceType()) {
    if (const auto target = place(value)) {
      follow_indices(value);
      known = *target;
    } else {
      evaluate(value);
    }
  } else {
    known = value_for(variable, value);
  }
  if (!escaped_.contains(&variable)) state_.locals[&variable] = known;
}

void AccessWalk::execute_if(const clang::IfStmt& statement) {
  execute(statement.getInit());
  execute(statement.getConditionVariableDeclStmt());
  evaluate(statement.getCond());
  if (const auto known = number(statement.getCond())) {
    return execute(*known != 0 ? statement.getThen() : statement.getElse());
  }
  const AccessState before = fork();
  perhaps([&] { execute(statement.getThen()); });
  const AccessState after = std::exchange(state_, before);
  perhaps([&] { execute(statement.getElse()); });
  state_.join(after);
}

/// Executes all cases one after the other; everything that one of them changes is unsure.
void AccessWalk::execute_switch(const clang::SwitchStmt& statement) {
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
void AccessWalk::execute_label(const clang::SwitchCase& label) {
  state_.live = true;
  state_.sure = switches_.back().sure;
  forget_changed(switches_.back().body);
  execute(label.getSubStmt());
}

/// @return false if not all paths reach the end of the iteration
bool AccessWalk::execute_turn(const clang::Stmt* step, const clang::Stmt* body) {
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

void AccessWalk::execute_loop(const clang::Stmt* init, const clang::Expr* condition,
                              const clang::Stmt* step, const clang::Stmt* body, bool body_first) {
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
void AccessWalk::execute_unknown_turns(const clang::Expr* condition, const clang::Stmt* step,
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

/// Variables that a statement may change are unknown from here on.
void AccessWalk::forget_changed(const clang::Stmt* statement) {
  for_each_name(statement, [this](const clang::VarDecl* variable) {
    const auto known = state_.locals.find(variable);
    if (known == state_.locals.end() || variable->getType().isConstQualified()) return;
    if (const auto* pointer = std::get_if<DataPointer>(&known->second)) {
      if (!llvm::isa<clang::ParmVarDecl>(variable))
        known->second =
            DataPointer{pointer->parameter, pointer->to_rows, std::nullopt, std::nullopt};
    } else if (std::holds_alternative<std::int64_t>(known->second)) {
      known->second = {};
    }
  });
}

bool AccessWalk::mentions_data(const clang::Stmt* statement) const {
  bool found = false;
  for_each_name(statement, [&](const clang::VarDecl* variable) {
    const auto known = state_.locals.find(variable);
    found = found ||
            (known != state_.locals.end() && (std::holds_alternative<DataPointer>(known->second) ||
                                              std::holds_alternative<DataPlace>(known->second)));
  });
  return found;
}

/// Makes all arguments unsure that the statement names.
void AccessWalk::note_unsure(const clang::Stmt* statement) {
  const auto mark = [this](const DataPointer& pointer) { uses_[pointer.parameter].unsure = true; };
  note_doubt(statement);
  for_each_name(statement, [&](const clang::VarDecl* variable) {
    const auto known = state_.locals.find(variable);
    if (known == state_.locals.end()) return;
    if (const auto* pointer = std::get_if<DataPointer>(&known->second)) mark(*pointer);
    if (const auto* place = std::get_if<DataPlace>(&known->second)) mark(place->pointer);
  });
}

/// What is recorded of the arguments that the statement names may not be all.
void AccessWalk::note_doubt(const clang::Stmt* statement) {
  for_each_name(statement, [&](const clang::VarDecl* variable) {
    const auto known = state_.locals.find(variable);
    if (known != state_.locals.end()) doubt(known->second, statement->getBeginLoc());
  });
}

/// The same of the argument that a variable with this value leads to.
void AccessWalk::doubt(const LocalValue& value, clang::SourceLocation location) {
  const auto* place = std::get_if<DataPlace>(&value);
  const auto* pointer = place != nullptr ? &place->pointer : std::get_if<DataPointer>(&value);
  if (pointer == nullptr) return;
  ParameterUse& use = uses_[pointer->parameter];
  if (!use.doubted) use.doubt = location;
  use.doubted = true;
}

void AccessWalk::doubt_all() {
  for (ParameterUse& use : uses_) use.doubted = true;
}

/// @param sum  type in which a change of the target is computed
void AccessWalk::note_inexact(const clang::Expr* target, clang::QualType sum) {
  const auto changed = place(target);
  if (!changed || adds_exactly(target->getType(), sum, context_)) return;
  ParameterUse& use = uses_[changed->pointer.parameter];
  if (use.inexact.isInvalid()) use.inexact = target->getExprLoc();
}

/// Variables that the statement names may be changed through their address from here on.
void AccessWalk::note_escape(const clang::Stmt* statement) {
  for_each_name(statement, [this](const clang::VarDecl* variable) {
    const bool is_number = variable->getType()->isIntegralOrEnumerationType();
    if (!is_number || variable->getType().isConstQualified()) return;
    escaped_.insert(variable);
    state_.locals.erase(variable);
  });
}

std::optional<std::size_t> AccessWalk::index_of(const DataPlace& place,
                                                clang::SourceLocation location) {
  const auto& [parameter, to_rows, row, component] = place.pointer;
  ParameterUse& use = uses_[parameter];
  const Extent& extent = extents_[parameter];
  const auto check = [&](Number index, std::int64_t limit) {
    const bool beyond = index && limit > 0 && (*index < 0 || *index >= limit);
    if (beyond && use.beyond.isInvalid()) {
      use.beyond = location;
      use.beyond_index = *index;
      use.beyond_always = follows_all_ && uncertain_ == 0 && !jumped_;
    }
    return !beyond;
  };
  const bool inside = check(component, extent.components) && check(row, extent.rows);
  if (!inside || !row || !component || extent.components <= 0 || extent.rows <= 0)
    return std::nullopt;
  const auto index = static_cast<std::size_t>(*row * extent.components + *component);
  return index < state_.marks[parameter].size() ? std::optional(index) : std::nullopt;
}

void AccessWalk::note_read(const DataPlace& place, clang::SourceLocation location) {
  ParameterUse& use = uses_[place.pointer.parameter];
  if (use.read.isInvalid()) use.read = location;
  const auto& marks = state_.marks[place.pointer.parameter];
  const auto index = index_of(place, location);
  const auto untouched = [](Mark mark) { return mark == Mark::untouched; };
  const bool before =
      index ? untouched(marks[*index]) : std::all_of(marks.begin(), marks.end(), untouched);
  if (before && use.read_untouched.isInvalid()) use.read_untouched = location;
  const auto& sure = state_.sure[place.pointer.parameter];
  const bool is_late =
      index ? *index < sure.size() && sure[*index]
            : !sure.empty() && std::all_of(sure.begin(), sure.end(), std::identity());
  if (!is_late && use.read_early.isInvalid()) use.read_early = location;
}

void AccessWalk::note_write(const DataPlace& place, WriteKind kind, clang::SourceLocation location,
                            bool zero) {
  ParameterUse& use = uses_[place.pointer.parameter];
  if (!zero && use.other_than_zero.isInvalid()) use.other_than_zero = location;
  if (kind != WriteKind::assign) {  // it also reads the value before
    const auto read = use.read;
    note_read(place, location);
    use.read = read;
    if (use.computed.isInvalid()) use.computed = location;
  }
  if (use.write.isInvalid()) use.write = location;
  if (kind != WriteKind::increment && use.assign.isInvalid()) use.assign = location;
  auto& marks = state_.marks[place.pointer.parameter];
  if (const auto index = index_of(place, location)) {
    Mark& mark = marks[*index];
    mark = mark == Mark::maybe || mark == Mark::again ? Mark::again : Mark::written;
    auto& sure = state_.sure[place.pointer.parameter];
    if (*index < sure.size()) sure[*index] = true;
    return;
  }
  for (Mark& mark : marks) {
    if (mark != Mark::written && mark != Mark::again) mark = Mark::unsure;
  }
}

std::vector<ParameterUse> uses_of(const clang::FunctionDecl& kernel,
                                  const std::vector<Extent>& extents, int most_steps) {
  return AccessWalk(kernel.getASTContext(), extents, most_steps).run(kernel);
}

}  // namespace op2::jit
