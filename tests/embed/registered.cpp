// SPDX-License-Identifier: BSD-3-Clause
#include "registered.hpp"

#include <algorithm>
#include <string_view>

namespace op2 {

std::vector<test::Table>& test::tables() {
  static std::vector<Table> tables;
  return tables;
}

std::vector<embedded::Kernel> test::kernels_of(const char* file) {
  std::vector<embedded::Kernel> found;
  for (const Table& table : tables()) {
    for (int i = 0; i < table.count; ++i) {
      if (std::string_view(table.kernels[i].file).ends_with(file))
        found.push_back(table.kernels[i]);
    }
  }
  return found;
}

namespace embedded {

Registration::Registration(const Kernel* kernels, int count) noexcept
    : kernels_(kernels), count_(count) {
  test::tables().push_back({kernels, count});
}

Registration::~Registration() {
  auto& tables = test::tables();
  std::erase_if(tables, [this](const auto& table) {
    return table.kernels == kernels_ && table.count == count_;
  });
}

}  // namespace embedded
}  // namespace op2
