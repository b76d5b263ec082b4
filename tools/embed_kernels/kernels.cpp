// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/TargetParser/Host.h>

#include <jit/llvm/clang_messages.hpp>
#include <jit/llvm/parse_unit.hpp>

#include "spelling.hpp"

namespace op2::embed {
namespace {

/// How a kernel uses the variables of the program that it names.
struct VariableUse {
  /// Accessed through non-const pointers or references, which only read them.
  std::set<const clang::VarDecl*> only_read;
  std::optional<Fault> change;  ///< a variable is modified
  std::optional<Fault>
      loss;              ///< a non-const pointer or reference to a variable escapes the analysis
  bool is_clear = true;  ///< false: a variable is named where uses are not followed
};

/// What is done with an expression that denotes a variable of the program or a part of it, or is a
/// pointer into it.
struct Use {
  enum class Kind { ends, changes, escapes, is_given } kind = Kind::ends;
  const clang::Expr* place = nullptr;             ///< the largest such expression
  const clang::VarDecl* holder = nullptr;         ///< is_given: the variable that gets it
  const clang::FunctionDecl* function = nullptr;  ///< of the holder
};

bool is_pointer_variable(const clang::Expr& expression) {
  return expression.isGLValue() && expression.getType()->isPointerType();
}

/// Follows variables through local pointers, references and parameters of functions whose bodies
/// are known. Flow-insensitive: what a pointer may hold at one point it may hold anywhere.
class Follower {
 public:
  Follower(const Unit& unit, const Closure& closure) : unit_(unit), closure_(closure) {
    for (const BoundVariable& bound : closure.variables)
      held_[bound.variable].insert(bound.variable);
  }

  VariableUse run() {
    std::set<const clang::FunctionDecl*> started;
    for (const NamedVariable& named : closure_.names) {
      const auto* function = llvm::dyn_cast<clang::FunctionDecl>(named.within);
      const bool is_pattern = llvm::isa<clang::TemplateDecl>(named.within) ||
                              (function != nullptr && function->isDependentContext());
      if (is_pattern) continue;  // each instance is there too
      if (function != nullptr && started.insert(function).second) walk_body(*function);
      result_.is_clear = result_.is_clear && reached_.contains(named.name);
    }
    while (!worklist_.empty() && !result_.change) {
      const auto* next = worklist_.back();
      worklist_.pop_back();
      walk_body(*next);
    }
    return std::move(result_);
  }

 private:
  void walk_body(const clang::FunctionDecl& function) {
    function_ = &function;
    walk(function.getBody(), {});
  }

  void walk(const clang::Stmt* statement, const Use& use) {
    if (statement == nullptr) return;
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(statement)) apply(*name, use);
    for (const clang::Stmt* child : statement->children())
      walk(child, child != nullptr ? use_by(*statement, *child, use) : Use());
  }

  void apply(const clang::DeclRefExpr& name, const Use& use) {
    reached_.insert(&name);
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
    const auto found = variable != nullptr ? held_.find(variable->getCanonicalDecl()) : held_.end();
    if (found == held_.end() || use.kind == Use::Kind::ends) return;
    for (const auto* origin : std::set(found->second)) {
      if (use.kind != Use::Kind::is_given) {
        note(*origin, use);
        continue;
      }
      result_.only_read.insert(origin);
      if (held_[use.holder->getCanonicalDecl()].insert(origin).second)
        worklist_.push_back(use.function);
    }
  }

  void note(const clang::VarDecl& origin, const Use& use) {
    const std::string name = origin.getQualifiedNameAsString();
    if (use.kind == Use::Kind::changes) {
      if (!result_.change)
        result_.change =
            Fault{fmt::format("changes the variable '{}'", name), use.place->getExprLoc()};
      return;
    }
    if (result_.loss) return;
    const auto type = unit_.context.getBaseElementType(origin.getType()).getUnqualifiedType();
    const bool is_reference = use.place->isGLValue() && !is_pointer_variable(*use.place);
    result_.loss = Fault{
        fmt::format("takes a non-const {} to the variable '{}', through which it may be changed; "
                    "make it 'const {} {}'",
                    is_reference ? "reference" : "pointer", name, type.getAsString(),
                    is_reference ? '&' : '*'),
        use.place->getExprLoc()};
  }

