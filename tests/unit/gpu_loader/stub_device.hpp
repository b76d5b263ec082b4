// SPDX-License-Identifier: BSD-3-Clause
// A device of the stub driver.
#pragma once

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gpu/device.hpp>

#include <support/cuda_stubs/stub_driver.hpp>

namespace op2::gpu {

inline const LibraryPaths stub_paths{.driver = OP2_STUB_FOLDER "/driver", .nvrtc = ""};

/// The stub as it is at the start of a program.
inline test::StubDriver& fresh_stub() {
  std::string why;
  auto& stub = test::stub_of(*SharedLibrary::open(stub_paths.driver + "/libcuda.so.1", why));
  return stub = {};
}

/// A device whose opening is not in the list of calls.
class StubDevice : public ::testing::Test {
 protected:
  StubDevice() { stub.calls.clear(); }
  test::StubDriver& stub = fresh_stub();
  std::unique_ptr<Device> device = Device::open(stub_paths, 0);
};

}  // namespace op2::gpu
