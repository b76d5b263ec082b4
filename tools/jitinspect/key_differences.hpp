// SPDX-License-Identifier: BSD-3-Clause
// In which fields two keys differ, and where in the fields.
#pragma once

#include <string>
#include <vector>

#include <jit/cache_entry.hpp>

namespace op2::jitinspect {

/// One field in which two keys differ: what is left of its items without the equal ones at the
/// beginning and at the end. Items are lines, features, or the statements of a text of one line.
struct Difference {
  std::string field;
  const char* unit = "line";  ///< what an item is
  std::size_t first = 1;      ///< number of the first item that differs, from 1
  std::vector<std::string> ours;
  std::vector<std::string> theirs;
};

std::vector<Difference> differences(const jit::KeyFields& ours, const jit::KeyFields& theirs);

}  // namespace op2::jitinspect
