// SPDX-License-Identifier: BSD-3-Clause
#include <jit/cache_resources.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace op2::jit {
namespace {

/// The number in front of `words`; 0 if the line does not have them.
int number_before(std::string_view line, std::string_view words) {
  const std::size_t end = line.find(words);
  if (end == line.npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) --begin;
  return std::atoi(std::string(line.substr(begin, end - begin)).c_str());
}

void take(KernelResources& kernel, std::string_view line) {
  kernel.registers += number_before(line, " registers");
  kernel.shared_bytes += number_before(line, " bytes smem");
  kernel.stack_bytes += number_before(line, " bytes stack frame");
  kernel.spill_store_bytes += number_before(line, " bytes spill stores");
  kernel.spill_load_bytes += number_before(line, " bytes spill loads");
}

}  // namespace

std::vector<KernelResources> resources_in(std::string_view assembly) {
  constexpr std::string_view beginning = "Compiling entry function '";
  std::vector<KernelResources> kernels;
  while (!assembly.empty()) {
    const std::string_view line = assembly.substr(0, assembly.find('\n'));
    assembly.remove_prefix(std::min(line.size() + 1, assembly.size()));
    if (!line.starts_with("// ")) continue;
    if (const auto at = line.find(beginning); at != line.npos) {
      const std::string_view name = line.substr(at + beginning.size());
      kernels.emplace_back().kernel = name.substr(0, name.find('\''));
    } else if (!kernels.empty()) {
      take(kernels.back(), line);
    }
  }
  return kernels;
}

}  // namespace op2::jit
