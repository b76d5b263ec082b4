// SPDX-License-Identifier: BSD-3-Clause
// The machine to generate code for, as the two halves of the plug-in describe it to each other.
#pragma once

#include <string>

#include <jit/backend.hpp>

namespace op2::jit {

struct Machine {
  TargetInfo info;
  std::string features;  ///< every feature that is known, present or not: "+avx2,-amx-tile,..."
};

}  // namespace op2::jit
