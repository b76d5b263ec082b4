// SPDX-License-Identifier: BSD-3-Clause
// Lets the HDF5 library change a file in memory: what it writes, which is descriptions and no rows,
// goes to the disk afterwards, by `write_to_file`. So the library never sees an error of a disk,
// after which it could neither close its objects nor end the program. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <comm/files/hdf5_dataset.hpp>
#include <comm/files/open_file.hpp>

namespace op2::comm {

/// Changes of a file that are kept in memory: a sparse array of bytes over the file's. Local.
class ByteOverlay {
 public:
  using Block = std::vector<std::byte>;

  /// Replaces bytes from `offset` on. Cost: the blocks that are hit, and their copies.
  void write(std::int64_t offset, std::span<const std::byte> bytes);

  /// Drops changes of so many bytes: those of the file count again.
  void forget(std::int64_t offset, std::int64_t count);

  /// Puts the changes over bytes of the file that begin at `offset`.
  void apply(std::int64_t offset, std::span<std::byte> bytes) const;

  /// The changed bytes by their offsets; disjoint.
  const std::map<std::int64_t, Block>& blocks() const { return blocks_; }

 private:
  std::map<std::int64_t, Block> blocks_;
};

class Hdf5Image {
 public:
  /// @param file  outlives this object; its bytes count where nothing was changed
  explicit Hdf5Image(OpenFile& file) : file_(file), size_(file.size()) {}

  /// Creates (or opens, for reading and writing) a file of the HDF5 library in this image, which
  /// outlives the handle. Invalid if the library reports an error.
  Hdf5Handle create();
  Hdf5Handle open();

  /// Rows of a dataset are written to the file itself: older changes there do not count any more.
  void leave_to_file(std::int64_t offset, std::int64_t bytes) { changes_.forget(offset, bytes); }

  /// Writes the changes to the file.
  /// @throws Error io_failure
  void write_to_file();

  // For the HDF5 library.
  void read(std::int64_t offset, std::span<std::byte> bytes) const;
  void write(std::int64_t offset, std::span<const std::byte> bytes);
  std::int64_t size() const { return size_; }
  void resize(std::int64_t bytes) { size_ = bytes; }

 private:
  Hdf5Handle access_list();

  OpenFile& file_;
  ByteOverlay changes_;
  std::int64_t size_;
};

}  // namespace op2::comm