  /// What a statement does with one of its parts.
  /// @param use  what is done with the statement itself
  Use use_by(const clang::Stmt& around, const clang::Stmt& part, const Use& use) const {
    const auto* inner = llvm::dyn_cast<clang::Expr>(&part);
    const Use escapes{Use::Kind::escapes, inner}, changes{Use::Kind::changes, inner};
    const bool is_result = use.kind == Use::Kind::escapes;  // of a statement expression, perhaps
    if (llvm::isa<clang::StmtExpr>(around)) return escapes;
    if (llvm::isa<clang::CompoundStmt>(around)) return is_result ? escapes : Use();
    if (inner == nullptr ||
        llvm::isa<clang::IfStmt, clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchCase,
                  clang::LabelStmt, clang::CXXForRangeStmt, clang::UnaryExprOrTypeTraitExpr>(
            around))
      return {};
    if (const auto* group = llvm::dyn_cast<clang::DeclStmt>(&around)) {
      for (const auto* declaration : group->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
        if (variable != nullptr && variable->getInit() == inner)
          return given_to(variable, *inner, function_);
      }
      return escapes;
    }
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&around)) {
      const auto* callee = definition_of(*call);
      for (unsigned i = 0; callee != nullptr && i < callee->getNumParams(); ++i)
        if (i < call->getNumArgs() && call->getArg(i) == inner)
          return given_to(callee->getParamDecl(i), *inner, callee);
      return escapes;
    }
    if (llvm::isa<clang::ParenExpr>(around)) return use;
    if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&around))
      return list->getType()->isPointerType() ? use : escapes;
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(&around)) return use_by_cast(*cast, use);
    if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&around))
      return element->getBase() == inner ? use : escapes;
    if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(&around)) {
      const bool is_variable = is_pointer_variable(*inner);
      if (operation->isIncrementDecrementOp()) return is_variable ? use : changes;
      const auto code = operation->getOpcode();
      const bool goes_on = code == clang::UO_Deref || code == clang::UO_Plus ||
                           code == clang::UO_Extension ||
                           (code == clang::UO_AddrOf && !is_variable);
      return goes_on ? use : escapes;
    }
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&around))
      return use_by_operator(*operation, *inner, use);
    if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(&around))
      return choice->getCond() == inner ? Use() : use;
    return escapes;
  }

  Use use_by_cast(const clang::CastExpr& cast, const Use& use) const {
    const auto* inner = cast.getSubExpr();
    const Use escapes{Use::Kind::escapes, inner};
    const auto type = cast.getType();
    const auto is_const = [this](clang::QualType value) {
      return unit_.context.getBaseElementType(value).isConstQualified();
    };
    switch (cast.getCastKind()) {
      case clang::CK_ToVoid:
      case clang::CK_PointerToBoolean:
        return {};
      case clang::CK_LValueToRValue:
        return type->isPointerType() ? use : Use();
      case clang::CK_ArrayToPointerDecay:
        return use;
      case clang::CK_NoOp:
        if (is_pointer_variable(*inner)) return escapes;
        return is_const(type->isPointerType() ? type->getPointeeType() : type) ? Use() : use;
      case clang::CK_BitCast:
        return type->isPointerType() && is_const(type->getPointeeType()) ? Use() : escapes;
      default:
        return escapes;
    }
  }

  Use use_by_operator(const clang::BinaryOperator& operation, const clang::Expr& inner,
                      const Use& use) const {
    const bool is_left = operation.getLHS() == &inner;
    const Use escapes{Use::Kind::escapes, &inner};
    if (operation.getOpcode() == clang::BO_Comma) return is_left ? Use() : use;
    if (operation.isAssignmentOp() && is_left)
      return is_pointer_variable(inner) ? use : Use{Use::Kind::changes, &inner};
    if (!inner.getType()->isPointerType() || inner.isGLValue()) return escapes;
    if (operation.isAssignmentOp()) {
      const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(operation.getLHS()->IgnoreParens());
      return given_to(name != nullptr ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr,
                      inner, function_);
    }
    if (operation.isComparisonOp()) return {};
    if (!operation.isAdditiveOp()) return escapes;
    return operation.getType()->isPointerType() ? use : Use();
  }

  /// To none that can be followed, it escapes.
  static Use given_to(const clang::VarDecl* variable, const clang::Expr& inner,
                      const clang::FunctionDecl* function) {
    const bool fits = variable != nullptr && variable->hasLocalStorage() &&
                      !is_pointer_variable(inner) &&
                      (inner.isGLValue() ? variable->getType()->isReferenceType()
                                         : variable->getType()->isPointerType());
    return fits ? Use{Use::Kind::is_given, &inner, variable, function}
                : Use{Use::Kind::escapes, &inner};
  }

  const clang::FunctionDecl* definition_of(const clang::CallExpr& call) const {
    const auto* callee = call.getDirectCallee();
    if (callee == nullptr || unit_.is_standard(*callee)) return nullptr;
    if (llvm::isa<clang::CXXOperatorCallExpr>(call)) return nullptr;
    const auto* definition = callee->getDefinition();
    return definition != nullptr && definition->getBody() != nullptr ? definition : nullptr;
  }

  const Unit& unit_;
  const Closure& closure_;
  const clang::FunctionDecl* function_ = nullptr;  ///< being walked
  /// Variables of the program that a variable denotes or points into: itself, or those it holds.
  std::map<const clang::VarDecl*, std::set<const clang::VarDecl*>> held_;
  std::set<const clang::DeclRefExpr*> reached_;
  std::vector<const clang::FunctionDecl*> worklist_;
  VariableUse result_;
};

