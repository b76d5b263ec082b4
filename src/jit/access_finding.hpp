// SPDX-License-Identifier: BSD-3-Clause
// A way in which the source of a kernel breaks the access mode of an argument. Plain data: made by
// the plug-in, kept with the code.
#pragma once

#include <cstdint>
#include <string>

namespace op2::jit {

/// Whether values of others are accessed: `possible` on some path, `certain` whatever the data.
enum class Beyond : std::int32_t { none = 0, possible = 1, certain = 2 };

struct AccessFinding {
  std::int32_t call = 0;         ///< of the nest
  std::int32_t argument = 0;     ///< from 0, as in the call of the loop
  std::int32_t is_omission = 0;  ///< 1: not an error if the argument may be off
  Beyond beyond = Beyond::none;  ///< certain: always an error
  std::string what{};            ///< after "kernel 'flux' ", e.g. "writes it"
  std::string advice{};          ///< what to do
  std::string file{};            ///< as in Diagnostic
  std::int32_t line = 0;
  std::int32_t column = 0;
  std::string source_line{};
  bool operator==(const AccessFinding&) const = default;
};

}  // namespace op2::jit
