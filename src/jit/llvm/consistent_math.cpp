// SPDX-License-Identifier: BSD-3-Clause
#include <jit/llvm/consistent_math.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <jit/consistent_names.hpp>

namespace op2::jit {

void* loaded_consistent_library() {
  static void* const library = dlopen(consistent_library, RTLD_NOW | RTLD_LOCAL);  // stays
  return library;
}

void* consistent_function(const std::string& symbol) {
  void* library = loaded_consistent_library();
  return library == nullptr ? nullptr : dlsym(library, symbol.c_str());
}

std::string missing_consistent_function(const std::string& symbol) {
  const void* library = dlopen(consistent_library, RTLD_NOW | RTLD_LOCAL);
  const char* reason = library == nullptr ? dlerror() : "its version does not have the function";
  return fmt::format(
      "it calls '{}', which has the same bits on all processors (OP2_REPRODUCIBLE=on) only in {}: "
      "{}; install SLEEF 3.5 or newer (Debian: libsleef3)",
      plain_name(symbol), consistent_library, reason);
}

}  // namespace op2::jit
