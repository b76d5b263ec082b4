// SPDX-License-Identifier: BSD-3-Clause
// One dat as a separate file. Local; throws op2::Error io_failure.
#pragma once

#include <string>

#include <comm/files/field.hpp>

namespace op2::comm {

/// A line "count dim", then a line per row. Floating-point values have enough digits to be read
/// back without loss; bool is 0 or 1.
void write_text_file(const std::string& path, const Field& field);

/// int count, int dim, then the values as in memory.
/// @throws op2::Error too_large if an int cannot count the rows
void write_binary_file(const std::string& path, const Field& field);

}  // namespace op2::comm