/// Replaces these variables in the source by non-const references to them.
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

std::string with_location(const Unit& unit, const Fault& fault, const jit::Diagnostic& kernel) {
  const jit::Diagnostic at = jit::note_at(unit.sources(), fault.location, "");
  if (at.line == 0 || at.line == kernel.line || unit.is_standard(fault.location))
    return fault.reason;
  if (at.file == kernel.file) return fmt::format("{} (line {})", fault.reason, at.line);
  return fmt::format("{} ({}:{})", fault.reason, at.file, at.line);
}

/// Compiles the source as the library will at run time: by itself, with the reduced standard
/// headers of the library, behind the declarations of constants. Cost: about 10 ms.
/// @return the first error; empty: it compiles
std::string compile_fault(const KernelSource& source) {
  jit::Machine machine;
  machine.info.triple = llvm::sys::getDefaultTargetTriple();
  machine.info.cpu = machine.info.triple.starts_with("x86_64") ? "x86-64" : "generic";
  jit::CompileUnit unit;
  unit.source = "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n";
  for (const auto& variable : source.variables)
    unit.source += fmt::format("extern const {};\n", variable.declaration);
  unit.source += source.code;
  llvm::LLVMContext context;
  const auto parsed = jit::parse_unit(machine, {}, unit, context);
  const auto* error = jit::first_error(parsed.notes.messages);
  return error != nullptr ? error->text : std::string();
}

