// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/driver_api.hpp>

#include <support/expect_error.hpp>

#include "stub_device.hpp"

namespace op2::gpu {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string failure_of(const std::string& path) {
  return test::error_text(ErrorCode::no_device, [&] { load_driver(path); });
}

TEST(LoadDriver, NamesTheFileThatIsNotThere) {
  EXPECT_THAT(failure_of("/nowhere/libcuda.so.1"),
              AllOf(StartsWith("OP2-E509 cannot load the NVIDIA driver: library libcuda.so.1; "),
                    HasSubstr("set OP2_CUDA_DRIVER"),
                    HasSubstr("Tried:\n  /nowhere/libcuda.so.1: cannot open")));
}

TEST(LoadDriver, LooksForItsFileInAFolder) {
  EXPECT_THAT(failure_of(OP2_STUB_FOLDER), HasSubstr(OP2_STUB_FOLDER "/libcuda.so.1: cannot open"));
}

TEST(LoadDriver, NamesAllPlacesOfASearch) {
  try {
    load_driver("");
    GTEST_SKIP() << "this machine has a driver";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("\n  libcuda.so.1: cannot open"),
                                    HasSubstr("\n  /usr/lib/wsl/lib/libcuda.so.1: cannot open"),
                                    HasSubstr("\n  /usr/local/nvidia/lib64/libcuda.so.1: cannot")));
  }
}

TEST(LoadDriver, NamesFunctionsThatAreMissing) {
  EXPECT_THAT(failure_of(OP2_STUB_FOLDER "/old_driver"),
              AllOf(StartsWith("OP2-E509 the NVIDIA driver lacks functions: library "),
                    HasSubstr("old_driver/libcuda.so.1, cuGetErrorName cuDeviceGetCount "),
                    HasSubstr(" cuGraphAddKernelNode_v2 "), HasSubstr("; install a driver")));
}

TEST(LoadDriver, FindsAllFunctionsOfADriver) {
  EXPECT_EQ(load_driver(stub_paths.driver)->library.missing(), "");
}

}  // namespace
}  // namespace op2::gpu
