// SPDX-License-Identifier: BSD-3-Clause
// What is known at one point of a kernel that is executed symbolically, with places in its data
// instead of values, and what is recorded of its reads and writes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <jit/llvm/access/access_syntax.hpp>
#include <jit/llvm/access/access_walk.hpp>

namespace op2::jit {

/// A pointer into the data of a parameter.
struct DataPointer {
  std::size_t parameter = 0;
  bool to_rows = false;  ///< a T**: `row` counts, `component` does not
  Number row = 0;
  Number component = 0;  ///< nothing: unknown
  bool operator==(const DataPointer&) const = default;
};

/// One number in the data of a parameter, which a pointer to numbers points to.
struct DataPlace {
  DataPointer pointer;
  bool operator==(const DataPlace&) const = default;
};

/// What is known of a local variable: a number, a pointer, or the target of a reference.
using LocalValue = std::variant<std::monostate, std::int64_t, DataPointer, DataPlace>;

/// The pointer, or that to the target of a reference; null for other values.
inline const DataPointer* pointer_in(const LocalValue& value) {
  const auto* place = std::get_if<DataPlace>(&value);
  return place != nullptr ? &place->pointer : std::get_if<DataPointer>(&value);
}

/// What is known about the arguments and the local variables at one point of the kernel.
class AccessState {
 public:
  std::vector<std::vector<Mark>> marks;  ///< shape [parameters][rows * components, at least 1]
  std::vector<std::vector<bool>> sure;   ///< written on every path to this point; shape of marks
  std::map<const clang::VarDecl*, LocalValue> locals;
  bool live = true;  ///< this point is reachable

  /// Both paths may have been taken.
  void join(const AccessState& other) { merge(other, Mark::maybe); }
  /// The same, if one of them may never be taken.
  void join_unsure(const AccessState& other) { merge(other, Mark::unsure); }

 private:
  void merge(const AccessState& other, Mark different) {
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

  /// `different` if the marks differ.
  static Mark merged(Mark a, Mark b, Mark different) {
    const auto both = [&](Mark one, Mark other) {
      return (a == one && b == other) || (a == other && b == one);
    };
    if (a == Mark::unsure || b == Mark::unsure || both(Mark::maybe, Mark::again))
      return Mark::unsure;
    return both(Mark::written, Mark::again) ? Mark::written : different;
  }

  /// Of two values of a variable on two paths.
  static LocalValue merged(const LocalValue& a, const LocalValue& b) {
    if (a == b) return a;
    const auto* one = std::get_if<DataPointer>(&a);
    const auto* other = std::get_if<DataPointer>(&b);
    const bool is_near = one != nullptr && other != nullptr && one->parameter == other->parameter &&
                         one->to_rows == other->to_rows;
    if (!is_near) return {};
    return DataPointer{one->parameter, one->to_rows,
                       one->row == other->row ? one->row : std::nullopt,
                       one->component == other->component ? one->component : std::nullopt};
  }
};

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

class AccessRecord {
 public:
  AccessRecord(const clang::ASTContext& context, const std::vector<Extent>& extents)
      : context_(context), extents_(extents), uses_(extents.size()) {
    constexpr std::int64_t most_marks = 2048;
    for (const Extent& extent : extents) {
      const std::int64_t count = extent.rows * extent.components;
      const bool known = extent.rows > 0 && extent.components > 0 && count <= most_marks;
      state_.marks.emplace_back(known ? count : 1, Mark::untouched);
      state_.sure.emplace_back(known ? count : 0, false);
    }
  }

 protected:
  // Values of expressions: numbers, pointers into the data of arguments, places in it.
  const LocalValue* local(const clang::Expr* expression) const {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParens());
    if (name == nullptr) return nullptr;
    const auto known = state_.locals.find(llvm::dyn_cast<clang::VarDecl>(name->getDecl()));
    return known != state_.locals.end() ? &known->second : nullptr;
  }

