// SPDX-License-Identifier: BSD-3-Clause
// Values as bytes: integers in little endian, blocks and strings after their length in 8 bytes.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace op2::jit {

using Bytes = std::span<const std::byte>;

/// `T`, const for a Writer.
template <class Value, class T>
concept Is = std::same_as<std::remove_const_t<Value>, T>;

/// A record is a struct with a function `fields(stream, record)` that names its members once for
/// both directions, by `stream.values(...)`. Enumerations and bool take 4 bytes; a vector of
/// records is a block.
class Writer {
 public:
  void values(const auto&... all) { (value(all), ...); }
  void raw(Bytes bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void block(Bytes bytes) {
    value(std::uint64_t{bytes.size()});
    raw(bytes);
  }
  std::vector<std::byte>& bytes() { return bytes_; }
  /// As of a Reader: what is written is always valid.
  void refuse() {}

 private:
  template <class T>
  void value(const T& item) {
    if constexpr (std::is_enum_v<T> || std::same_as<T, bool>) {
      value(static_cast<std::int32_t>(item));
    } else if constexpr (std::integral<T>) {
      const auto bits = static_cast<std::make_unsigned_t<T>>(item);
      for (std::size_t i = 0; i < sizeof bits; ++i) bytes_.push_back(std::byte(bits >> (8 * i)));
    } else if constexpr (std::same_as<T, double>) {
      value(std::bit_cast<std::uint64_t>(item));
    } else if constexpr (std::same_as<T, std::string>) {
      block(std::as_bytes(std::span(item)));
    } else {
      fields(*this, item);
    }
  }
  void value(const std::vector<std::byte>& bytes) { block(bytes); }
  template <class Item>
  void value(const std::vector<Item>& items) {
    Writer inner;
    for (const Item& item : items) inner.value(item);
    block(inner.bytes_);
  }

  std::vector<std::byte> bytes_;
};

/// Reads values from its bytes. Beyond the end it returns zeros and records the failure.
class Reader {
 public:
  explicit Reader(Bytes bytes) : rest_(bytes) {}

  void values(auto&... all) { (value(all), ...); }
  /// What was read is not what a Writer writes.
  void refuse() {
    short_ = true;
    rest_ = {};
  }
  Bytes raw(std::uint64_t count) {
    if (count > rest_.size()) {
      refuse();
      return {};
    }
    const Bytes taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  Bytes block() { return raw(read<std::uint64_t>()); }
  bool is_empty() const { return rest_.empty(); }
  bool consumed() const { return rest_.empty() && !short_; }

 private:
  template <class T>
  T read() {
    T item{};
    value(item);
    return item;
  }
  template <class T>
  void value(T& item) {
    if constexpr (std::is_enum_v<T> || std::same_as<T, bool>) {
      const auto number = read<std::int32_t>();
      item = static_cast<T>(number);
      if (static_cast<std::int32_t>(item) != number) refuse();
    } else if constexpr (std::integral<T>) {
      std::make_unsigned_t<T> bits = 0;
      const Bytes bytes = raw(sizeof bits);
      for (std::size_t i = 0; i < bytes.size(); ++i) bits |= decltype(bits)(bytes[i]) << (8 * i);
      item = static_cast<T>(bits);
    } else if constexpr (std::same_as<T, double>) {
      item = std::bit_cast<double>(read<std::uint64_t>());
    } else if constexpr (std::same_as<T, std::string>) {
      const Bytes bytes = block();
      item.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    } else {
      fields(*this, item);
    }
  }
  void value(std::vector<std::byte>& bytes) {
    const Bytes found = block();
    bytes.assign(found.begin(), found.end());
  }
  template <class Item>
  void value(std::vector<Item>& items) {
    Reader inner(block());
    while (!inner.is_empty()) inner.value(items.emplace_back());
    short_ = short_ || inner.short_;
  }

  Bytes rest_;
  bool short_ = false;
};

}  // namespace op2::jit
