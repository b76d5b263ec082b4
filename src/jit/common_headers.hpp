// SPDX-License-Identifier: BSD-3-Clause
// Those stand-ins for headers of the standard library that are the same for all compilers.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <jit/kernel_library/kernel_headers.hpp>
#include <jit/loop_nest.hpp>
#include <jit/math_names.hpp>

namespace op2::jit {

/// The standard headers that kernels can include, under their C++ names.
inline constexpr std::array offered_headers{
    "algorithm",  "array",   "cassert", "cfloat",  "climits", "cmath",
    "complex",    "cstddef", "cstdint", "cstdio",  "cstdlib", "cstring",
    "functional", "limits",  "numbers", "numeric", "utility"};

/// Adds those of a folder of the kernel library.
inline void add_headers(std::vector<IncludedFile>& headers, std::string_view folder) {
  for (const KernelHeader& header : kernel_headers())
    if (header.folder == folder) headers.push_back({header.name, header.text});
}

/// They include <stddef.h>, <math.h> and <initializer_list>, which each compiler has its own of.
/// <op2_library> is what OP_KERNEL puts before its source, since that cannot include any of them.
inline std::vector<IncludedFile> common_headers() {
  std::vector<IncludedFile> headers{{"op2_library", ""}};
  for (const char* name : offered_headers) headers[0].text += fmt::format("#include <{}>\n", name);
  for (const char* name :
       {"assert", "float", "limits", "math", "stddef", "stdint", "stdio", "stdlib", "string"})
    headers.push_back({fmt::format("c{}", name), fmt::format("#include <{}.h>\n", name)});
  add_headers(headers, "common");
  return headers;
}

/// The beginning of <math.h>: functions of one and of two arguments, also in std.
/// @param unary, binary  declarations, in which {0} is the function and {1} its scope: nothing
inline std::string functions_of_one_and_two(const char* unary, const char* binary) {
  std::string text = "#pragma once\n#include <op2_traits>\n#include <stdlib.h>\n";
  std::string names;
  const auto add = [&](const char* form, const char* name) {
    text += fmt::format(fmt::runtime(form), name, "");
    names += fmt::format("using ::{0}; using ::{0}f;\n", name);
  };
  for (const char* name : unary_functions) add(unary, name);
  for (const char* name : binary_functions) add(binary, name);
  return text + "namespace std {\n" + names + "}\n";
}

}  // namespace op2::jit
