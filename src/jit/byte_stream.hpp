// SPDX-License-Identifier: BSD-3-Clause
// Values as bytes: integers in little endian, blocks and strings after their length in 8 bytes.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace op2::jit {

using Bytes = std::span<const std::byte>;

/// A record is a struct with a function `fields(stream, record)` that names its members once for
/// both directions, by `stream.values(...)`. A vector of records is a block.
class Writer {
 public:
  template <class... T>
  void values(const T&... all) {
    (value(all), ...);
  }
  void raw(Bytes bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void block(Bytes bytes) {
    value(std::uint64_t{bytes.size()});
    raw(bytes);
  }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  template <std::integral Integer>
  void value(Integer number) {
    const auto bits = static_cast<std::make_unsigned_t<Integer>>(number);
    for (std::size_t i = 0; i < sizeof bits; ++i) bytes_.push_back(std::byte(bits >> (8 * i)));
  }
  void value(double number) { value(std::bit_cast<std::uint64_t>(number)); }
  void value(const std::string& text) { block(std::as_bytes(std::span(text))); }
  void value(const std::vector<std::byte>& bytes) { block(bytes); }
  template <class Record>
  void value(const std::vector<Record>& records) {
    Writer inner;
    for (const Record& record : records) fields(inner, record);
    block(inner.bytes_);
  }

  std::vector<std::byte> bytes_;
};

/// Reads values from its bytes. Beyond the end it returns zeros and records the failure.
class Reader {
 public:
  explicit Reader(Bytes bytes) : rest_(bytes) {}

  template <class... T>
  void values(T&... all) {
    (value(all), ...);
  }
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
  Bytes block() {
    std::uint64_t size = 0;
    value(size);
    return raw(size);
  }
  bool is_empty() const { return rest_.empty(); }
  bool consumed() const { return rest_.empty() && !short_; }

 private:
  template <std::integral Integer>
  void value(Integer& number) {
    std::make_unsigned_t<Integer> bits = 0;
    const Bytes bytes = raw(sizeof bits);
    for (std::size_t i = 0; i < bytes.size(); ++i) bits |= decltype(bits)(bytes[i]) << (8 * i);
    number = static_cast<Integer>(bits);
  }
  void value(double& number) {
    std::uint64_t bits = 0;
    value(bits);
    number = std::bit_cast<double>(bits);
  }
  void value(std::string& text) {
    const Bytes bytes = block();
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void value(std::vector<std::byte>& bytes) {
    const Bytes found = block();
    bytes.assign(found.begin(), found.end());
  }
  template <class Record>
  void value(std::vector<Record>& records) {
    Reader inner(block());
    while (!inner.is_empty()) fields(inner, records.emplace_back());
    short_ = short_ || inner.short_;
  }

  Bytes rest_;
  bool short_ = false;
};

}  // namespace op2::jit
