// SPDX-License-Identifier: BSD-3-Clause
#include "registered.hpp"

#include <span>
#include <string_view>

#include <compat/embedded.hpp>

namespace op2 {

std::vector<embedded::Kernel> test::kernels_of(const char* file) {
  std::vector<embedded::Kernel> found;
  for (const std::span<const embedded::Kernel> table : compat::embedded_tables())
    for (const embedded::Kernel& kernel : table)
      if (std::string_view(kernel.file).ends_with(file)) found.push_back(kernel);
  return found;
}

}  // namespace op2
