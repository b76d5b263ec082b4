// SPDX-License-Identifier: BSD-3-Clause
#include "text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <core/access.hpp>

namespace op2::jitinspect {

std::string size_words(std::int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", bytes * 1e-3);
  return fmt::format("{:.1f} MB", bytes * 1e-6);
}

std::string age_words(std::int64_t then) {
  const std::int64_t age = std::max<std::int64_t>(0, std::time(nullptr) - then);
  if (age < 120) return fmt::format("{} s", age);
  if (age < 2 * 3600) return fmt::format("{} min", age / 60);
  if (age < 48 * 3600) return fmt::format("{} h", age / 3600);
  return fmt::format("{} d", age / (24 * 3600));
}

std::string date_words(std::int64_t then) {
  const std::time_t time = then;
  std::tm date{};
  if (gmtime_r(&time, &date) == nullptr) return fmt::format("{} s since 1970", then);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", date);
}

std::string argument_words(std::string_view arguments) {
  constexpr auto& modes = core::access_words;
  std::array<int, modes.size()> counts{};
  for (const std::string& line : split(arguments, '\n')) {
    if (line.starts_with("kernel ")) continue;  // how it uses the arguments
    const std::vector<std::string> words = split(line, ' ');
    for (std::size_t mode = 0; mode < modes.size(); ++mode)
      counts[mode] += std::ranges::count(words, modes[mode]) != 0;
  }
  std::string text;
  for (std::size_t mode = 0; mode < modes.size(); ++mode)
    if (counts[mode] != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[mode], modes[mode]);
  return text.empty() ? "-" : text;
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    const bool steers = (static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\t') || c == 127;
    if (steers) c = '?';
  }
  return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

void print_json(const Json& document) {
  fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace op2::jitinspect
