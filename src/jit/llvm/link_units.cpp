// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/link_units.hpp>

#include <utility>

#include <llvm/Linker/Linker.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include <jit/backend.hpp>

namespace op2::jit {

std::unique_ptr<llvm::Module> linked(std::vector<std::unique_ptr<llvm::Module>> modules) {
  std::unique_ptr<llvm::Module> loop = std::move(modules.back());
  modules.pop_back();
  for (auto& kernel : modules) {
    llvm::internalizeModule(*kernel, [](const llvm::GlobalValue& value) {
      return value.getName().starts_with(call_prefix);
    });
    if (llvm::Linker::linkModules(*loop, std::move(kernel))) return nullptr;
  }
  return loop;
}

}  // namespace op2::jit
