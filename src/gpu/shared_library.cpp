// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/shared_library.hpp>

#include <filesystem>
#include <utility>

#include <dlfcn.h>
#include <link.h>

namespace op2::gpu {
namespace {

std::string path_of(void* handle, const std::string& file) {
  link_map* entry = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &entry) != 0 || entry->l_name[0] == '\0') return file;
  return entry->l_name;
}

}  // namespace

SharedLibrary::SharedLibrary(void* handle, std::string path)
    : handle_(handle), path_(std::move(path)) {}

std::optional<SharedLibrary> SharedLibrary::open(const std::string& file, std::string& why) {
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    why = dlerror();
    return std::nullopt;
  }
  return SharedLibrary(handle, path_of(handle, file));
}

void* SharedLibrary::find(const char* name) {
  void* const address = dlsym(handle_, name);
  if (address == nullptr) missing_.append(" ").append(name);
  return address;
}

std::string file_or_in_folder(const std::string& path, const std::string& name) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return path;
  return (std::filesystem::path(path) / name).string();
}

}  // namespace op2::gpu
