// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/kernel_symbols.hpp>

#include <cctype>

#include <fmt/format.h>

namespace op2::jit {
namespace {

constexpr std::size_t longest_list = 100;

bool continues_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

}  // namespace

std::string cuda_symbol(const char* role, const LoopNest& nest) {
  std::string list;
  for (const KernelCall& call : nest.calls) {
    if (list.size() + 1 + call.name.size() > longest_list) break;
    list += "_" + call.name;
  }
  return role + list;
}

std::string gather_role(std::size_t k) {
  return fmt::format("op2_gather{}", k);
}

std::string ending_of(const std::string& symbol) {
  return symbol.substr(std::string_view(cuda_loop_role).size());
}

bool names_symbol(std::string_view image, std::string_view symbol, int times) {
  for (auto at = image.find(symbol); at != image.npos; at = image.find(symbol, at + 1)) {
    const std::size_t end = at + symbol.size();
    if ((end == image.size() || !continues_name(image[end])) && --times <= 0) return true;
  }
  return false;
}

bool is_library_symbol(const std::string& kernel) {
  return kernel.starts_with(cuda_loop_role);
}

}  // namespace op2::jit
