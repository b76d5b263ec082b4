// SPDX-License-Identifier: BSD-3-Clause
#include <jit/slotted_args.hpp>

#include <algorithm>
#include <utility>

namespace op2::jit {
namespace {

using Columns = std::vector<std::pair<std::int32_t, std::int32_t>>;  ///< map and column

bool is_of(const ArgShape& arg, std::int32_t dat) {
  return arg.active && arg.kind == OP_ARG_DAT && arg.dat == dat;
}

bool is_slotted(std::span<const ArgShape> args, std::int32_t dat) {
  return std::ranges::all_of(args, [&](const ArgShape& arg) {
    return !is_of(arg, dat) || (arg.access == OP_INC && arg.map >= 0);
  });
}

/// Through which the loop accesses a dat, in the order of the arguments, each once.
Columns columns_of(std::span<const ArgShape> args, std::int32_t dat) {
  Columns columns;
  for (const ArgShape& arg : args)
    if (is_of(arg, dat) &&
        std::ranges::find(columns, std::pair(arg.map, arg.column)) == columns.end())
      columns.emplace_back(arg.map, arg.column);
  return columns;
}

}  // namespace

std::vector<SlottedArg> slotted_args(std::span<const ArgShape> args) {
  std::vector<SlottedArg> slotted;
  const auto first_where = [&](std::size_t arg, auto&& alike) {
    const auto known = std::ranges::find_if(
        slotted, [&](const SlottedArg& other) { return alike(args[other.arg]); });
    return known == slotted.end() ? arg : known->arg;
  };
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ArgShape& arg = args[i];
    if (!is_of(arg, arg.dat) || !is_slotted(args, arg.dat)) continue;
    const Columns columns = columns_of(args, arg.dat);
    const std::size_t sum = first_where(i, [&](const ArgShape& other) {
      return other.dat == arg.dat && other.map == arg.map && other.column == arg.column;
    });
    const std::size_t targets = first_where(i, [&](const ArgShape& other) {
      return other.map == arg.map && columns_of(args, other.dat) == columns;
    });
    slotted.push_back({i, sum, targets});
  }
  return slotted;
}

}  // namespace op2::jit
