// SPDX-License-Identifier: BSD-3-Clause
// Text in XML files.
#pragma once

#include <string>
#include <string_view>

namespace op2::comm {

/// With entities for the characters that have a meaning in attributes.
std::string xml_escaped(std::string_view text);

/// The opposite, for text that `xml_escaped` has made.
std::string xml_unescaped(std::string_view text);

}  // namespace op2::comm
