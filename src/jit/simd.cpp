// SPDX-License-Identifier: BSD-3-Clause
#include <jit/simd.hpp>

#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace op2::jit {
namespace {

/// In the order of ScalarReason, after "scalar: ".
constexpr std::array<const char*, scalar_reason_count> reasons{
    "",
    "OP2_DEBUG=no_simd",
    "argument {argument} reduces {amount} values",
    "argument {argument} is set by one element",
    "argument {argument} is bool, which is not vectorised",
    "argument {argument} writes through a map",
    "argument {argument} writes a dat that another uses",
    "no argument is a dat",
    "the vectors of the CPU hold one element",
    "an element has {amount} bytes of arguments",
    "calls {detail}",
    "{detail}",
    "{amount} instructions to load and store vectors would save {limit}",
    "floating-point traps are on, and a kernel computes on some paths only",
    "a kernel is too long to be inlined, or calls itself"};

}  // namespace

std::string description_of(const SimdChoice& choice) {
  if (choice.vectorised()) return fmt::format("SIMD width {}", choice.width);
  if (choice.reason == ScalarReason::none) return "scalar";
  const bool has_no_remark = choice.reason == ScalarReason::not_vectorised && choice.detail.empty();
  return "scalar: " +
         fmt::format(fmt::runtime(reasons.at(static_cast<std::size_t>(choice.reason))),
                     fmt::arg("argument", choice.argument), fmt::arg("amount", choice.amount),
                     fmt::arg("limit", choice.limit),
                     fmt::arg("detail", has_no_remark ? "the compiler does not vectorise it"
                                                      : choice.detail));
}

}  // namespace op2::jit
