// SPDX-License-Identifier: BSD-3-Clause
// Names and sizes of the value types.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <op2/types.hpp>

namespace op2::core {

/// Bytes of one value.
std::size_t size_of(Type type);

/// Canonical type string: "double", "float", "int", "uint", "ll", "ull", "bool".
const char* name_of(Type type);

/// How the type is written in generated C++: "double", "float", "int", "unsigned", "long",
/// "unsigned long", "bool".
const char* cxx_name_of(Type type);

/// The type that a user's type string names: a canonical name or a C++ spelling ("unsigned int",
/// "int64_t", ...); nothing if it names none.
std::optional<Type> type_named(std::string_view text);

/// The canonical name nearest to a misspelled one, for "did you mean".
std::string nearest_type_name(std::string_view text);

}  // namespace op2::core
