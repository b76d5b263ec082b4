// SPDX-License-Identifier: BSD-3-Clause
// Data for files: named rows of values, without sets or handles; one dat as a separate file. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <core/value_type.hpp>
#include <op2/types.hpp>

namespace op2::comm {

/// A view of rows in their original order; owns nothing.
struct Field {
  std::string_view name;
  Type type;
  int dim;             ///< values per row
  std::int64_t count;  ///< rows
  const void* values;  ///< shape [count x dim], packed

  std::size_t bytes() const { return count * core::size_of(type, dim); }
};

/// A line "count dim", then a line per row. Floating-point values have enough digits to be read
/// back without loss; bool is 0 or 1.
void write_text_file(const std::string& path, const Field& field);

/// int count, int dim, then the values as in memory.
/// @throws op2::Error too_large if an int cannot count the rows
void write_binary_file(const std::string& path, const Field& field);

}  // namespace op2::comm
