// SPDX-License-Identifier: BSD-3-Clause
// Plain values as the bytes of messages: whole arrays, or one after the other.
#pragma once

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/error.hpp>

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

template <class T>
void put_many(Bytes& bytes, std::span<const T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t before = bytes.size();
  bytes.resize(before + values.size_bytes());
  if (!values.empty()) std::memcpy(bytes.data() + before, values.data(), values.size_bytes());
}

template <class T>
void put(Bytes& bytes, const T& value) {
  put_many(bytes, std::span<const T>(&value, 1));
}

/// Reads values from a message; owns nothing.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  std::span<const std::byte> rest() const { return rest_; }

  template <class T>
  T get() {
    T value;
    take(&value, sizeof value);
    return value;
  }

  template <class T>
  std::vector<T> get_many(std::size_t count) {
    core::ensure(count <= rest_.size() / sizeof(T), "a message ends too early");
    std::vector<T> values(count);
    take(values.data(), count * sizeof(T));
    return values;
  }

 private:
  void take(void* to, std::size_t bytes) {
    core::ensure(bytes <= rest_.size(), "a message ends too early");
    if (bytes > 0) std::memcpy(to, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
  }

  std::span<const std::byte> rest_;
};

/// Messages under construction, by rank.
using Outbox = std::map<int, Bytes>;

inline std::vector<Message> messages_of(Outbox&& outbox) {
  std::vector<Message> messages;
  for (auto& [rank, bytes] : outbox) messages.push_back({rank, std::move(bytes)});
  return messages;
}

}  // namespace op2::comm
