// SPDX-License-Identifier: BSD-3-Clause
// The emulated driver that OP2_CUDA_DRIVER names, from inside the program that it serves.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace op2::test {

/// A function that the emulator exports (tests/support/gpu/README.md).
template <class F>
F* of_emulator(const char* name) {
  void* library = dlopen(std::getenv("OP2_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<F*>(dlsym(library, name));
}

/// New devices, which read the environment again.
inline void reset_emulator() {
  of_emulator<void()>("op2_emu_reset")();
}

/// Calls of a function since then; of all functions if the name is empty.
inline long long emulated_calls(const char* function) {
  return of_emulator<long long(const char*)>("op2_emu_calls")(function);
}

/// Bytes that were copied between the host and the device since then.
inline long long emulated_copied_bytes() {
  return of_emulator<long long()>("op2_emu_copied_bytes")();
}

/// The functions that were called since this was called last, in their order. The first call
/// begins.
inline std::vector<std::string> emulated_history() {
  std::istringstream text(of_emulator<const char*()>("op2_emu_history")());
  return {std::istream_iterator<std::string>(text), {}};
}

/// What the program has done wrong since then.
inline std::string emulated_findings() {
  return of_emulator<const char*()>("op2_emu_findings")();
}

/// The function whose call was made to fail since then, or an empty text.
inline std::string failed_call() {
  return of_emulator<const char*()>("op2_emu_failed")();
}

}  // namespace op2::test
