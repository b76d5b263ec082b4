// SPDX-License-Identifier: BSD-3-Clause
// The SIMD width of code and, if it is scalar, the reason.
#pragma once

#include <cstdint>
#include <string>

#include <jit/byte_stream.hpp>

namespace op2::jit {

/// Why code is scalar: executes one element after the other.
enum class ScalarReason : std::uint8_t {
  none,             ///< it is not, or no vector code was requested
  disabled,         ///< by OP2_DEBUG=no_simd
  large_reduction,  ///< `argument` reduces `amount` values
  set_by_element,   ///< `argument` is a global that one element sets
  boolean,          ///< `argument` is bool, which is not vectorised
  indirect_write,   ///< `argument` writes through a map
  shared_dat,       ///< `argument` writes a dat that another one uses
  no_data,          ///< no argument is a dat
  short_vectors,    ///< the CPU's vectors hold one element
  large_element,    ///< an element has `amount` bytes of arguments
  calls,            ///< a kernel calls the functions in `detail`
  not_vectorised,   ///< the compiler does not vectorise it; `detail` is its remark, if it has one
  not_profitable,   ///< `amount` instructions to load and store vectors would save `limit`
  traps,            ///< floating-point traps are on, and a kernel computes on some paths only
  not_inlined,      ///< the compiler does not inline a kernel: it is long, or calls itself
};
inline constexpr int scalar_reason_count = 15;

/// The SIMD width of code.
struct SimdChoice {
  std::int32_t width = 1;  ///< 1: scalar
  ScalarReason reason = ScalarReason::none;
  std::int32_t argument = -1;  ///< this and the following: as the reason says
  std::int64_t amount = 0;
  std::int64_t limit = 0;
  std::string detail{};  ///< one line, for display only

  bool vectorised() const { return width > 1; }
  bool operator==(const SimdChoice&) const = default;
};

/// "SIMD width 8", or "scalar: " and the reason if there is one.
std::string description_of(const SimdChoice& choice);

/// The choice as bytes.
void fields(auto& stream, Is<SimdChoice> auto& choice) {
  stream.values(choice.width, choice.reason, choice.argument, choice.amount, choice.limit,
                choice.detail);
  if (static_cast<int>(choice.reason) >= scalar_reason_count) stream.refuse();
}

}  // namespace op2::jit
