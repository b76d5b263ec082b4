// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cpu/simd_choice.hpp>

#include <algorithm>

#include <core/access.hpp>
#include <core/value_type.hpp>
#include <jit/target/cpu/range_parameters.hpp>

namespace op2::jit {
namespace {

constexpr int largest_width = 16;  ///< more elements of small types need too many registers

/// Local memory for a block of elements: half of a first-level cache.
constexpr std::size_t largest_block_bytes = 16384;

SimdChoice scalar(ScalarReason reason, std::size_t argument, std::int64_t amount = 0) {
  return {.reason = reason, .argument = static_cast<std::int32_t>(argument), .amount = amount};
}

bool shares_dat(const ArgShape& arg, const ArgShape& other) {
  const bool same_dat = &other != &arg && is_dat(other) && other.dat == arg.dat;
  const bool both_combine = is_indirect(arg) && is_indirect(other) && other.access == arg.access &&
                            core::is_combined(arg.access);
  return same_dat && !both_combine;
}

/// The reason, if any, why elements must not be executed at once.
SimdChoice conflict_of(const std::vector<ArgShape>& args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ArgShape& arg = args[i];
    if (is_global(arg) && writes(arg) && !is_local_block(arg))
      return scalar(ScalarReason::large_reduction, i, arg.dim);
    if (is_global(arg) && arg.access == OP_WRITE && arg.extreme < 0)
      return scalar(ScalarReason::set_by_element, i);
    if (is_dat(arg) && arg.type == Type::b8) return scalar(ScalarReason::boolean, i);
    if (!is_dat(arg) || !writes(arg)) continue;
    if (is_indirect(arg) && !core::is_combined(arg.access))
      return scalar(ScalarReason::indirect_write, i);
    if (std::ranges::any_of(args, [&](const ArgShape& other) { return shares_dat(arg, other); }))
      return scalar(ScalarReason::shared_dat, i);
  }
  return {};
}

}  // namespace

SimdChoice simd_choice(const std::vector<ArgShape>& args, int vector_bytes) {
  if (SimdChoice conflict = conflict_of(args); conflict.reason != ScalarReason::none)
    return conflict;
  int largest = 0;
  std::size_t bytes = 0;  // of one element
  for (const ArgShape& arg : args) {
    const bool local = is_dat(arg) || (is_global(arg) && writes(arg));
    if (!local) continue;
    largest = std::max(largest, static_cast<int>(core::size_of(arg.type)));
    bytes += core::size_of(arg.type, arg.dim);
  }
  if (largest == 0) return {.reason = ScalarReason::no_data};
  const int width = std::min(largest_width, vector_bytes / largest);
  if (width < 2) return {.reason = ScalarReason::short_vectors};
  if (bytes * static_cast<std::size_t>(width) > largest_block_bytes)
    return {.reason = ScalarReason::large_element, .amount = static_cast<std::int64_t>(bytes)};
  return {.width = width};
}

}  // namespace op2::jit
