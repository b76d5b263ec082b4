// SPDX-License-Identifier: BSD-3-Clause
#include <jit/simd.hpp>

#include <fmt/format.h>

namespace op2::jit {
namespace {

std::string reason_of(const SimdChoice& choice) {
  switch (choice.reason) {
    case ScalarReason::none:
      return "";
    case ScalarReason::disabled:
      return "OP2_DEBUG=no_simd";
    case ScalarReason::large_reduction:
      return fmt::format("argument {} reduces {} values", choice.argument, choice.amount);
    case ScalarReason::set_by_element:
      return fmt::format("argument {} is set by one element", choice.argument);
    case ScalarReason::boolean:
      return fmt::format("argument {} is bool, which is not vectorised", choice.argument);
    case ScalarReason::indirect_write:
      return fmt::format("argument {} writes through a map", choice.argument);
    case ScalarReason::shared_dat:
      return fmt::format("argument {} writes a dat that another uses", choice.argument);
    case ScalarReason::no_data:
      return "no argument is a dat";
    case ScalarReason::short_vectors:
      return "the vectors of the CPU hold one element";
    case ScalarReason::large_element:
      return fmt::format("an element has {} bytes of arguments", choice.amount);
    case ScalarReason::calls:
      return "calls " + choice.detail;
    case ScalarReason::traps:
      return "floating-point traps are on, and a kernel computes on some paths only";
    case ScalarReason::not_inlined:
      return "a kernel is too long to be inlined, or calls itself";
    case ScalarReason::not_vectorised:
      return choice.detail.empty() ? "the compiler does not vectorise it" : choice.detail;
    case ScalarReason::not_profitable:
      return fmt::format("{} instructions to load and store vectors would save {}", choice.amount,
                         choice.limit);
  }
  return "";
}

}  // namespace

std::string description_of(const SimdChoice& choice) {
  if (choice.vectorised()) return fmt::format("SIMD width {}", choice.width);
  const std::string reason = reason_of(choice);
  return reason.empty() ? "scalar" : "scalar: " + reason;
}

}  // namespace op2::jit
