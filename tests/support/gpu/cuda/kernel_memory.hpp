// SPDX-License-Identifier: BSD-3-Clause
// Which memory may the running kernel access, and does what it reads have a value?
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "../access_order.hpp"
#include "../arena.hpp"

namespace op2::test::gpu::cuda {

class KernelImage;

/// A variable of a module of which the program knows the address. Its value is copied into the
/// module before a kernel, and back after it.
struct KnownVariable {
  std::string name;
  std::span<std::byte> in_image;
  std::byte* on_device;
  bool constant;
};
using KnownVariables = std::vector<KnownVariable>;

/// What an access does wrong.
enum class Fault : std::uint8_t {
  none,
  misaligned,
  outside,        ///< of all allocations, or of what is shared
  host,           ///< memory of the host
  read_only,      ///< a write to constants or code
  without_value,  ///< read before anything was written
  race,
};

class KernelMemory {
 public:
  KernelMemory(Arena& arena, const KernelImage& image, const KnownVariables& variables);

  /// Shared memory loses its values.
  void start_block();
  /// Whether the bytes are on a stack is the caller's question.
  Fault check(const std::byte* begin, std::size_t bytes, AccessKind kind, const Moment& at) {
    if (!arena_.contains(begin)) return check_section(begin, bytes, kind, at);
    Allocation* allocation = arena_.around(begin);
    if (allocation == nullptr || allocation->freed || begin < allocation->data ||
        begin + bytes > allocation->data + allocation->bytes)
      return Fault::outside;
    if (!allocation->open) arena_.open(*allocation);
    const auto offset = static_cast<std::size_t>(begin - allocation->data);
    if (!have_values(allocation->has_value.data() + offset, bytes, kind))
      return Fault::without_value;
    rival_ = allocation->history.note(offset, bytes, kind, at, at.kernel);
    return rival_ == nullptr ? Fault::none : Fault::race;
  }

  /// @param fault  of the last check
  std::string explain(Fault fault, const std::byte* begin, std::size_t bytes, AccessKind kind,
                      const AccessOrder& order) const;

 private:
  /// Memory that is not of the arena.
  struct Section {
    std::span<std::byte> bytes{};
    std::vector<std::uint8_t> has_value{};
    AccessHistory history{};

    bool contains(const std::byte* byte) const {
      return byte >= bytes.data() && byte < bytes.data() + bytes.size();
    }
  };
  /// Whether they do; those that are written have one from now on. An atomic update may be of a
  /// word of which only some bytes are meant.
  static bool have_values(std::uint8_t* values, std::size_t bytes, AccessKind kind) {
    if (kind == AccessKind::atomic) return std::memchr(values, 1, bytes) != nullptr;
    if (kind == AccessKind::write) {
      std::memset(values, 1, bytes);
      return true;
    }
    if (bytes == 8) return are_ones<std::uint64_t>(values);
    if (bytes == 4) return are_ones<std::uint32_t>(values);
    return std::memchr(values, 0, bytes) == nullptr;
  }
  template <class Word>
  static bool are_ones(const std::uint8_t* values) {
    Word word = 0;
    std::memcpy(&word, values, sizeof word);
    return word == static_cast<Word>(0x0101010101010101U);
  }
  Fault check_section(const std::byte* begin, std::size_t bytes, AccessKind kind, const Moment& at);
  Fault check(Section& section, const std::byte* begin, std::size_t bytes, AccessKind kind,
              const Moment& at, std::uint64_t since);
  Fault check_constant(const std::byte* begin, std::size_t bytes, AccessKind kind,
                       const Moment& at);
  std::string describe(const std::byte* begin) const;
  std::string describe_rival(const AccessOrder& order) const;

  Arena& arena_;
  const KernelImage& image_;
  const KnownVariables& variables_;
  Section shared_, writable_;
  const Rival* rival_ = nullptr;
};

}  // namespace op2::test::gpu::cuda
