// SPDX-License-Identifier: BSD-3-Clause
// The wrapper: a unit that is compiled instead of the program's unit. It includes that unit and
// defines a table of its kernels.
#pragma once

#include <string>
#include <vector>

#include "kernels.hpp"

namespace op2::embed {

/// @param source  absolute path of the program's unit
/// @param table_header  path of op2_embedded.h
std::string wrapper_unit(const std::string& source, const std::string& table_header,
                         const std::vector<EmbeddedKernel>& kernels);

}  // namespace op2::embed
