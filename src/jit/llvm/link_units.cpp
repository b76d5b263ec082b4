// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/link_units.hpp>

#include <string>
#include <utility>

#include <llvm/Linker/Linker.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include <jit/backend.hpp>

namespace op2::jit {

std::unique_ptr<llvm::Module> linked(std::vector<std::unique_ptr<llvm::Module>> modules) {
  std::unique_ptr<llvm::Module> loop = std::move(modules.back());
  modules.pop_back();
  for (std::size_t n = 0; n < modules.size(); ++n) {
    auto& kernel = modules[n];
    llvm::internalizeModule(
        *kernel, [](const llvm::GlobalValue& value) { return value.getName() == call_name; });
    if (auto* call = kernel->getFunction(call_name)) call->setName(call_name + std::to_string(n));
    if (llvm::Linker::linkModules(*loop, std::move(kernel))) return nullptr;
  }
  return loop;
}

}  // namespace op2::jit
