// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/build_id.hpp>

#include <filesystem>
#include <system_error>

#include <dlfcn.h>
#include <link.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Object/BuildID.h>
#include <llvm/Object/ObjectFile.h>

#include <jit/llvm/consistent_math.hpp>

namespace op2::jit {
namespace {

/// Empty if the file has none or cannot be read.
std::string build_id_of(const std::string& path) {
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  if (file) return llvm::toHex(llvm::object::getBuildID(file->getBinary()), true);
  llvm::consumeError(file.takeError());
  return {};
}

/// The file of a loaded library; empty if there is none.
std::string file_of(void* library) {
  link_map* place = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &place) != 0) return {};
  return place->l_name;
}

}  // namespace

std::string build_id_of_llvm() {
  std::string id = build_id_of(OP2_LLVM_LIBRARY);
  if (id.empty()) id = build_id_of(file_of(dlopen(OP2_LLVM_NAME, RTLD_LAZY | RTLD_LOCAL)));
  return id.empty() ? "unknown" : id;
}

std::string build_of_consistent_library() {
  const std::string file = file_of(loaded_consistent_library());
  if (file.empty()) return {};
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(file, ignored);
  const std::string id = build_id_of(file);
  return id.empty() ? real.string() : real.filename().string() + " " + id;
}

}  // namespace op2::jit
