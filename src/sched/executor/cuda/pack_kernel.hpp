// SPDX-License-Identifier: BSD-3-Clause
// The kernel that moves rows between dats and the messages of a halo exchange: all dats and all
// neighbours in one launch.
#pragma once

#include <cstdint>

#include <jit/loop_request.hpp>

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

}  // namespace op2::sched
