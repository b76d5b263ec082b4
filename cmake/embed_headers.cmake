# SPDX-License-Identifier: BSD-3-Clause
# cmake -DUNIT=unit.cpp -DHEADERS=folder/name.hpp;... -P embed_headers.cmake
# Writes a C++ unit that contains the headers for kernels as text (src/jit/kernel_library/kernel_headers.hpp).
# Kernels include them without ".hpp".
set(rows "")
foreach(header IN LISTS HEADERS)
  file(READ "${header}" text)
  get_filename_component(folder "${header}" DIRECTORY)
  get_filename_component(name "${header}" NAME)
  string(REGEX REPLACE "[.]hpp$" "" name "${name}")
  string(APPEND rows "    {\"${folder}\", \"${name}\", R\"op2_text(${text})op2_text\"},\n")
endforeach()
file(WRITE "${UNIT}" "// Written by embed_headers.cmake.
#include <jit/kernel_library/kernel_headers.hpp>

namespace op2::jit {

std::span<const KernelHeader> kernel_headers() {
  static constexpr KernelHeader headers[] = {
${rows}  };
  return headers;
}

}  // namespace op2::jit
")
