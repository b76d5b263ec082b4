// SPDX-License-Identifier: BSD-3-Clause
// How numbers and texts are written for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace op2::jitinspect {

using Json = nlohmann::ordered_json;

/// "999 B", "61.2 kB", "1.3 MB"
std::string size_words(std::int64_t bytes);

/// "40 s", "5 min", "3 h", "12 d" since `then`, in seconds since 1970.
std::string age_words(std::int64_t then);

/// "2026-01-31 12:00:00 UTC"
std::string date_words(std::int64_t then);

/// "2 read, 4 inc": how many arguments there are of every access.
std::string argument_words(std::string_view arguments);

/// The text without characters that steer a terminal.
std::string printable(std::string_view text);

std::vector<std::string> split(std::string_view text, char separator);

/// Writes the document; bytes that are not UTF-8 are replaced.
void print_json(const Json& document);

}  // namespace op2::jitinspect
