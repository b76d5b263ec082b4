// SPDX-License-Identifier: BSD-3-Clause
// Which known name a misspelled one may stand for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace op2::core {

/// The nearest known name by edits of single characters; nothing if it differs in more than two of
/// them, or, of longer names, in more than a third, or if no character would be left of the unknown
/// one.
std::optional<std::string> similar_name(std::string_view unknown,
                                        std::span<const std::string> known);

/// "; did you mean 'gam'?", or nothing.
std::string did_you_mean(std::string_view unknown, std::span<const std::string> known);

/// Of a name that is not known, but begins with `prefix`, or is known but for capitals and at most
/// one character: did_you_mean. Nothing for all others.
std::optional<std::string> misspelled(std::string_view prefix, std::string_view name,
                                      std::span<const std::string> known);

}  // namespace op2::core
