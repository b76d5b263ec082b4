// SPDX-License-Identifier: BSD-3-Clause
#include <compat/embedded.hpp>

#include <mutex>

namespace op2 {
namespace {

/// Tables of the units that are loaded.
struct Registry {
  std::mutex mutex;
  std::vector<std::span<const embedded::Kernel>> tables;
};

/// Translation units register before main and unregister after it, in any order; so the registry is
/// made by the first one and never destroyed.
Registry& registry() {
  static auto* const only = new Registry;
  return *only;
}

}  // namespace

namespace embedded {

Registration::Registration(const Kernel* kernels, int count) noexcept
    : kernels_(kernels), count_(count) {
  const std::lock_guard lock(registry().mutex);
  registry().tables.emplace_back(kernels, static_cast<std::size_t>(count));
}

Registration::~Registration() {
  const std::lock_guard lock(registry().mutex);
  const std::span mine(kernels_, static_cast<std::size_t>(count_));
  std::erase_if(registry().tables, [&](std::span<const Kernel> table) {
    return table.data() == mine.data() && table.size() == mine.size();
  });
}

}  // namespace embedded

std::vector<std::span<const embedded::Kernel>> compat::embedded_tables() {
  const std::lock_guard lock(registry().mutex);
  return registry().tables;
}

const embedded::Kernel* compat::embedded_kernel(void (*function)()) {
  const std::lock_guard lock(registry().mutex);
  const embedded::Kernel* without_source = nullptr;
  for (const std::span<const embedded::Kernel> table : registry().tables)
    for (const embedded::Kernel& kernel : table) {
      if (kernel.function != function) continue;
      if (kernel.source != nullptr) return &kernel;
      without_source = &kernel;
    }
  return without_source;
}

}  // namespace op2
