// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/mesh_source.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <core/error.hpp>

namespace op2::comm {

RowSink::RowSink(std::string object, RowRange range, std::size_t row_bytes, std::byte* values)
    : object_(std::move(object)),
      range_(range),
      row_bytes_(row_bytes),
      values_(values),
      has_come_(range.count) {}

void RowSink::put(std::int64_t first, std::int64_t count, const void* rows) {
  if (count <= 0) return;
  if (first < range_.first || first - range_.first > range_.count - count)
    core::fail(ErrorCode::bad_dataset,
               "a mesh source gives rows that were not requested: {}, rows [{}, {}) instead of "
               "[{}, {}); fix the reader of this format",
               object_, first, first + count, range_.first, range_.first + range_.count);
  const std::int64_t begin = first - range_.first;
  for (std::int64_t k = begin; k < begin + count; ++k) {
    if (has_come_[k])
      core::fail(ErrorCode::bad_dataset,
                 "a mesh source gives a row twice: {}, row {}; fix the file or the reader of this "
                 "format",
                 object_, range_.first + k);
    has_come_[k] = true;
  }
  std::memcpy(values_ + begin * row_bytes_, rows, count * row_bytes_);
}

void RowSink::check_complete() const {
  const auto missing = std::ranges::count(has_come_, false);
  if (missing == 0) return;
  const auto first = std::ranges::find(has_come_, false) - has_come_.begin();
  core::fail(ErrorCode::bad_dataset,
             "a mesh source gives too few rows: {}, {} of {} are missing, the first is row {}; fix "
             "the file or the reader of this format",
             object_, missing, has_come_.size(), range_.first + first);
}

std::unique_ptr<MeshSource> open_mesh(const MeshFormats& formats, const std::string& format,
                                      const std::string& path) {
  const MeshFormat* known = formats.find(format);
  if (known == nullptr)
    core::fail(ErrorCode::bad_option, "unknown mesh format: '{}' of '{}'; use {}", format, path,
               formats.names());
  return known->open(path);
}

}  // namespace op2::comm
