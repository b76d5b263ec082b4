// SPDX-License-Identifier: BSD-3-Clause
// Halo messages of dats on a device: one kernel packs all dats for all neighbours into memory that
// MPI accesses, or one copy brings them to pinned memory of the host, from where they are sent; and
// back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <comm/halo/halo_exchange.hpp>
#include <core/array.hpp>
#include <core/mesh.hpp>
#include <gpu/module.hpp>
#include <jit/loop_nest.hpp>
#include <sched/executor/gpu/row_buffers.hpp>
#include <sched/executor/gpu/tables.hpp>

namespace op2::sched {

/// Rows of one dat in one message. The kernel's source repeats this struct.
struct RowPiece {
  std::byte* rows;           ///< on the device: row 0 of the list, or the first row of a range
  const std::int32_t* list;  ///< on the device: the rows; null: one after the other
  std::int64_t first;        ///< number of its first word in the launch
  std::int64_t offset;       ///< of its first row in the buffer, in bytes
  std::int64_t words;        ///< per row
  std::int64_t word_bytes;   ///< 16, 8, 4, 2 or 1
};

/// The nest is a kernel of the library (emit_cuda.hpp). Its parameters: pieces, their number, words
/// in all pieces, buffer, whether it unpacks.
jit::LoopRequest pack_request();

/// What packers work with; all references outlive them.
struct PackerParts {
  core::DeviceCopies& copies;
  core::Stream& halo;  ///< beside the main stream: packing does not wait for later loops
  gpu::Function kernel = nullptr;
  bool on_device;  ///< messages are sent from, and received in, memory of the device
  DeviceTables& tables;
  Dats in_second;  ///< the rows of these are in their second buffer
};

/// All halo messages of one direction in the memory of a device, and the launch that moves rows
/// between them and the dats.
/// The buffer is the channel's memory, or has its layout. Made once: rows stay where they are.
class MessagesOnDevice {
 public:
  /// @param parts  outlives it
  explicit MessagesOnDevice(const PackerParts& parts) : parts_(parts) {}

  /// Rows of a dat in a message.
  /// @param rows    on the device: row 0, or the first row of a range
  /// @param list    the rows; empty: one after the other
  /// @param offset  of the first in the channel's memory, in bytes
  void add(const core::Dat& dat, std::byte* rows, std::span<const std::int32_t> list,
           std::int64_t count, std::size_t offset);
  /// After all rows were added. @throws Error out_of_memory
  /// @param memory  of the channel
  void finish(std::span<const std::byte> memory);

  bool empty() const { return pieces_.empty(); }  ///< of rows; there may be headers
  std::size_t bytes() const { return bytes_; }
  core::DeviceAddress buffer() const { return buffer_; }

  /// On the halo stream.
  void launch(bool unpack) const;

 private:
  const PackerParts& parts_;
  std::vector<RowPiece> pieces_;
  std::vector<std::ptrdiff_t> list_begin_;  ///< per piece, in `lists_`; -1: a range
  std::vector<std::int32_t> lists_;
  std::int64_t words_ = 0;
  std::size_t bytes_ = 0;
  core::ListedBuffer list_memory_, table_;
  core::ListedBuffer own_;  ///< null if the buffer is the channel's memory
  core::DeviceAddress buffer_;
};

/// For dats that have a copy on the device.
std::unique_ptr<comm::Packer> make_device_packer(const PackerParts& parts);

}  // namespace op2::sched
