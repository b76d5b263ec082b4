// SPDX-License-Identifier: BSD-3-Clause
// Names that a kernel or a constant cannot have, because they have another meaning in generated
// code.
#pragma once

#include <string_view>

namespace op2::jit {

/// Keywords of C++, functions and macros of the supplied headers, `main`, `std`, and names that
/// begin with `op2_` or `__`. For constants; a kernel may be called `log`.
bool is_reserved(std::string_view name);

/// The subset that kernels cannot have either.
bool is_reserved_for_functions(std::string_view name);

bool is_keyword(std::string_view name);

}  // namespace op2::jit
