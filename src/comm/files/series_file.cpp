// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/series_file.hpp>

#include <cerrno>

#include <comm/files/file_writer.hpp>
#include <core/error.hpp>
#include <core/text_file.hpp>

namespace op2::comm {

void refuse_series(const std::string& path) {
  core::fail(ErrorCode::io_failure,
             "not a time series that this library has written: '{}'; choose another path, or "
             "remove the file",
             path);
}

std::optional<std::string> read_parts(const std::string& path, const SeriesFrame& frame) {
  auto content = core::read_file(path.c_str());
  if (!content && errno == ENOENT) return {};
  if (!content)
    core::fail(ErrorCode::io_failure, "cannot read '{}': {}; check the path", path,
               core::why_unreadable(path.c_str()));
  if (content->size() < frame.begin.size() + frame.end.size() ||
      !content->starts_with(frame.begin) || !content->ends_with(frame.end))
    refuse_series(path);
  content->erase(content->size() - frame.end.size());
  content->erase(0, frame.begin.size());
  return content;
}

void write_parts(const std::string& path, const SeriesFrame& frame, std::string_view parts) {
  FileWriter file(path);
  file.write(frame.begin);
  file.write(parts);
  file.write(frame.end);
  file.publish();
}

}  // namespace op2::comm
