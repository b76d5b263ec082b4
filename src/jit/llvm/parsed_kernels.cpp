// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/parsed_kernels.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/raw_ostream.h>

namespace op2::jit {

ParsedUnit ParsedKernels::get(const Key& key, llvm::LLVMContext& context,
                              const std::function<ParsedUnit()>& parse) {
  if (const auto known = find_or_keep(key, nullptr)) return copy_of(*known, context);
  ParsedUnit parsed = parse();
  if (parsed.module == nullptr) return parsed;
  auto kernel = std::make_shared<Kernel>(Kernel{key, std::move(parsed.notes), {}});
  llvm::raw_string_ostream stream(kernel->bitcode);
  llvm::WriteBitcodeToFile(*parsed.module, stream);
  stream.flush();
  // Also the first to ask gets a copy, so that all loops get the same code.
  return copy_of(*find_or_keep(key, std::move(kernel)), context);
}

std::shared_ptr<const ParsedKernels::Kernel> ParsedKernels::find_or_keep(
    const Key& key, std::shared_ptr<const Kernel> parsed) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find_if(kernels_, [&](const auto& kernel) { return kernel->key == key; });
  if (found != kernels_.end()) return *found;
  if (parsed != nullptr) kernels_.push_back(parsed);
  return parsed;
}

ParsedUnit ParsedKernels::copy_of(const Kernel& kernel, llvm::LLVMContext& context) {
  ParsedUnit copy{kernel.notes, {}, nullptr};
  auto module = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(kernel.bitcode, kernel.key.unit.kernel), context);
  if (module)
    copy.module = std::move(*module);
  else
    copy.notes.messages.push_back(error_at({}, llvm::toString(module.takeError())));
  return copy;
}

}  // namespace op2::jit
