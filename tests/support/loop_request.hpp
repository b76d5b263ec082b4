// SPDX-License-Identifier: BSD-3-Clause
// A request for the code of one loop.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <jit/jit.hpp>
#include <support/loop_shapes.hpp>

namespace op2::test {

/// @param kernel  must outlive the request
inline jit::LoopRequest loop_request(const op_kernel_core& kernel, std::vector<jit::ArgShape> args,
                                     std::span<const jit::Constant> declared,
                                     const char* call_site = "main.cpp:7") {
  return {jit::nest_of(jit::call_of(kernel, declared), std::move(args)),
          {{.loop = "loop", .call_site = call_site, .kernel = &kernel}}};
}

}  // namespace op2::test
