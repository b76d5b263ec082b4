// SPDX-License-Identifier: BSD-3-Clause
// Reads rows of datasets: each rank its own, or the root those of all.
#include <algorithm>

#include <comm/files/hdf5_state.hpp>
#include <comm/files/row_range.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

std::size_t bytes_of_rows(const Hdf5Rows& rows, std::int64_t count) {
  return count * core::size_of(rows.type, rows.dim);
}

/// Calls move(rows, offset in the own block) until every rank has transferred all its rows; equally
/// often on all ranks.
template <class Move>
void Hdf5File::State::for_own_rows(const Hdf5Rows& rows, const Move& move) {
  std::int64_t most = 0;
  for (int rank = 0; rank < ranks.size(); ++rank)
    most = std::max<std::int64_t>(most, rows.blocks.count(rank));
  const std::int64_t size = rows_at_once(rows.dim), count = rows.blocks.count(ranks.rank());
  for (std::int64_t done = 0; done < most; done += size) {
    const std::int64_t offset = std::min(done, count);
    move(RowRange{rows.blocks.begin[ranks.rank()] + offset, std::min(size, count - offset)},
         bytes_of_rows(rows, offset));
  }
}

/// Every rank reads its rows.
void Hdf5File::State::read_own(const Hdf5Rows& rows, const Hdf5Dataset& data, void* values) {
  const std::int64_t most =
      std::min<std::int64_t>(rows_at_once(rows.dim), rows.blocks.count(ranks.rank()));
  Bytes buffer;  // a rank without memory must fail before the others wait for its part
  step([&] { buffer.resize(data.buffer_size({0, most}, rows.dim, rows.type)); });
  for_own_rows(rows, [&](const RowRange& range, std::size_t offset) {
    step([&] {
      data.read(range, rows.dim, rows.type, static_cast<std::byte*>(values) + offset, buffer,
                reads_together());
    });
  });
}

/// The root reads the rows of all ranks, in portions, and sends each rank its own.
void Hdf5File::State::read_and_send(const Hdf5Rows& rows, const Hdf5Dataset* data, void* values) {
  const std::int64_t size = rows_at_once(rows.dim), total = rows.blocks.size();
  auto* out = static_cast<std::byte*>(values);
  for (std::int64_t first = 0; first < total; first += size) {
    const RowRange range{first, std::min(size, total - first)};
    std::vector<Message> messages;
    step([&] {
      Bytes all(bytes_of_rows(rows, range.count));
      Bytes buffer(data->buffer_size(range, rows.dim, rows.type));
      data->read(range, rows.dim, rows.type, all.data(), buffer, false);
      for (int rank = 0; rank < ranks.size(); ++rank) {
        const RowRange part = overlap(rows.blocks, rank, range);
        if (part.count == 0) continue;
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(
                                            bytes_of_rows(rows, part.first - range.first));
        messages.push_back(
            {rank, {from, from + static_cast<std::ptrdiff_t>(bytes_of_rows(rows, part.count))}});
      }
    });
    for (const Message& message : ranks.exchange(std::move(messages)))
      out = std::copy(message.bytes.begin(), message.bytes.end(), out);
  }
}

void Hdf5File::State::read(const Hdf5Rows& rows, const Hdf5Dataset* data, void* values) {
  if (!reads_together() && ranks.size() > 1) return read_and_send(rows, data, values);
  read_own(rows, *data, values);
}

}  // namespace op2::comm