  /// 1 for a pointer that is not null, 0 for one that is.
  Number presence(const clang::Expr* expression) const {
    const clang::Expr* inner = expression->IgnoreParenCasts();
    if (inner->isNullPointerConstant(const_cast<clang::ASTContext&>(context_),
                                     clang::Expr::NPC_ValueDependentIsNotNull))
      return 0;
    const auto* known = inner->getType()->isPointerType() ? local(inner) : nullptr;
    const auto* target = known != nullptr ? std::get_if<DataPointer>(known) : nullptr;
    return target != nullptr && extents_[target->parameter].is_there ? Number(1) : std::nullopt;
  }

  Number combined(const clang::BinaryOperator& operation) const {
    const auto* left = operation.getLHS();
    const auto* right = operation.getRHS();
    const bool of_pointers = left->getType()->isPointerType() || right->getType()->isPointerType();
    const auto a = of_pointers ? presence(left) : number(left);
    const auto b = of_pointers ? presence(right) : number(right);
    if (!a || !b || (of_pointers && (!operation.isEqualityOp() || *a == *b))) return std::nullopt;
    return result_of(operation.getOpcode(), *a, *b);
  }

  Number number(const clang::Expr* expression) const {
    if (expression == nullptr || expression->isValueDependent()) return std::nullopt;
    if (!expression->getType()->isIntegralOrEnumerationType()) return std::nullopt;
    const clang::Expr* inner = expression->IgnoreParens();
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(inner)) return cast_number(*cast);
    return fitted(computed(inner), inner->getType(), context_);
  }

  Number cast_number(const clang::CastExpr& cast) const {
    const clang::Expr* inner = cast.getSubExpr();
    const bool to_truth = cast.getType()->isBooleanType();
    if (to_truth && inner->getType()->isPointerType()) return presence(inner);
    if (!inner->getType()->isIntegralOrEnumerationType()) return std::nullopt;
    const auto result = number(inner);
    if (to_truth && result) return *result != 0;
    return fitted(result, cast.getType(), context_);
  }

