// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/target.hpp>

namespace op2::jit {

std::string joined(const std::vector<std::string>& units) {
  std::string all;
  for (const std::string& unit : units) all += (all.empty() ? "" : "\n") + unit;
  return all;
}

std::vector<ParameterFacts> Target::prove(const LoopRequest&) {
  return {};
}

std::vector<AccessFinding> Target::compare_access(const LoopRequest&) {
  return {};
}

}  // namespace op2::jit
