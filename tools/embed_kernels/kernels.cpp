// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/TargetParser/Host.h>

#include <jit/llvm/clang_messages.hpp>
#include <jit/llvm/parse_unit.hpp>

#include "access_check.hpp"
#include "spelling.hpp"
#include "variable_use.hpp"

namespace op2::embed {
namespace {

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
  const VariableUse use = use_of_variables(unit, closure);
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

const clang::FunctionDecl* identity(const clang::FunctionDecl* function) {
  return function->getCanonicalDecl();
}

}  // namespace

const EmbeddedKernel* find(const std::vector<EmbeddedKernel>& kernels,
                           const clang::FunctionDecl* function) {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const auto& kernel) {
    return kernel.function == identity(function);
  });
  return found != kernels.end() ? &*found : nullptr;
}

std::vector<EmbeddedKernel> embed_kernels(const Unit& unit, const Loops& loops,
                                          const std::string& unsupported_flag) {
  std::vector<EmbeddedKernel> kernels;
  const auto declarations = top_declarations(unit);
  const auto add = [&](const clang::FunctionDecl* function) {
    if (find(kernels, function) != nullptr) return;
    const auto* shown = function->getDefinition() != nullptr ? function->getDefinition() : function;
    EmbeddedKernel kernel{identity(function),
                          jit::note_at(unit.sources(), shown->getLocation(), ""),
                          {},
                          {},
                          facts_of(unit, loops, *function),
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
  return std::any_of(kernels.begin(), kernels.end(), fits)
             ? std::string()
             : "is passed in a variable, and this unit has no function of its type";
}

}  // namespace op2::embed
