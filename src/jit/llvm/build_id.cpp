// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/build_id.hpp>

#include <dlfcn.h>
#include <link.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Object/BuildID.h>
#include <llvm/Object/ObjectFile.h>

namespace op2::jit {
namespace {

/// Empty if the file has none or cannot be read.
std::string build_id_of(const char* path) {
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (file) return llvm::toHex(llvm::object::getBuildID(file->getBinary()), true);
  llvm::consumeError(file.takeError());
  return {};
}

/// Where the dynamic linker finds LLVM; empty if it does not.
std::string found_file() {
  void* library = dlopen(OP2_LLVM_NAME, RTLD_LAZY | RTLD_LOCAL);
  link_map* place = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &place) != 0) return {};
  return place->l_name;
}

}  // namespace

std::string build_id_of_llvm() {
  std::string id = build_id_of(OP2_LLVM_LIBRARY);
  if (id.empty()) id = build_id_of(found_file().c_str());
  return id.empty() ? "unknown" : id;
}

}  // namespace op2::jit
