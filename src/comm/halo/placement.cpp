// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/placement.hpp>

#include <algorithm>
#include <cstring>
#include <map>

#include <comm/halo/row_copy.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>

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
  for (const RowsOfOwner& part : parts_) copy_from_part(part, count, to);
  position_ += count;
}

/// Those rows of a part whose positions are in the piece.
void DeclaredPieces::copy_from_part(const RowsOfOwner& rows, std::int64_t count,
                                    std::byte* to) const {
  const auto first = static_cast<std::int32_t>(position_);
  const auto all = rows.positions;
  const std::size_t begin = std::ranges::lower_bound(all, position_) - all.begin();
  const std::size_t end = std::ranges::lower_bound(all, position_ + count) - all.begin();
  const auto positions = all.subspan(begin, end - begin);
  if (rows.rows == nullptr)
    scatter_rows(to, rows.received.data() + begin * row_bytes_, positions, row_bytes_, first);
  else
    move_rows(to, positions, rows.rows, rows.row_of.subspan(begin), row_bytes_, first);
}

Placement::Placement(Communicator& communicator, const Blocks& set, const Owners& owners) {
  std::map<int, std::vector<std::int32_t>> by_owner;
  for (std::int32_t k = 0; k < std::ssize(owners); ++k) by_owner[owners[k]].push_back(k);
  const GlobalId first = set.begin[communicator.rank()];
  std::vector<Message> messages;
  for (auto& [owner, declared] : by_owner) {
    std::vector<GlobalId> ids;
    for (const std::int32_t k : declared) ids.push_back(first + k);
    messages.push_back({owner, to_bytes<GlobalId>(ids)});
    leaving_.push_back({owner, std::move(declared)});
  }
  std::vector<GlobalId> owned;
  for (const Message& message : communicator.exchange(std::move(messages))) {
    const auto ids = from_bytes<GlobalId>(message.bytes);
    owned.insert(owned.end(), ids.begin(), ids.end());
    arriving_.push_back({message.rank, static_cast<std::int32_t>(ids.size())});
  }
  owned.shrink_to_fit();
  owned_ = SortedIds(std::move(owned));
}

Bytes Placement::to_owners(Communicator& communicator, std::span<const std::byte> declared,
                           std::size_t row_bytes) const {
  std::vector<Message> messages;
  for (const Leaving& part : leaving_) {
    Bytes bytes(part.declared.size() * row_bytes);
    gather_rows(bytes.data(), declared.data(), part.declared, row_bytes);
    messages.push_back({part.owner, std::move(bytes)});
  }
  Bytes rows;
  rows.reserve(owned().size() * row_bytes);
  for (const Message& message : communicator.exchange(std::move(messages)))
    rows.insert(rows.end(), message.bytes.begin(), message.bytes.end());
  core::ensure(rows.size() == owned().size() * row_bytes,
               "the owners received a wrong number of rows");
  return rows;
}

/// The positions of the elements that this rank declares and another owns.
const std::vector<std::int32_t>& Placement::declared_of(int owner) const {
  const auto part = std::ranges::lower_bound(leaving_, owner, {}, &Leaving::owner);
  core::ensure(part != leaving_.end() && part->owner == owner,
               "a declaring rank received rows that are not its own");
  return part->declared;
}

DeclaredPieces Placement::to_declaring_ranks(Communicator& communicator, const std::byte* rows,
                                             std::span<const std::int32_t> row_of,
                                             std::size_t row_bytes) const {
  std::vector<RowsOfOwner> parts;
  std::vector<Message> messages;
  for (const Arriving& part : arriving_) {
    const auto own = row_of.first(static_cast<std::size_t>(part.count));
    row_of = row_of.subspan(own.size());
    if (part.rank == communicator.rank()) {
      parts.push_back({declared_of(part.rank), rows, own});
      continue;
    }
    messages.push_back({part.rank, Bytes(own.size() * row_bytes)});
    gather_rows(messages.back().bytes.data(), rows, own, row_bytes);
  }
  for (Message& message : communicator.exchange(std::move(messages))) {
    const auto& positions = declared_of(message.rank);
    core::ensure(message.bytes.size() == positions.size() * row_bytes,
                 "a declaring rank received a wrong number of rows");
    parts.push_back({positions, nullptr, {}, std::move(message.bytes)});
  }
  return {std::move(parts), row_bytes};
}

}  // namespace op2::comm
