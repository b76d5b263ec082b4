// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/placement.hpp>

#include <map>

#include <comm/halo/row_copy.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>

namespace op2::comm {

Placement::Placement(Communicator& communicator, const Blocks& set, const Owners& owners) {
  std::map<int, std::vector<std::int32_t>> by_owner;
  for (std::int32_t k = 0; k < std::ssize(owners); ++k)
    by_owner[owners[static_cast<std::size_t>(k)]].push_back(k);
  const GlobalId first = set.begin[static_cast<std::size_t>(communicator.rank())];
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

void Placement::to_declaring_ranks(Communicator& communicator, std::span<const std::byte> owned,
                                   std::size_t row_bytes, std::span<std::byte> declared) const {
  std::vector<Message> messages;
  std::size_t at = 0;
  for (const Arriving& part : arriving_) {
    const std::size_t bytes = static_cast<std::size_t>(part.count) * row_bytes;
    const auto rows = owned.subspan(at, bytes);
    messages.push_back({part.rank, {rows.begin(), rows.end()}});
    at += bytes;
  }
  std::size_t part = 0;
  for (const Message& message : communicator.exchange(std::move(messages))) {
    while (leaving_[part].owner != message.rank) ++part;
    const auto& positions = leaving_[part].declared;
    core::ensure(message.bytes.size() == positions.size() * row_bytes,
                 "a declaring rank received a wrong number of rows");
    scatter_rows(declared.data(), message.bytes.data(), positions, row_bytes);
  }
}

}  // namespace op2::comm
