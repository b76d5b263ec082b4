// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/shared_output.hpp>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <comm/messages/agreement.hpp>
#include <comm/messages/records.hpp>
#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

namespace {

/// Clients of NFS may write whole pages: one loses what another has written to the same page.
bool is_on_nfs(const OpenFile& file) {
  struct statfs disk{};
  return ::fstatfs(file.descriptor(), &disk) == 0 && disk.f_type == NFS_SUPER_MAGIC;
}

/// Takes rows in pieces and calls action(position, piece) with each.
/// @param range  counted over all ranks
template <class Action>
void for_pieces(const RowRange& range, std::int64_t row_bytes, const NextRows& next,
                const Action& action) {
  const std::int64_t most = std::max<std::int64_t>(1, (std::int64_t{1} << 20) / row_bytes);
  for (std::int64_t done = 0; done < range.count; done += most) {
    const auto piece = next(std::min(most, range.count - done));
    action((range.first + done) * row_bytes, piece);
  }
}

}  // namespace

SharedOutput::SharedOutput(Communicator& ranks, std::string path, bool together,
                           std::int64_t largest_transfer)
    : ranks_(ranks),
      path_(std::move(path)),
      shown_("'" + path_ + "'"),
      largest_transfer_(largest_transfer) {
  do_together(ranks_, shown_, ranks_.is_root(), [&] {
    output_.emplace(path_);
    behind_.emplace(output_->file());
  });
  if (!together || ranks_.size() == 1) return;
  const bool by_root = output_ && is_on_nfs(output_->file());
  const std::string name = text_of(
      ranks_.broadcast(bytes_of(output_ && !by_root ? output_->temporary() : std::string()), 0));
  together_ = !name.empty();
  if (!together_) return;
  do_together(ranks_, shown_, [&] {
    if (ranks_.is_root()) return;
    shared_.emplace(OpenFile::existing(name, O_WRONLY, path_));
    behind_.emplace(*shared_);
  });
}

void SharedOutput::write(const RowsInFile& rows, const NextRows& next, const EachPiece& use) {
  if (together_ || ranks_.size() == 1)
    write_own(rows, next, use);
  else
    gather_and_write(rows, next, use);
}

void SharedOutput::write(const RowsInFile& rows, const void* values) {
  const auto* at = static_cast<const std::byte*>(values);
  const NextRows next = [&](std::int64_t count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * rows.row_bytes;
    return std::span(std::exchange(at, at + bytes), bytes);
  };
  write(rows, next);
}

void SharedOutput::write_piece(std::int64_t offset, std::span<const std::byte> piece) {
  own_file().write_at(offset, piece.data(), piece.size());
  behind_->wrote(offset, std::ssize(piece));
}

/// Every rank writes its rows.
void SharedOutput::write_own(const RowsInFile& rows, const NextRows& next, const EachPiece& use) {
  const RowRange mine = overlap(rows.blocks, ranks_.rank(), {0, rows.blocks.size()});
  do_together(ranks_, shown_, [&] {
    for_pieces(mine, static_cast<std::int64_t>(rows.row_bytes), next,
               [&](std::int64_t position, std::span<const std::byte> piece) {
                 if (use) use(position, piece);
                 write_piece(rows.offset + position, piece);
               });
  });
}

/// The root gets the rows of all ranks, in portions, and writes them.
void SharedOutput::gather_and_write(const RowsInFile& rows, const NextRows& next,
                                    const EachPiece& use) {
  const auto row_bytes = static_cast<std::int64_t>(rows.row_bytes);
  const std::int64_t size = std::max<std::int64_t>(1, largest_transfer_ / row_bytes);
  const std::int64_t total = rows.blocks.size();
  for (std::int64_t first = 0; first < total; first += size) {
    const RowRange range =
        overlap(rows.blocks, ranks_.rank(), {first, std::min(size, total - first)});
    Bytes mine;
    do_together(ranks_, shown_, [&] {
      mine.reserve(static_cast<std::size_t>(range.count * row_bytes));
      for_pieces(range, row_bytes, next,
                 [&](std::int64_t position, std::span<const std::byte> piece) {
                   if (use) use(position, piece);
                   mine.insert(mine.end(), piece.begin(), piece.end());
                 });
    });
    std::vector<Message> parts;
    if (!mine.empty()) parts.push_back({0, std::move(mine)});
    parts = ranks_.exchange(std::move(parts));
    do_together(ranks_, shown_, ranks_.is_root(), [&] {
      std::int64_t to = rows.offset + first * row_bytes;
      for (const Message& message : parts) {
        write_piece(to, message.bytes);
        to += std::ssize(message.bytes);
      }
    });
  }
}

void SharedOutput::publish(const std::function<IfThere()>& how) {
  do_together(ranks_, shown_, [&] {
    if (shared_) shared_->close_durably();
  });
  do_together(ranks_, shown_, ranks_.is_root(), [&] { output_->publish(how()); });
}

}  // namespace op2::comm
