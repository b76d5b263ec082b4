// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/declared_pieces.hpp>

#include <algorithm>
#include <cstring>

#include <comm/halo/row_copy.hpp>

namespace op2::comm {

std::span<const std::byte> DeclaredPieces::next(std::int64_t count, Bytes& storage) {
  const std::size_t bytes = static_cast<std::size_t>(count) * row_bytes_;
  if (rows_ != nullptr && row_of_.empty()) {
    const auto* const first = rows_ + static_cast<std::size_t>(position_) * row_bytes_;
    position_ += count;
    return {first, bytes};
  }
  storage.resize(bytes);
  copy_next(count, storage.data());
  return storage;
}

void DeclaredPieces::copy_next(std::int64_t count, std::byte* to) {
  const auto first = static_cast<std::size_t>(position_), size = static_cast<std::size_t>(count);
  if (rows_ != nullptr && !row_of_.empty())
    gather_rows(to, rows_, row_of_.subspan(first, size), row_bytes_);
  else if (rows_ != nullptr && count > 0)
    std::memcpy(to, rows_ + first * row_bytes_, size * row_bytes_);
  for (std::size_t part = 0; part < parts_.size(); ++part) copy_from_part(part, count, to);
  position_ += count;
}

/// Those rows of a part whose positions are in the piece.
void DeclaredPieces::copy_from_part(std::size_t part, std::int64_t count, std::byte* to) {
  const RowsOfOwner& rows = parts_[part];
  const std::size_t begin = begun_[part];
  const auto left = rows.positions.subspan(begin);
  const auto end = std::ranges::lower_bound(left, position_ + count);
  const auto positions = left.first(static_cast<std::size_t>(end - left.begin()));
  const auto first = static_cast<std::int32_t>(position_);
  if (rows.rows == nullptr)
    scatter_rows(to, rows.received.data() + begin * row_bytes_, positions, row_bytes_, first);
  else
    move_rows(to, positions, rows.rows, rows.row_of.subspan(begin), row_bytes_, first);
  begun_[part] += positions.size();
}

}  // namespace op2::comm
