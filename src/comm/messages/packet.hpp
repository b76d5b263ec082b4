// SPDX-License-Identifier: BSD-3-Clause
// Values in messages, read in the order in which they were written.
#pragma once

#include <cstring>
#include <map>
#include <span>
#include <type_traits>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/error.hpp>

namespace op2::comm {

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
