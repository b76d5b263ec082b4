// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/file_writer.hpp>

namespace op2::comm {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

}  // namespace

void FileWriter::flush() {
  output_.file().write_at(flushed_, buffer_.data(), buffer_.size());
  flushed_ += std::ssize(buffer_);
  buffer_.clear();
}

void FileWriter::write(const void* data, std::size_t bytes) {
  if (buffer_.size() + bytes > buffer_size) flush();
  if (bytes > buffer_size) {
    output_.file().write_at(flushed_, data, bytes);
    flushed_ += static_cast<std::int64_t>(bytes);
    return;
  }
  const auto* from = static_cast<const std::byte*>(data);
  buffer_.insert(buffer_.end(), from, from + bytes);
}

void FileWriter::publish() {
  flush();
  output_.publish();
}

}  // namespace op2::comm
