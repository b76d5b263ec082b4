// SPDX-License-Identifier: BSD-3-Clause
#include <api/version.hpp>

#include <fmt/format.h>

#include <op2/version.hpp>

namespace op2::api {

std::string version_text() {
  return fmt::format(
      "libop2 {} (interface {}), compiled by {}\n"
      "{}"
      "  at run time: NVIDIA's driver and NVRTC for OP2_TARGET=cuda, libsleef for "
      "OP2_REPRODUCIBLE=on, where they are found\n",
      OP2_VERSION_STRING, OP2_INTERFACE, OP2_COMPILER, OP2_BUILT_IN);
}

}  // namespace op2::api

const char* op2_version() {
  return OP2_VERSION_STRING;
}
