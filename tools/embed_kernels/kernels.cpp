// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "constants.hpp"
#include "names.hpp"
#include "text_check.hpp"
#include "variable_use.hpp"

namespace op2::embed {
namespace {

std::string with_place(const Unit& unit, const Fault& fault, const Place& kernel) {
  const Place place = place_of(unit.sources(), fault.location);
  if (place.line == 0 || place.line == kernel.line || unit.is_standard(fault.location))
    return fault.reason;
  if (place.file == kernel.file) return fmt::format("{} (line {})", fault.reason, place.line);
  return fmt::format("{} ({}:{})", fault.reason, place.file, place.line);
}

void add_text(const Unit& unit, const std::vector<TopDeclaration>& declarations,
              EmbeddedKernel& kernel) {
  const auto refuse = [&](const Fault& fault) {
    kernel.reason = with_place(unit, fault, kernel.place);
    kernel.text.text.clear();
  };
  Closure closure = closure_of(unit, *kernel.function);
  if (closure.fault) return refuse(*closure.fault);
  const VariableUse use = use_of_variables(unit, closure);
  if (use.change) return refuse(*use.change);
  kernel.text = text_of(unit, declarations, closure, *kernel.function);
  std::string fault = compile_fault(kernel.text);
  if (!fault.empty() && use.loss) return refuse(*use.loss);
  if (!fault.empty() && use.is_clear && !use.only_read.empty()) {  // as variables are const there
    add_references(use.only_read, unit.context, closure);
    kernel.text = text_of(unit, declarations, closure, *kernel.function);
    fault = compile_fault(kernel.text);
  }
  if (fault.empty()) return;
  kernel.reason = fmt::format("its text does not compile alone: {}", fault);
  kernel.text.text.clear();
}

/// Whether code behind the unit can take the address: neither private, nor of a type without a
/// name.
bool can_be_named(const clang::FunctionDecl& function) {
  const std::string words = full_name(function) + pointer_type(function);
  const auto has = [&](const char* part) { return words.find(part) != std::string::npos; };
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
                                          const std::string& flag_beyond_texts) {
  std::vector<EmbeddedKernel> kernels;
  const auto declarations = top_declarations(unit);
  const auto add = [&](const clang::FunctionDecl* function) {
    if (find(kernels, function) != nullptr) return;
    const auto* shown = function->getDefinition() != nullptr ? function->getDefinition() : function;
    EmbeddedKernel kernel{identity(function),
                          place_of(unit.sources(), shown->getLocation()),
                          {},
                          {},
                          can_be_named(*function)};
    if (flag_beyond_texts.empty()) {
      add_text(unit, declarations, kernel);
    } else {
      kernel.reason = fmt::format("is compiled with {}, texts are not", flag_beyond_texts);
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
    return kernel->can_be_named ? kernel->reason : "is private, local or of a type without a name";
  }
  const auto fits = [&](const EmbeddedKernel& kernel) {
    const auto& context = kernel.function->getASTContext();
    return context.hasSameType(context.getPointerType(kernel.function->getType()),
                               loop.kernel_type);
  };
  return std::any_of(kernels.begin(), kernels.end(), fits)
             ? std::string()
             : "is in a variable, and this unit has no function of its type";
}

}  // namespace op2::embed
