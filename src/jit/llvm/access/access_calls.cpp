// SPDX-License-Identifier: BSD-3-Clause
// Calls: into functions whose bodies are followed, and past all others.
#include <algorithm>
#include <utility>

#include <clang/AST/DeclCXX.h>

#include <jit/llvm/access/access_numbers.hpp>
#include <jit/llvm/access/access_syntax.hpp>
#include <jit/llvm/access/access_walk.hpp>

namespace op2::jit {
namespace {

/// Whether it uses nothing but the values of its arguments, although it takes references.
bool takes_values(const clang::FunctionDecl* function) {
  if (function == nullptr || function->getIdentifier() == nullptr) return false;
  const llvm::StringRef name = function->getName();
  return function->isInStdNamespace() && (name == "min" || name == "max" || name == "clamp");
}

}  // namespace

bool AccessWalk::is_refused(const clang::FunctionDecl* function,
                            const clang::CallExpr& call) const {
  if (function == nullptr || function->getDefinition() == nullptr || function->isVariadic())
    return true;
  if (llvm::isa<clang::CXXMemberCallExpr, clang::CXXOperatorCallExpr>(call)) return true;
  const auto result = function->getReturnType();
  if (result->isPointerType() || result->isReferenceType()) return true;
  const auto* definition = function->getDefinition();
  return calls_.size() > 8 || std::find(calls_.begin(), calls_.end(), definition) != calls_.end() ||
         !is_followed(*definition, context_);
}

void AccessWalk::evaluate_call(const clang::CallExpr& call) {
  const auto* function = call.getDirectCallee();
  bool hands_over = false;
  for (unsigned i = 0; i < call.getNumArgs(); ++i) {
    const auto* argument = call.getArg(i);
    const bool is_place = argument->isGLValue() && place(argument);
    hands_over =
        hands_over || is_place || (argument->getType()->isPointerType() && pointer(argument));
  }
  if (hands_over && !is_refused(function, call)) return call_function(*function, call);
  if (const auto* method = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call))
    evaluate(method->getImplicitObjectArgument());
  for (unsigned i = 0; i < call.getNumArgs(); ++i) {
    const auto* argument = call.getArg(i);
    const auto source = argument->isGLValue() ? place(argument) : std::nullopt;
    const auto* inner = llvm::dyn_cast<clang::CallExpr>(bare(argument));
    if (source && takes_values(function)) {
      note_read(*source, argument->getExprLoc());  // std::max(p[0], x)
      follow_indices(argument);
    } else if (inner != nullptr && takes_values(function)) {
      evaluate_call(*inner);  // std::max(std::min(p[0], x), y)
    } else if (source || (argument->getType()->isPointerType() && pointer(argument))) {
      note_unsure(argument);
      follow_indices(argument);
    } else {
      evaluate(argument);
    }
  }
}

LocalValue AccessWalk::bind(const clang::ParmVarDecl& parameter, const clang::Expr* argument) {
  if (parameter.getType()->isReferenceType()) {
    if (const auto target = place(argument)) {
      follow_indices(argument);
      return *target;
    }
  } else if (parameter.getType()->isPointerType()) {
    if (const auto target = pointer(argument)) {
      follow_indices(argument);
      return *target;
    }
  }
  evaluate(argument);
  if (!parameter.getType()->isIntegralOrEnumerationType()) return {};
  const auto value = number(argument);
  return value ? LocalValue(*value) : LocalValue();
}

void AccessWalk::call_function(const clang::FunctionDecl& function, const clang::CallExpr& call) {
  const auto* definition = function.getDefinition();
  std::vector<std::pair<const clang::VarDecl*, LocalValue>> values;
  for (unsigned i = 0; i < call.getNumArgs() && i < definition->getNumParams(); ++i)
    values.emplace_back(definition->getParamDecl(i),
                        bind(*definition->getParamDecl(i), call.getArg(i)));
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

}  // namespace op2::jit
