// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of a GPU's code need, as NVIDIA's assembler has reported it in comments behind
// the assembly of a cache entry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace op2::jit {

/// Of one kernel that is launched.
struct KernelResources {
  std::string kernel;
  int registers = 0;    ///< of a thread
  int stack_bytes = 0;  ///< of a thread, in local memory
  int spill_store_bytes = 0,
      spill_load_bytes = 0;  ///< of a thread: registers moved to local memory
  int shared_bytes = 0;      ///< of a block
  bool operator==(const KernelResources&) const = default;
};

/// Empty for the assembly of a CPU.
std::vector<KernelResources> resources_in(std::string_view assembly);

}  // namespace op2::jit
