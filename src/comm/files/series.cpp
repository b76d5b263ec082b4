// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/series.hpp>

#include <charconv>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <comm/files/series_file.hpp>
#include <comm/files/xml_text.hpp>

namespace op2::comm {

namespace {

constexpr SeriesFrame frame{
    "<?xml version=\"1.0\"?>\n"
    "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
    "<Collection>\n",
    "</Collection>\n</VTKFile>\n"};
constexpr std::string_view before_time = "<DataSet timestep=\"", before_file = "\" file=\"",
                           after_file = "\"/>\n";

/// Removes what `text` begins with. @return whether it does
bool skip(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

/// Takes a line from the text.
std::optional<TimeOfSeries> take_time(std::string_view& text) {
  TimeOfSeries next{};
  if (!skip(text, before_time)) return {};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), next.time);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  if (!skip(text, before_file)) return {};
  const std::size_t length = text.find(after_file);
  if (length == std::string_view::npos) return {};
  next.file = xml_unescaped(text.substr(0, length));
  text.remove_prefix(length + after_file.size());
  return next;
}

}  // namespace

std::vector<TimeOfSeries> read_series(const std::string& path) {
  return read_times<TimeOfSeries>(path, frame, take_time);
}

void write_series(const std::string& path, const std::vector<TimeOfSeries>& times) {
  std::string lines;
  for (const TimeOfSeries& one : times)
    lines += fmt::format("{}{}{}{}{}", before_time, one.time, before_file, xml_escaped(one.file),
                         after_file);
  write_parts(path, frame, lines);
}

}  // namespace op2::comm
