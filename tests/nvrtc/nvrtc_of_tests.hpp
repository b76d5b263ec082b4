// SPDX-License-Identifier: BSD-3-Clause
// The NVRTC that tests use.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <gpu/nvrtc.hpp>
#include <jit/target/cuda/cuda_target.hpp>

namespace op2::test {

/// OP2_TEST_NVRTC, or what was installed for the tests: in TEST_NVRTC_FOLDER, if it is set.
inline std::string nvrtc_of_tests() {
  for (const char* name : {"OP2_TEST_NVRTC", "TEST_NVRTC_FOLDER"})
    if (const char* given = std::getenv(name); given != nullptr && *given != '\0') return given;
  return OP2_NVRTC_FOLDER;
}

/// Tests with it are skipped only if OP2_TEST_NVRTC says so.
class WithNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    if (nvrtc_of_tests() == "off") GTEST_SKIP() << "SKIPPED: OP2_TEST_NVRTC=off";
    nvrtc = gpu::load_nvrtc({.driver = {}, .nvrtc = nvrtc_of_tests()}, 0);
  }

  /// @param architecture  "sm_90"; code for it is compiled, not loaded
  std::shared_ptr<jit::Target> target_for(const std::string& architecture,
                                          bool contract = true) const {
    jit::JitOptions options;
    options.cpu = architecture;
    options.contract = contract;
    options.increments = core::Increments::rows;
    return jit::make_cuda_target(nullptr, nvrtc, options);
  }

  std::shared_ptr<const gpu::Nvrtc> nvrtc;
};

}  // namespace op2::test
