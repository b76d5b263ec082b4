// SPDX-License-Identifier: BSD-3-Clause
#include <jit/progress.hpp>

#include <algorithm>

#include <fmt/core.h>

#include <core/text.hpp>

namespace op2::jit {

Progress::Progress(std::size_t kernels, core::Log& log)
    : shown_(log, [this, kernels](double) {
        return fmt::format("compiling {} of {}", std::min(finished_ + 1, kernels),
                           core::counted(kernels, "kernel"));
      }) {}

}  // namespace op2::jit
