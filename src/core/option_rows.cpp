// SPDX-License-Identifier: BSD-3-Clause
#include <core/option_rows.hpp>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <core/error.hpp>
#include <core/lower_case.hpp>
#include <core/similar_name.hpp>

namespace op2::core {
namespace {

[[noreturn]] void refuse_word(const GivenOption& given, const std::string& word,
                              std::span<const OptionWord> known) {
  std::vector<std::string> names;
  for (const OptionWord& each : known) names.emplace_back(each.word);
  fail(ErrorCode::bad_option, "unknown word: {}={}, '{}'; use none, or some of: {}{}", given.name,
       given.value, word, fmt::format("{}", fmt::join(names, ", ")), did_you_mean(word, names));
}

std::string_view without_spaces(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
  return word.substr(0, word.find_last_not_of(' ') + 1);
}

}  // namespace

std::string help_lines(std::string_view help) {
  constexpr std::string_view indent = "      ";
  constexpr std::size_t width = 100 - indent.size();
  std::string lines;
  while (help.size() > width) {
    const std::size_t space = help.rfind(' ', width);
    if (space == help.npos) break;
    lines.append(indent).append(help.substr(0, space)).append("\n");
    help.remove_prefix(space + 1);
  }
  return lines.append(indent).append(help).append("\n");
}

void refuse_value(const GivenOption& given, const std::string& accepted) {
  fail(ErrorCode::bad_option, "the value is not accepted: {}={}; use {}", given.name, given.value,
       accepted);
}

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  if (list == "none") return words;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    words.emplace_back(without_spaces(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return words;
}

std::size_t position_of_value(const GivenOption& given) {
  const std::vector<std::string> values = words_of(given.row.values);
  const auto found = std::find(values.begin(), values.end(), given.value);
  if (found == values.end()) refuse_value(given, given.row.values);
  return found - values.begin();
}

std::int64_t number_of(const GivenOption& given, std::int64_t low, std::int64_t high,
                       const char* form) {
  std::int64_t value = 0;
  const char* const last = given.value.data() + given.value.size();
  const auto [end, error] = std::from_chars(given.value.data(), last, value);
  if (error != std::errc() || end != last || value < low || value > high)
    refuse_value(given, fmt::format("a number from {} to {}{}", low, high, form));
  return value;
}

void check_file_name(const GivenOption& given) {
  constexpr std::string_view states[] = {"on", "off", "yes", "no", "0", "1", "true", "false"};
  if (std::ranges::find(states, lower_case(given.value)) != std::end(states))
    refuse_value(given,
                 fmt::format("{}; a file of this name is ./{}", given.row.values, given.value));
}

void read_async_io(const GivenOption& given, Options& options) {
  const bool off = given.value == "off";
  options.async_io_bytes = off ? 0 : number_of(given, 1, 1'000'000'000, " (of MiB), or off") << 20;
}

void read_jit_limit(const GivenOption& given, Options& options) {
  constexpr std::int64_t most_seconds = 1'000'000, least_mib = 128, most_mib = 1'000'000'000;
  const std::size_t colon = std::min(given.value.find(':'), given.value.size());
  const auto part = [&](const char* name, std::string value, std::int64_t low, std::int64_t high) {
    return number_of(
        {given.row, fmt::format("{}={}, {}", given.name, given.value, name), std::move(value)}, low,
        high, " (as seconds or seconds:MiB, e.g. 60:2048)");
  };
  options.jit_seconds = part("seconds", given.value.substr(0, colon), 1, most_seconds);
  if (colon < given.value.size())
    options.jit_memory_bytes = part("MiB", given.value.substr(colon + 1), least_mib, most_mib)
                               << 20;
}

void set_words(const GivenOption& given, std::span<const OptionWord> known, Options& options) {
  for (const std::string& word : words_of(given.value)) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const OptionWord& other) { return word == other.word; });
    if (found == known.end()) refuse_word(given, word, known);
    found->set(options);
  }
}

}  // namespace op2::core
