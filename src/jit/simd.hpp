// SPDX-License-Identifier: BSD-3-Clause
// How many elements code executes at once, and if it is one, why.
#pragma once

#include <cstdint>
#include <string>

namespace op2::jit {

/// Why code is scalar: executes one element after the other.
enum class ScalarReason : std::uint8_t {
  none,             ///< it is not, or nobody asked
  disabled,         ///< by OP2_DEBUG=no_simd
  large_reduction,  ///< `argument` reduces `amount` values
  set_by_element,   ///< `argument` is a global that one element sets
  boolean,          ///< `argument` is bool, of which there are no vectors
  indirect_write,   ///< `argument` writes through a map
  shared_dat,       ///< `argument` writes a dat that another one uses
  no_data,          ///< elements have no data
  short_vectors,    ///< the CPU's vectors hold one element
  large_element,    ///< an element has `amount` bytes of arguments
  calls,            ///< a kernel calls the functions in `detail`
  not_vectorised,   ///< the compiler does not vectorise it; `detail` is its remark, if it has one
  not_profitable,   ///< `amount` instructions to fill and empty vectors would save `limit`
};
inline constexpr int scalar_reason_count = 13;

/// How many elements code executes at once.
struct SimdChoice {
  std::int32_t width = 1;  ///< 1: scalar
  ScalarReason reason = ScalarReason::none;
  std::int32_t argument = -1;  ///< these: what the reason is about, as it says
  std::int64_t amount = 0;
  std::int64_t limit = 0;
  std::string detail{};

  bool vectorised() const { return width > 1; }
  bool operator==(const SimdChoice&) const = default;
};

/// "SIMD width 8", or "scalar: " and the reason if there is one.
std::string description_of(const SimdChoice& choice);

}  // namespace op2::jit
