// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/series.hpp>

#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <comm/files/file_writer.hpp>
#include <comm/files/xml_text.hpp>
#include <core/error.hpp>
#include <core/text_file.hpp>

namespace op2::comm {

namespace {

constexpr std::string_view begin =
    "<?xml version=\"1.0\"?>\n"
    "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
    "<Collection>\n";
constexpr std::string_view before_time = "<DataSet timestep=\"", before_file = "\" file=\"",
                           after_file = "\"/>", end = "</Collection>\n</VTKFile>\n";

/// Removes what `text` begins with. @return whether it does
bool skip(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

/// Takes a line from the text. @return whether it was one
bool take_time(std::string_view& text, std::vector<TimeOfSeries>& times) {
  TimeOfSeries next{};
  if (!skip(text, before_time)) return false;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), next.time);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  if (!skip(text, before_file)) return false;
  const std::size_t length = text.find(after_file);
  if (length == std::string_view::npos) return false;
  next.file = xml_unescaped(text.substr(0, length));
  text.remove_prefix(length);
  times.push_back(std::move(next));
  return skip(text, after_file) && skip(text, "\n");
}

}  // namespace

std::vector<TimeOfSeries> read_series(const std::string& path) {
  const auto content = core::read_file(path.c_str());
  if (!content && errno == ENOENT) return {};
  if (!content)
    core::fail(ErrorCode::io_failure, "cannot read '{}': {}; check the path", path,
               core::why_unreadable(path.c_str()));
  std::string_view text = *content;
  std::vector<TimeOfSeries> times;
  bool known = skip(text, begin);
  while (known && text != end) known = take_time(text, times);
  if (!known)
    core::fail(ErrorCode::io_failure,
               "not a time series that this library has written: '{}'; choose another path, or "
               "remove the file",
               path);
  return times;
}

void write_series(const std::string& path, const std::vector<TimeOfSeries>& times) {
  FileWriter file(path);
  file.write(begin);
  for (const TimeOfSeries& one : times)
    file.write(fmt::format("{}{}{}{}{}\n", before_time, one.time, before_file,
                           xml_escaped(one.file), after_file));
  file.write(end);
  file.publish();
}

}  // namespace op2::comm
