// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/scalar_reasons.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <jit/consistent_names.hpp>
#include <jit/llvm/simd_gain.hpp>
#include <jit/math_names.hpp>

namespace op2::jit {
namespace {

/// What the optimiser, or a sanitizer, has put there itself.
bool is_made_by_passes(llvm::StringRef name) {
  return name.starts_with("mem") || name.starts_with("__asan_") || name.starts_with("__tsan_");
}

/// The name of a function in C++, with its scope but without parameters.
std::string shown_name(const std::string& symbol) {
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(symbol.c_str()) || !demangler.isFunction()) return symbol;
  const std::unique_ptr<char, decltype(&std::free)> name(
      demangler.getFunctionName(nullptr, nullptr), &std::free);
  return name.get();
}

/// Whether it is a kernel, or generated code around one.
bool is_kernel_itself(const std::string& symbol, const CompileRequest& request) {
  return symbol.find("op2_") != std::string::npos ||
         std::ranges::any_of(request.units, [&](const CompileUnit& unit) {
           return !unit.kernel.empty() && shown_name(symbol) == unit.kernel;
         });
}

bool may_be_vectorised(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  return function.isIntrinsic() || is_mathematical(name) || is_vector_mathematics(name) ||
         is_consistent_mathematics(name) || is_made_by_passes(name);
}

}  // namespace

SimdChoice calls_in(const llvm::Module& module, const CompileRequest& request) {
  std::set<std::string> names;
  bool is_outlined = false;
  if (const auto* blocks = module.getFunction(request.blocks))
    for (const auto& instruction : llvm::instructions(*blocks)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const auto* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee == nullptr || may_be_vectorised(*callee)) continue;
      const std::string symbol = callee->getName().str();
      if (is_kernel_itself(symbol, request))
        is_outlined = true;
      else
        names.insert(shown_name(symbol));
    }
  if (!names.empty())
    return {.reason = ScalarReason::calls, .detail = fmt::format("{}", fmt::join(names, ", "))};
  return {.reason = is_outlined ? ScalarReason::not_inlined : ScalarReason::none};
}

SimdChoice loss_in(llvm::Module& module, const std::string& function) {
  llvm::Function* blocks = module.getFunction(function);
  if (blocks == nullptr) return {};
  const SimdGain gain = simd_gain(*blocks);
  if (gain.saved >= gain.moved) return {};
  return {.reason = ScalarReason::not_profitable,
          .amount = std::llround(gain.moved),
          .limit = std::llround(gain.saved)};
}

}  // namespace op2::jit
