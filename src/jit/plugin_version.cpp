// SPDX-License-Identifier: BSD-3-Clause
#include <jit/backend.hpp>

#include <dlfcn.h>

#include <op2/version.hpp>

namespace op2::jit {

const char* plugin_version() {
  return "libop2 " OP2_VERSION_STRING " interface 21";  // a number for each state of backend.hpp
}

void* find_in_plugin(void* library, const char* name, std::string& reason) {
  const auto version = reinterpret_cast<VersionFunction>(dlsym(library, "op2_jit_version"));
  if (version == nullptr || std::string(version()) != plugin_version()) {
    reason = std::string("it is of ") + (version == nullptr ? "no known version" : version()) +
             ", not of " + plugin_version();
    return nullptr;
  }
  void* const function = dlsym(library, name);
  if (function == nullptr) reason = std::string("it has no function ") + name;
  return function;
}

}  // namespace op2::jit
