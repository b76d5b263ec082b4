// SPDX-License-Identifier: BSD-3-Clause
// Executes a kernel symbolically: with places in its data instead of values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>

#include <jit/llvm/access/access_syntax.hpp>
#include <jit/llvm/access/access_use.hpp>

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

/// What is known about the arguments and the local variables at one point of the kernel.
struct AccessState {
  std::vector<std::vector<Mark>> marks;  ///< shape [parameters][rows * components, at least 1]
  std::vector<std::vector<bool>> sure;   ///< written on every path to this point; shape of marks
  std::map<const clang::VarDecl*, LocalValue> locals;
  bool live = true;  ///< this point is reachable

  /// Both paths may have been taken.
  void join(const AccessState& other) { merge(other, Mark::maybe); }
  /// The same, if one of them may never be taken.
  void join_unsure(const AccessState& other) { merge(other, Mark::unsure); }

 private:
  void merge(const AccessState& other, Mark different);
};

enum class WriteKind { assign, increment, update };

class AccessWalk {
 public:
  AccessWalk(const clang::ASTContext& context, const std::vector<Extent>& extents, int most_steps);

  std::vector<ParameterUse> run(const clang::FunctionDecl& kernel);

 private:
  // Statements.
  void execute(const clang::Stmt* statement);
  void execute_jump(const clang::Stmt& statement);
  void execute_declaration(const clang::VarDecl& variable);
  void execute_if(const clang::IfStmt& statement);
  void execute_switch(const clang::SwitchStmt& statement);
  void execute_label(const clang::SwitchCase& label);
  void execute_loop(const clang::Stmt* init, const clang::Expr* condition, const clang::Stmt* step,
                    const clang::Stmt* body, bool body_first);
  bool execute_turn(const clang::Stmt* step, const clang::Stmt* body);
  void execute_unknown_turns(const clang::Expr* condition, const clang::Stmt* step,
                             const clang::Stmt* body, bool is_reached);
  void forget_changed(const clang::Stmt* statement);
  void leave_function();

  // Expressions, for their effects.
  void discard(const clang::Expr* expression);
  void evaluate(const clang::Expr* expression);
  void evaluate_kept(const clang::Expr& change);
  void evaluate_children(const clang::Expr* expression);
  void evaluate_cast(const clang::CastExpr& cast);
  void evaluate_assigned(const clang::Expr& assignment);
  void evaluate_binary(const clang::BinaryOperator& operation);
  void evaluate_comparison(const clang::BinaryOperator& operation);
  void evaluate_branches(const clang::Expr* condition, const clang::Expr* yes,
                         const clang::Expr* no);
  void evaluate_unary(const clang::UnaryOperator& operation);
  bool change(const clang::Expr& expression);
  void change_by_operator(const clang::BinaryOperator& operation);
  void change_by_one(const clang::UnaryOperator& operation);
  void evaluate_call(const clang::CallExpr& call);
  bool assign(const clang::Expr* target, const clang::Expr* source);
  void assign_local(const clang::VarDecl& variable, const clang::Expr* source);
  LocalValue value_for(const clang::VarDecl& variable, const clang::Expr* source);
  bool evaluate_as_increment(const clang::Expr* target, const clang::Expr* sum);
  void doubt_increment(const clang::Expr* target, const clang::Expr* sum,
                       const std::optional<DataPlace>& before);
  void call_function(const clang::FunctionDecl& function, const clang::CallExpr& call);
  LocalValue bind(const clang::ParmVarDecl& parameter, const clang::Expr* argument);
  void follow_indices(const clang::Expr* place);
  bool is_refused(const clang::FunctionDecl* function, const clang::CallExpr& call) const;

  // Values of expressions.
  Number number(const clang::Expr* expression) const;
  Number cast_number(const clang::CastExpr& cast) const;
  Number computed(const clang::Expr* expression) const;
  Number combined(const clang::BinaryOperator& operation) const;
  Number presence(const clang::Expr* expression) const;
  std::optional<DataPointer> pointer(const clang::Expr* expression);
  std::optional<DataPointer> loaded_pointer(const clang::Expr* location);
  std::optional<DataPlace> place(const clang::Expr* expression);
  const LocalValue* local(const clang::Expr* expression) const;
  bool mentions_data(const clang::Stmt* statement) const;

  // Records of reads and writes.
  void note_read(const DataPlace& place, clang::SourceLocation location);
  /// @param zero  the value is a constant zero, not -0
  void note_write(const DataPlace& place, WriteKind kind, clang::SourceLocation location,
                  bool zero = false);
  void note_unsure(const clang::Stmt* statement);
  void note_doubt(const clang::Stmt* statement);
  void doubt(const LocalValue& value, clang::SourceLocation location);
  void doubt_all();
  void note_inexact(const clang::Expr* target, clang::QualType sum);
  void note_escape(const clang::Stmt* statement);
  /// @return position in the marks; nothing if unknown
  std::optional<std::size_t> index_of(const DataPlace& place, clang::SourceLocation location);
  bool is_spent();
  /// Executes what other data may leave out.
  template <class Work>
  void perhaps(const Work& work) {
    ++uncertain_;
    work();
    --uncertain_;
  }
  AccessState fork();

  const clang::ASTContext& context_;
  const std::vector<Extent>& extents_;
  std::vector<ParameterUse> uses_;
  AccessState state_;
  std::vector<AccessState> returns_;
  std::vector<std::vector<AccessState>> breaks_, continues_;  ///< of the loops around
  /// What is known where a case begins.
  struct CaseBegin {
    std::vector<std::vector<bool>> sure;
    const clang::Stmt* body;
  };
  std::vector<CaseBegin> switches_;  ///< of the switches around
  std::vector<const clang::FunctionDecl*> calls_;
  std::set<const clang::VarDecl*> escaped_;  ///< may change through pointers: no longer followed
  int uncertain_ = 0;                        ///< branches and loops around that may not be executed
  bool follows_all_ = true;                  ///< nothing in the kernel can go unnoticed
  bool jumped_ = false;                      ///< this point may have been skipped by a jump
  const int most_steps_;
  int steps_ = 0;
};

}  // namespace op2::jit
