// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/target.hpp>

namespace op2::jit {

std::string joined(const std::vector<std::string>& units) {
  std::string all;
  for (const std::string& unit : units) all += (all.empty() ? "" : "\n") + unit;
  return all;
}

CompileResult Target::read_kernels(const LoopRequest&) {
  CompileResult result;
  result.status = CompileStatus::unavailable;
  return result;
}

}  // namespace op2::jit
