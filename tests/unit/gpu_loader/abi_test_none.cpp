// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

TEST(Abi, NeedsTheHeadersOfCuda) {
  GTEST_SKIP()
      << "cuda.h and nvrtc.h of CUDA 12 or newer are not installed; set CUDA_HOME when CMake runs";
}
