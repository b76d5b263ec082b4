// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/shared_output.hpp>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <comm/files/row_range.hpp>
#include <comm/messages/agreement.hpp>
#include <comm/messages/records.hpp>

namespace op2::comm {

namespace {

/// Clients of NFS may write whole pages: one loses what another has written to the same page.
bool is_on_nfs(const OpenFile& file) {
  struct statfs disk {};
  return ::fstatfs(file.descriptor(), &disk) == 0 && disk.f_type == NFS_SUPER_MAGIC;
}

}  // namespace

SharedOutput::SharedOutput(Communicator& ranks, std::string path, bool together,
                           std::int64_t largest_transfer)
    : ranks_(ranks),
      path_(std::move(path)),
      shown_("'" + path_ + "'"),
      largest_transfer_(largest_transfer) {
  do_on_root(ranks_, shown_, [&] { output_.emplace(path_); });
  if (!together || ranks_.size() == 1) return;
  const bool by_root = output_ && is_on_nfs(output_->file());
  const std::string name = text_of(
      ranks_.broadcast(bytes_of(output_ && !by_root ? output_->temporary() : std::string()), 0));
  together_ = !name.empty();
  if (!together_) return;
  do_together(ranks_, shown_, [&] {
    if (!ranks_.is_root()) shared_.emplace(OpenFile::existing(name, O_WRONLY, path_));
  });
}

void SharedOutput::write(const RowsInFile& rows, const void* values) {
  if (together_ || ranks_.size() == 1)
    write_own(rows, values);
  else
    gather_and_write(rows, values);
}

/// Every rank writes its rows.
void SharedOutput::write_own(const RowsInFile& rows, const void* values) {
  do_together(ranks_, shown_, [&] {
    OpenFile& to = output_ ? output_->file() : *shared_;
    const auto begin = rows.blocks.begin[ranks_.rank()] * static_cast<std::int64_t>(rows.row_bytes);
    to.write_at(rows.offset + begin, values, rows.blocks.count(ranks_.rank()) * rows.row_bytes);
  });
}

/// The root gets the rows of all ranks, in portions, and writes them.
void SharedOutput::gather_and_write(const RowsInFile& rows, const void* values) {
  const auto row_bytes = static_cast<std::int64_t>(rows.row_bytes);
  const std::int64_t size = std::max<std::int64_t>(1, largest_transfer_ / row_bytes);
  const std::int64_t total = rows.blocks.size();
  const auto* in = static_cast<const std::byte*>(values);
  for (std::int64_t first = 0; first < total; first += size) {
    const RowRange range{first, std::min(size, total - first)};
    const std::int64_t bytes = overlap(rows.blocks, ranks_.rank(), range).count * row_bytes;
    std::vector<Message> parts;
    if (bytes > 0) parts.push_back({0, {in, in + bytes}});
    in += bytes;
    parts = ranks_.exchange(std::move(parts));
    do_on_root(ranks_, shown_, [&] {
      std::int64_t to = rows.offset + first * row_bytes;
      for (const Message& part : parts) {
        output_->file().write_at(to, part.bytes.data(), part.bytes.size());
        to += std::ssize(part.bytes);
      }
    });
  }
}

void SharedOutput::publish(const std::function<IfThere()>& how) {
  do_together(ranks_, shown_, [&] {
    if (shared_) shared_->close_durably();
  });
  do_on_root(ranks_, shown_, [&] { output_->publish(how()); });
}

}  // namespace op2::comm
