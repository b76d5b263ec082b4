// SPDX-License-Identifier: BSD-3-Clause
// The file of a time series: a beginning, one part for each time, an end. Local.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace op2::comm {

struct SeriesFrame {
  std::string_view begin, end;  ///< of every file of this kind
};

/// The part between beginning and end; nothing if there is no such file.
/// @throws op2::Error io_failure (not readable, or of another program)
std::optional<std::string> read_parts(const std::string& path, const SeriesFrame& frame);

/// @throws op2::Error io_failure: not a series of this library; always
[[noreturn]] void refuse_series(const std::string& path);

/// The times of a series; none if there is no such file.
/// @param take  takes one from the text, or nothing if the text does not begin with one
/// @throws op2::Error io_failure
template <class Time>
std::vector<Time> read_times(const std::string& path, const SeriesFrame& frame,
                             std::optional<Time> (*take)(std::string_view&)) {
  const auto parts = read_parts(path, frame);
  std::vector<Time> times;
  std::string_view text = parts ? std::string_view(*parts) : std::string_view();
  while (!text.empty()) {
    auto time = take(text);
    if (!time) refuse_series(path);
    times.push_back(std::move(*time));
  }
  return times;
}

/// Replaces the file. @throws op2::Error io_failure
void write_parts(const std::string& path, const SeriesFrame& frame, std::string_view parts);

}  // namespace op2::comm
