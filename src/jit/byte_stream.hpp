// SPDX-License-Identifier: BSD-3-Clause
// Values as bytes: integers in little endian, blocks and strings after their length in 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace op2::jit {

using Bytes = std::span<const std::byte>;

class Writer {
 public:
  template <class Integer>
  void integer(Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) bytes_.push_back(std::byte(value >> (8 * i)));
  }
  void raw(Bytes bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void block(Bytes bytes) {
    integer<std::uint64_t>(bytes.size());
    raw(bytes);
  }
  void text(std::string_view text) { block(std::as_bytes(std::span(text))); }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads values from its bytes. Beyond the end it returns zeros and records the failure.
class Reader {
 public:
  explicit Reader(Bytes bytes) : rest_(bytes) {}

  template <class Integer>
  Integer integer() {
    Integer value = 0;
    const Bytes bytes = raw(sizeof(Integer));
    for (std::size_t i = 0; i < bytes.size(); ++i) value |= Integer(bytes[i]) << (8 * i);
    return value;
  }
  Bytes raw(std::uint64_t count) {
    if (count > rest_.size()) {
      short_ = true;
      rest_ = {};
      return {};
    }
    const Bytes taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }
  Bytes block() { return raw(integer<std::uint64_t>()); }
  std::string text() {
    const Bytes bytes = block();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  bool is_empty() const { return rest_.empty(); }
  bool consumed() const { return rest_.empty() && !short_; }

 private:
  Bytes rest_;
  bool short_ = false;
};

}  // namespace op2::jit
