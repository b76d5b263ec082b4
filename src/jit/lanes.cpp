// SPDX-License-Identifier: BSD-3-Clause
#include <jit/lanes.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <core/value_type.hpp>
#include <jit/emit_parts.hpp>

namespace op2::jit {
namespace {

constexpr int widest = 16;  ///< more lanes of small types cost more in registers than they gain

/// A block of elements in local memory may take so much: half of a first-level cache.
constexpr std::size_t largest_block_bytes = 16384;

/// Why lanes could disturb each other, if they could.
std::optional<std::string> conflict_of(const std::vector<ArgShape>& args) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ArgShape& arg = args[i];
    if (is_global(arg) && writes(arg) && !is_local_block(arg))
      return fmt::format("argument {} reduces {} values", i, arg.dim);
    if (is_global(arg) && arg.access == OP_WRITE)
      return fmt::format("argument {} is set by one element", i);
    if (is_dat(arg) && arg.type == Type::b8)
      return fmt::format("argument {} is bool, of which there are no vectors", i);
    if (!is_dat(arg) || !writes(arg)) continue;
    if (is_indirect(arg) && arg.access != OP_INC)
      return fmt::format("argument {} writes through a map", i);
    for (const ArgShape& other : args) {
      const bool same_dat = &other != &arg && is_dat(other) && other.dat == arg.dat;
      const bool both_add = is_indirect(arg) && is_indirect(other) && other.access == OP_INC;
      if (same_dat && !both_add)
        return fmt::format("argument {} writes a dat that another uses", i);
    }
  }
  return {};
}

}  // namespace

Lanes lanes_of(const std::vector<ArgShape>& args, int vector_bytes) {
  if (auto conflict = conflict_of(args)) return {1, std::move(*conflict)};
  int largest = 0;
  std::size_t bytes = 0;  // of one element
  for (const ArgShape& arg : args) {
    const bool local = is_dat(arg) || (is_global(arg) && writes(arg));
    if (!local) continue;
    largest = std::max(largest, static_cast<int>(core::size_of(arg.type)));
    bytes += core::size_of(arg.type, arg.dim);
  }
  if (largest == 0) return {1, "its elements have no data"};
  const int width = std::min(widest, vector_bytes / largest);
  if (width < 2) return {1, "the vectors of the CPU hold one element"};
  if (bytes * static_cast<std::size_t>(width) > largest_block_bytes)
    return {1, fmt::format("an element has {} bytes of arguments", bytes)};
  return {width, ""};
}

std::string words_of(const Lanes& lanes) {
  if (lanes.width > 1) return fmt::format("{} wide", lanes.width);
  return lanes.why.empty() ? "scalar" : "scalar: " + lanes.why;
}

}  // namespace op2::jit
