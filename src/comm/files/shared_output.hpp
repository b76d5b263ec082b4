// SPDX-License-Identifier: BSD-3-Clause
// A new file that the ranks of a communicator write together. It is complete or absent, as a
// NewFile. Members are collective unless they are const; an error of one rank is thrown on all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <comm/files/open_file.hpp>
#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

/// Where rows are in a file: one after the other.
struct RowsInFile {
  const Blocks& blocks;  ///< which of them each rank has
  std::size_t row_bytes;
  std::int64_t offset;  ///< of the first, in bytes
};

/// A piece of the rows of this rank, just before it is written: small enough for the caches of the
/// CPU. Local.
/// @param position  of the first byte, counted from the first row of the first rank
using EachPiece = std::function<void(std::int64_t position, std::span<const std::byte> piece)>;

/// The next rows of this rank, so many; valid until the next call. Local.
using NextRows = std::function<std::span<const std::byte>(std::int64_t count)>;

class SharedOutput {
 public:
  /// @param together          every rank writes its rows itself, unless the file is on NFS.
  ///                          Otherwise the root gathers and writes those of all
  /// @param largest_transfer  the root gets at most so many bytes at once, or one row
  /// @throws Error io_failure
  SharedOutput(Communicator& ranks, std::string path, bool together, std::int64_t largest_transfer);

  /// On the root: the file, in which it may write what is not rows. Null on other ranks.
  OpenFile* file_of_root() { return output_ ? &output_->file() : nullptr; }

  /// Ranks agree once, however many rows there are; if the root gathers, at each transfer.
  /// @param next  gives all rows of this rank; may throw
  /// @param use   called with all of them, in their order
  void write(const RowsInFile& rows, const NextRows& next, const EachPiece& use = {});

  /// The same for rows that are one after the other.
  /// @param values  of this rank, shape [rows of its block x row_bytes]
  void write(const RowsInFile& rows, const void* values);

  /// Waits until the file is on the disk, then gives it its name.
  /// @param how  called on the root before that; may throw
  void publish(const std::function<IfThere()>& how);

 private:
  void write_own(const RowsInFile& rows, const NextRows& next, const EachPiece& use);
  void gather_and_write(const RowsInFile& rows, const NextRows& next, const EachPiece& use);
  OpenFile& own_file() { return output_ ? output_->file() : *shared_; }
  void write_piece(std::int64_t offset, std::span<const std::byte> piece);

  Communicator& ranks_;
  const std::string path_;
  const std::string shown_;  ///< in messages
  const std::int64_t largest_transfer_;
  std::optional<NewFile> output_;      ///< of the root
  std::optional<OpenFile> shared_;     ///< the same file on other ranks that write
  std::optional<WriteBehind> behind_;  ///< of ranks that write
  bool together_ = false;
};

}  // namespace op2::comm
