// SPDX-License-Identifier: BSD-3-Clause
// A library with the driver's functions, for tests of those who call them: devices of plain memory
// that execute at the call, calls that are written down, and failures that the test plans.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <gpu/driver_api.hpp>

namespace op2::test {

/// The state of the stub, one in a process.
struct StubDriver {
  int version = 13000, devices = 2;
  std::map<std::string, int> results;  ///< of functions that fail: cuX -> number of the error
  int failing_call = 0;                ///< the position of a call that fails, from 1 on; 0: none
  int failing_result = 0;              ///< what that one returns
  std::vector<std::string> calls;      ///< "cuInit", "cuStreamCreate 1"; not those for messages
  gpu::ContextHandle current = nullptr;

  /// Whether some call begins with these words.
  bool was_called(const std::string& words) const {
    for (const std::string& call : calls)
      if (call.starts_with(words)) return true;
    return false;
  }
};

/// The state of a stub that was loaded.
inline StubDriver& stub_of(gpu::SharedLibrary library) {
  return *reinterpret_cast<StubDriver* (*)()>(library.find("op2_stub_driver"))();
}

}  // namespace op2::test
