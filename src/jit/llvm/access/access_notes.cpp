// SPDX-License-Identifier: BSD-3-Clause
// What an AccessWalk records of reads, writes, and statements that it cannot follow.
#include <algorithm>
#include <functional>

#include <jit/llvm/access/access_walk.hpp>

namespace op2::jit {
namespace {

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
  const auto check = [&](std::optional<std::int64_t> index, std::int64_t limit) {
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

}  // namespace op2::jit
