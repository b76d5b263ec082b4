// SPDX-License-Identifier: BSD-3-Clause
// Rows in the declared order, one piece after the other: no copy of all of them is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <comm/messages/communicator.hpp>

namespace op2::comm {

/// Declared rows that one rank owns.
struct RowsOfOwner {
  std::span<const std::int32_t> positions;  ///< in the declared block, ascending
  const std::byte* rows;                    ///< null: in `received`, one after the other
  std::span<const std::int32_t> row_of;     ///< the row at each position
  Bytes received = {};
};

/// Local. Refers to rows and index maps, which must not change meanwhile.
class DeclaredPieces {
 public:
  /// All rows are there, in the declared order.
  DeclaredPieces(const std::byte* rows, std::size_t row_bytes)
      : row_bytes_(row_bytes), rows_(rows) {}
  /// Every position is in one of the parts.
  DeclaredPieces(std::vector<RowsOfOwner> parts, std::size_t row_bytes)
      : row_bytes_(row_bytes), parts_(std::move(parts)), begun_(parts_.size(), 0) {}
  /// row_of[k] is the row at position k.
  DeclaredPieces(const std::byte* rows, std::span<const std::int32_t> row_of, std::size_t row_bytes)
      : row_bytes_(row_bytes), rows_(rows), row_of_(row_of) {}

  /// The next rows.
  /// @param storage  holds them, if they are not one after the other already
  std::span<const std::byte> next(std::int64_t count, Bytes& storage);

  /// The same, copied. @param to  shape [count x row_bytes]
  void copy_next(std::int64_t count, std::byte* to);

 private:
  void copy_from_part(std::size_t part, std::int64_t count, std::byte* to);

  std::size_t row_bytes_;
  std::int64_t position_ = 0;             ///< of the next row
  const std::byte* rows_ = nullptr;       ///< null: in parts
  std::span<const std::int32_t> row_of_;  ///< empty: as declared
  std::vector<RowsOfOwner> parts_;
  std::vector<std::size_t> begun_;  ///< rows of each part that were copied
};

}  // namespace op2::comm