void add_source(const Unit& unit, const std::vector<TopDeclaration>& declarations,
                EmbeddedKernel& kernel) {
  const auto refuse = [&](const Fault& fault) {
    kernel.reason = with_location(unit, fault, kernel.location);
    kernel.source.code.clear();
  };
  Closure closure = closure_of(unit, *kernel.function);
  if (closure.fault) return refuse(*closure.fault);
  const VariableUse use = Follower(unit, closure).run();
  if (use.change) return refuse(*use.change);
  kernel.source = source_of(unit, declarations, closure, *kernel.function);
  std::string fault = compile_fault(kernel.source);
  if (!fault.empty() && use.loss) return refuse(*use.loss);
  if (!fault.empty() && use.is_clear && !use.only_read.empty()) {  // variables are const there
    add_references(use.only_read, unit.context, closure);
    kernel.source = source_of(unit, declarations, closure, *kernel.function);
    fault = compile_fault(kernel.source);
  }
  if (fault.empty()) return;
  kernel.reason = fmt::format("its extracted source does not compile: {}", fault);
  kernel.source.code.clear();
}

/// Whether code appended to the unit can take the address: not private, no unnamed type.
bool can_be_named(const clang::FunctionDecl& function) {
  const std::string spelling = full_name(function) + pointer_type(function);
  const auto has = [&](const char* part) { return spelling.find(part) != std::string::npos; };
  return is_accessible(function) && !has("(lambda") && !has("(unnamed") && !has("(anonymous");
}

}  // namespace

const EmbeddedKernel* find(const std::vector<EmbeddedKernel>& kernels,
                           const clang::FunctionDecl* function) {
  const auto found = std::ranges::find_if(
      kernels, [&](const auto& kernel) { return kernel.function == function->getCanonicalDecl(); });
  return found != kernels.end() ? &*found : nullptr;
}

std::vector<EmbeddedKernel> embed_kernels(const Unit& unit, const Loops& loops,
                                          const AccessReport& access,
                                          const std::string& unsupported_flag) {
  std::vector<EmbeddedKernel> kernels;
  const auto declarations = top_declarations(unit);
  const auto add = [&](const clang::FunctionDecl* function) {
    if (find(kernels, function) != nullptr) return;
    const auto* shown = function->getDefinition() != nullptr ? function->getDefinition() : function;
    const auto facts = access.facts.find(function->getCanonicalDecl());
    EmbeddedKernel kernel{
        function->getCanonicalDecl(),
        jit::note_at(unit.sources(), shown->getLocation(), ""),
        {},
        {},
        facts == access.facts.end() ? "" : fmt::format("{}", fmt::join(facts->second, "\n")),
        can_be_named(*function)};
    if (unsupported_flag.empty()) {
      add_source(unit, declarations, kernel);
    } else {
      kernel.reason =
          fmt::format("is compiled with {}, which is not applied at run time", unsupported_flag);
    }
    kernels.push_back(std::move(kernel));
  };
  for (const Loop& loop : loops.loops) {
    if (loop.kernel != nullptr) add(loop.kernel);
  }
  for (const Loop& loop : loops.loops) {
    if (loop.kernel != nullptr || loop.is_lambda) continue;
    for (const auto* function : loops.addressed) {
      const auto type = unit.context.getPointerType(function->getType()).getCanonicalType();
      if (unit.context.hasSameType(type, loop.kernel_type)) add(function);
    }
  }
  return kernels;
}

std::string loop_reason(const Loop& loop, const std::vector<EmbeddedKernel>& kernels) {
  if (loop.is_lambda) return "is a lambda, which has no name; write a function";
  if (loop.kernel != nullptr) {
    const auto* kernel = find(kernels, loop.kernel);
    return kernel->can_be_named ? kernel->reason : "is private, local or of an unnamed type";
  }
  const auto fits = [&](const EmbeddedKernel& kernel) {
    const auto& context = kernel.function->getASTContext();
    return context.hasSameType(context.getPointerType(kernel.function->getType()),
                               loop.kernel_type);
  };
  return std::ranges::any_of(kernels, fits)
             ? std::string()
             : "is passed in a variable, and this unit has no function of its type";
}

}  // namespace op2::embed
