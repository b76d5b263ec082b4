// SPDX-License-Identifier: BSD-3-Clause
// Data for files: named rows of values, without sets or handles.
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace op2::comm