  /// The value of an integer expression without casts around it.
  Number computed(const clang::Expr* expression) const {
    if (const auto* known = local(expression)) {
      const auto* value = std::get_if<std::int64_t>(known);
      return value != nullptr ? Number(*value) : std::nullopt;
    }
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
      if (const auto result = combined(*operation)) return result;
    }
    if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
      const auto value = number(operation->getSubExpr());
      if (value && operation->getOpcode() == clang::UO_Minus)
        return result_of(clang::BO_Sub, 0, *value);
      if (value && operation->getOpcode() == clang::UO_LNot) return *value == 0;
    }
    clang::Expr::EvalResult result;
    if (!expression->EvaluateAsInt(result, context_)) return std::nullopt;
    const auto& found = result.Val.getInt();
    return found.isRepresentableByInt64() ? Number(found.getExtValue()) : std::nullopt;
  }

  /// What `p[i]` or `*p` is found through.
  std::optional<DataPointer> followed(const clang::Expr* location) {
    if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(location)) {
      const auto base = pointer(element->getBase());
      return base ? std::optional(moved(*base, number(element->getIdx()))) : std::nullopt;
    }
    const auto* star = llvm::dyn_cast<clang::UnaryOperator>(location);
    return star != nullptr && star->getOpcode() == clang::UO_Deref ? pointer(star->getSubExpr())
                                                                   : std::nullopt;
  }

  /// A pointer that is loaded from a variable, or from a row of pointers.
  std::optional<DataPointer> loaded_pointer(const clang::Expr* location) {
    location = location->IgnoreParens();
    if (const auto* known = local(location)) {
      const auto* target = std::get_if<DataPointer>(known);
      return target != nullptr ? std::optional(*target) : std::nullopt;
    }
    const auto rows = followed(location);
    if (!rows || !rows->to_rows) return std::nullopt;
    return DataPointer{rows->parameter, false, rows->row, 0};
  }

  std::optional<DataPointer> pointer(const clang::Expr* expression) {
    expression = expression->IgnoreParens();
    if (!expression->getType()->isPointerType()) return std::nullopt;
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) {
      if (cast->getCastKind() == clang::CK_LValueToRValue)
        return loaded_pointer(cast->getSubExpr());
      return keeps_pointee(*cast) ? pointer(cast->getSubExpr()) : std::nullopt;
    }
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
      if (!operation->isAdditiveOp()) return std::nullopt;
      const bool swapped = operation->getRHS()->getType()->isPointerType();
      const auto* base = swapped ? operation->getRHS() : operation->getLHS();
      auto by = number(swapped ? operation->getLHS() : operation->getRHS());
      if (by && operation->getOpcode() == clang::BO_Sub) by = result_of(clang::BO_Sub, 0, *by);
      const auto origin = pointer(base);
      return origin ? std::optional(moved(*origin, by)) : std::nullopt;
    }
    const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(expression);
    if (operation == nullptr) return std::nullopt;
    if (operation->getOpcode() == clang::UO_AddrOf) {
      const auto target = place(operation->getSubExpr());
      return target ? std::optional(target->pointer) : std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<DataPlace> place(const clang::Expr* expression) {
    expression = expression->IgnoreParens();
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression))
      return cast->getCastKind() == clang::CK_NoOp ? place(cast->getSubExpr()) : std::nullopt;
    if (const auto* known = local(expression)) {
      const auto* target = std::get_if<DataPlace>(known);
      return target != nullptr ? std::optional(*target) : std::nullopt;
    }
    const auto target = followed(expression);
    if (!target || target->to_rows) return std::nullopt;
    return DataPlace{*target};
  }

  // Records.

  /// Calls `found` with the value of each variable that the statement names and that has one.
  void for_each_known(const clang::Stmt* statement, const auto& found) {
    for_each_name(statement, [&](const clang::VarDecl* variable) {
      const auto known = state_.locals.find(variable);
      if (known != state_.locals.end()) found(*variable, known->second);
    });
  }

  /// Whether the statement names a variable that leads to data of an argument, and `fits` it.
  bool mentions_data(const clang::Stmt* statement, const auto& fits) {
    bool is_found = false;
    for_each_known(statement, [&](const clang::VarDecl& variable, const LocalValue& value) {
      const DataPointer* pointer = pointer_in(value);
      is_found = is_found || (pointer != nullptr && fits(variable, pointer->parameter));
    });
    return is_found;
  }

  /// Variables that a statement may change are unknown from here on.
  void forget_changed(const clang::Stmt* statement) {
    for_each_known(statement, [](const clang::VarDecl& variable, LocalValue& value) {
      if (variable.getType().isConstQualified()) return;
      if (const auto* pointer = std::get_if<DataPointer>(&value)) {
        if (!llvm::isa<clang::ParmVarDecl>(variable))
          value = DataPointer{pointer->parameter, pointer->to_rows, std::nullopt, std::nullopt};
      } else if (std::holds_alternative<std::int64_t>(value)) {
        value = {};
      }
    });
  }

  /// Makes all arguments unsure that the statement names.
  void note_unsure(const clang::Stmt* statement) {
    note_doubt(statement);
    for_each_known(statement, [this](const clang::VarDecl&, const LocalValue& value) {
      if (const DataPointer* pointer = pointer_in(value)) uses_[pointer->parameter].unsure = true;
    });
  }

  /// What is recorded of the arguments that the statement names may not be all.
  void note_doubt(const clang::Stmt* statement) {
    for_each_known(statement, [&](const clang::VarDecl&, const LocalValue& value) {
      doubt(value, statement->getBeginLoc());
    });
  }

  /// The same of the argument that a variable with this value leads to.
  void doubt(const LocalValue& value, clang::SourceLocation location) {
    const DataPointer* pointer = pointer_in(value);
    if (pointer == nullptr) return;
    ParameterUse& use = uses_[pointer->parameter];
    if (!use.doubted) use.doubt = location;
    use.doubted = true;
  }

  void doubt_all() {
    for (ParameterUse& use : uses_) use.doubted = true;
  }

  /// @param sum  type in which a change of the target is computed
  void note_inexact(const clang::Expr* target, clang::QualType sum) {
    const auto changed = place(target);
    if (!changed || adds_exactly(target->getType(), sum)) return;
    ParameterUse& use = uses_[changed->pointer.parameter];
    if (use.inexact.isInvalid()) use.inexact = target->getExprLoc();
  }

  /// Variables that the statement names may be changed through their address from here on.
  void note_escape(const clang::Stmt* statement) {
    for_each_name(statement, [this](const clang::VarDecl* variable) {
      const bool is_number = variable->getType()->isIntegralOrEnumerationType();
      if (!is_number || variable->getType().isConstQualified()) return;
      escaped_.insert(variable);
      state_.locals.erase(variable);
    });
  }

  std::optional<std::size_t> index_of(const DataPlace& place, clang::SourceLocation location) {
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

  /// @param is_of_change  the value before is used for nothing but the one after it
  void note_read(const DataPlace& place, clang::SourceLocation location,
                 bool is_of_change = false) {
    ParameterUse& use = uses_[place.pointer.parameter];
    if (!is_of_change && use.read.isInvalid()) use.read = location;
    const auto& marks = state_.marks[place.pointer.parameter];
    const auto index = index_of(place, location);
    const auto untouched = [](Mark mark) { return mark == Mark::untouched; };
    const bool before = index ? untouched(marks[*index]) : std::ranges::all_of(marks, untouched);
    if (before && use.read_untouched.isInvalid()) use.read_untouched = location;
    const auto& sure = state_.sure[place.pointer.parameter];
    const bool is_late = index ? *index < sure.size() && sure[*index]
                               : !sure.empty() && std::ranges::all_of(sure, std::identity());
    if (!is_late && use.read_early.isInvalid()) use.read_early = location;
  }

  /// @param zero  the value is a constant zero, not -0
  void note_write(const DataPlace& place, WriteKind kind, clang::SourceLocation location,
                  bool zero = false) {
    ParameterUse& use = uses_[place.pointer.parameter];
    const bool is_extreme = kind == WriteKind::lower || kind == WriteKind::raise;
    if (!zero && use.other_than_zero.isInvalid()) use.other_than_zero = location;
    if (kind == WriteKind::increment || kind == WriteKind::update) {
      note_read(place, location, true);
      if (use.computed.isInvalid()) use.computed = location;
    }
    if (use.write.isInvalid()) use.write = location;
    if (kind != WriteKind::increment && use.assign.isInvalid()) use.assign = location;
    if (is_extreme) (kind == WriteKind::lower ? use.lowers : use.raises) = true;
    use.only_extremes = use.only_extremes && is_extreme;
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

  const clang::ASTContext& context_;
  const std::vector<Extent>& extents_;
  std::vector<ParameterUse> uses_;
  AccessState state_;
  std::set<const clang::VarDecl*> escaped_;  ///< may change through pointers: no longer followed
  int uncertain_ = 0;                        ///< branches and loops around that may not be executed
  bool follows_all_ = true;                  ///< nothing in the kernel can go unnoticed
  bool jumped_ = false;                      ///< this point may have been skipped by a jump

 private:
  /// Whether a cast keeps the pointee, up to const at any level.
  bool keeps_pointee(const clang::CastExpr& cast) const {
    const auto from = cast.getSubExpr()->getType(), to = cast.getType();
    return from->isPointerType() && to->isPointerType() &&
           const_cast<clang::ASTContext&>(context_).hasSimilarType(from, to);
  }

  static DataPointer moved(DataPointer pointer, Number by) {
    auto& counted = pointer.to_rows ? pointer.row : pointer.component;
    counted = sum(counted, by);
    return pointer;
  }

  /// Whether a number of type `target` to which something is added in type `sum` is only added to:
  /// a truth value is not, nor an integer that a sum of floating-point numbers is converted to.
  bool adds_exactly(clang::QualType target, clang::QualType sum) const {
    const bool is_same_kind = target->isRealFloatingType() ? sum->isRealFloatingType()
                                                           : sum->isIntegralOrEnumerationType();
    return is_same_kind && !target->isBooleanType() && !sum->isDependentType() &&
           context_.getTypeSize(sum) >= context_.getTypeSize(target);
  }
};

}  // namespace op2::jit
