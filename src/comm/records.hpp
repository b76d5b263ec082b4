// SPDX-License-Identifier: BSD-3-Clause
// Arrays of plain values as the bytes of messages.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <comm/communicator.hpp>

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

/// Everybody's record, in the order of the ranks. Collective.
template <class T>
std::vector<T> gather_records(Communicator& communicator, const T& mine) {
  return from_bytes<T>(communicator.gather_all(std::as_bytes(std::span(&mine, 1))));
}

}  // namespace op2::comm
