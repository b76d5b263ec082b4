// SPDX-License-Identifier: BSD-3-Clause
// Rows of the table of switches, and the parsers that rows name. A parser knows the member of
// Options that it sets; the accepted values are in its row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <core/options.hpp>

namespace op2::core {

struct OptionRow;

/// A value that was given for a row.
struct GivenOption {
  const OptionRow& row;
  std::string name;  ///< for messages: "OP2_TILE", "OP2_DEBUG=tile"
  std::string value;
  bool is_privileged = false;  ///< the program has more privileges than who gave the value
};

using OptionParser = void (*)(const GivenOption&, Options&);

/// One switch. `values` are separated by ", "; the first one is the default.
struct OptionRow {
  const char* name;
  OptionParser parse;
  const char* values;
  const char* help;
  const char* former = "";  ///< of a word of OP2_DEBUG: the variable that is still read
};

/// The help of a row in lines of at most 100 characters, indented below its values.
std::string help_lines(std::string_view help);

/// @throws Error bad_option
[[noreturn]] void refuse_value(const GivenOption& given, const std::string& accepted);

/// The parts of a comma-separated list without spaces around them; nothing for "none".
std::vector<std::string> words_of(std::string_view list);

/// The position of the value among those of its row.
/// @throws Error bad_option  if it is not there
std::size_t position_of_value(const GivenOption& given);

/// @param form  of the whole value, for the message
/// @throws Error bad_option  if the value is not a whole number in [low, high]
std::int64_t number_of(const GivenOption& given, std::int64_t low, std::int64_t high,
                       const char* form = "");

/// @throws Error bad_option  if the value is one that turns switches on or off
void check_file_name(const GivenOption& given);

/// OP2_ASYNC_IO: "off", or MiB.
void read_async_io(const GivenOption& given, Options& options);

/// OP2_JIT_LIMIT: "seconds" or "seconds:MiB".
void read_jit_limit(const GivenOption& given, Options& options);

/// A word of a list.
struct OptionWord {
  const char* word;
  void (*set)(Options&);
};

/// Applies every word of the list.
/// @throws Error bad_option  for unknown words
void set_words(const GivenOption& given, std::span<const OptionWord> known, Options& options);

template <auto member>
using TypeOf = std::remove_reference_t<decltype(std::declval<Options&>().*member)>;

/// The values of the row are those of the enumeration, in its order; or "on" and "off".
template <auto member>
void one_of(const GivenOption& given, Options& options) {
  const std::size_t position = position_of_value(given);
  if constexpr (std::is_same_v<TypeOf<member>, bool>)
    options.*member = given.value == "on";
  else
    options.*member = static_cast<TypeOf<member>>(position);
}

/// One of the values of the row. The first only describes the default, an empty name.
template <auto member>
void name_of(const GivenOption& given, Options& options) {
  options.*member = position_of_value(given) == 0 ? "" : given.value;
}

template <auto member, std::int64_t low, std::int64_t high, std::int64_t unit = 1>
void number(const GivenOption& given, Options& options) {
  options.*member = static_cast<TypeOf<member>>(number_of(given, low, high) * unit);
}

/// Any text; the default of the row is the empty one.
template <auto member>
void text(const GivenOption& given, Options& options) {
  const bool is_default = given.value == words_of(given.row.values).front();
  options.*member = is_default ? "" : given.value;
}

/// For what names files that the library loads, reads or writes. @return whether the value counts
inline bool may_name_files(const GivenOption& given, Options& options) {
  if (given.is_privileged) options.ignored.push_back(given.name);
  return !given.is_privileged;
}

/// Files, libraries or folders, as for `text`.
template <auto member>
void path(const GivenOption& given, Options& options) {
  if (may_name_files(given, options)) text<member>(given, options);
}

/// The name of a file that the library writes, or as for `text`.
/// @throws Error bad_option  if it looks like the value of another switch
template <auto member>
void output_file(const GivenOption& given, Options& options) {
  check_file_name(given);
  path<member>(given, options);
}

/// A word without a value.
template <auto member, auto value>
void set(const GivenOption& given, Options& options) {
  if (!given.value.empty()) refuse_value(given, "the word without a value");
  options.*member = value;
}

/// The same for a word that makes the library write a file.
template <auto member, auto value>
void set_file(const GivenOption& given, Options& options) {
  if (may_name_files(given, options)) set<member, value>(given, options);
}

template <const auto& words>
void list(const GivenOption& given, Options& options) {
  set_words(given, words, options);
}

}  // namespace op2::core
