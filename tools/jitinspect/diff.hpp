// SPDX-License-Identifier: BSD-3-Clause
// In which fields two keys differ, and where in the fields.
#pragma once

#include <string>
#include <vector>

#include <jit/cache_entry.hpp>

namespace op2::jitinspect {

/// One field in which two keys differ: what is left of its lines without the equal ones at the
/// beginning and at the end.
struct Difference {
  std::string field;
  std::size_t line = 1;  ///< of the first line that differs, from 1
  std::vector<std::string> ours;
  std::vector<std::string> theirs;
};

/// Fields that are lists ("features") are compared item by item, all others line by line.
std::vector<Difference> differences(const jit::KeyFields& ours, const jit::KeyFields& theirs);

}  // namespace op2::jitinspect
