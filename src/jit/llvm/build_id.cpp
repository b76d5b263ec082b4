// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/build_id.hpp>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Object/BuildID.h>
#include <llvm/Object/ObjectFile.h>

namespace op2::jit {

std::string build_id_of(const char* path) {
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (file) return llvm::toHex(llvm::object::getBuildID(file->getBinary()), true);
  llvm::consumeError(file.takeError());
  return {};
}

}  // namespace op2::jit
