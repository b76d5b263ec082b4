// SPDX-License-Identifier: BSD-3-Clause
// What the tool of tests/api/counting_tool.cpp was told by the last session.
#pragma once

#include <dlfcn.h>

#include <sstream>
#include <string>
#include <vector>

namespace op2::test {

/// Without plans and code.
/// @param tool  its file, which OP2_TOOLS named
inline std::vector<std::string> told(const char* tool) {
  void* const library = dlopen(tool, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return {"not loaded"};
  std::istringstream text(reinterpret_cast<const char* (*)()>(dlsym(library, "told"))());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
    if (!line.ends_with("plans") && !line.ends_with("code")) lines.push_back(line);
  return lines;
}

}  // namespace op2::test
