// SPDX-License-Identifier: BSD-3-Clause
// Arrays of plain values as the bytes of messages.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <comm/messages/communicator.hpp>

namespace op2::comm {

template <class T>
Bytes to_bytes(std::span<const T> records) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto bytes = std::as_bytes(records);
  return Bytes(bytes.begin(), bytes.end());
}

/// @param bytes  a whole number of records; aligned in any way
template <class T>
std::vector<T> from_bytes(std::span<const std::byte> bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> records(bytes.size() / sizeof(T));
  if (!records.empty()) std::memcpy(records.data(), bytes.data(), records.size() * sizeof(T));
  return records;
}

inline Bytes bytes_of(std::string_view text) {
  return to_bytes<char>(text);
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The records of all ranks, in rank order. Collective.
template <class T>
std::vector<T> gather_records(Communicator& communicator, const T& mine) {
  return from_bytes<T>(communicator.gather_all(std::as_bytes(std::span(&mine, 1))));
}

/// The record of one rank, on all. Collective.
/// @param mine  counts on `rank` alone
template <class T>
T broadcast_record(Communicator& communicator, const T& mine, int rank = 0) {
  const auto bytes = std::as_bytes(std::span(&mine, 1));
  return from_bytes<T>(communicator.broadcast({bytes.begin(), bytes.end()}, rank)).front();
}

/// The bytes of all ranks on the root, in rank order; nothing on other ranks. Collective.
inline std::vector<Message> gather_on_root(Communicator& communicator, Bytes mine) {
  std::vector<Message> message;
  message.push_back({0, std::move(mine)});
  return communicator.exchange(std::move(message));
}

/// Everybody's bytes one after the other, on the root; nothing on other ranks. Collective.
/// @param storage  for bytes that travel; the only rank's stay where they are
inline std::span<const std::byte> joined_on_root(Communicator& communicator,
                                                 std::span<const std::byte> mine, Bytes& storage) {
  if (communicator.size() == 1) return mine;
  const auto messages = gather_on_root(communicator, {mine.begin(), mine.end()});
  std::size_t bytes = 0;
  for (const Message& message : messages) bytes += message.bytes.size();
  storage.reserve(bytes);  // no more than is needed
  for (const Message& message : messages)
    storage.insert(storage.end(), message.bytes.begin(), message.bytes.end());
  return storage;
}

/// One message to each rank that gets any records.
/// @param by_rank  shape [ranks][any number]
template <class T>
std::vector<Message> messages_of(const std::vector<std::vector<T>>& by_rank) {
  std::vector<Message> messages;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
    if (!by_rank[rank].empty())
      messages.push_back({static_cast<int>(rank), to_bytes<T>(by_rank[rank])});
  return messages;
}

}  // namespace op2::comm
