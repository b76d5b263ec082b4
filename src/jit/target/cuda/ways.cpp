// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/ways.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include <core/value_type.hpp>
#include <jit/target/cuda/gather.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

/// Whether other threads may add to the row. A row that the loop also reads or sets is of one
/// element alone, else the loop would run in order; this element sees what it has added.
bool is_added(std::span<const ArgShape> args, const ArgShape& arg) {
  bool is_shared = false;
  for (const ArgShape& other : args) {
    if (!is_dat(other) || other.dat != arg.dat) continue;
    if (other.access != OP_INC) return false;
    is_shared = is_shared || is_indirect(other);
  }
  return is_shared;
}

/// Whether no other thread accesses the row.
bool is_own_row(std::span<const ArgShape> args, const ArgShape& arg) {
  return !is_indirect(arg) && std::ranges::count_if(args, [&](const ArgShape& other) {
                                return is_dat(other) && other.dat == arg.dat;
                              }) == 1;
}

/// The largest power of 2, up to 16, that divides the bytes of every row of a dat.
std::size_t row_alignment(const ArgShape& arg) {
  const std::size_t bytes = core::size_of(arg.type, arg.dim);
  return std::min<std::size_t>(16, bytes & -bytes);
}

ArgumentWay way_of_dat(std::span<const ArgShape> args, const ArgShape& arg,
                       const std::set<int>& written) {
  if (is_added(args, arg)) return ArgumentWay::added;
  if (is_extreme_row(arg)) return ArgumentWay::extreme;
  if (arg.dim > largest_loaded_row) return ArgumentWay::in_place;
  if (!written.contains(arg.dat)) return ArgumentWay::loaded;
  const bool gains = row_alignment(arg) > core::size_of(arg.type);
  return gains && is_own_row(args, arg) ? ArgumentWay::stored : ArgumentWay::in_place;
}

ArgumentWay way_of_global(std::span<const ArgShape> args, std::size_t position) {
  if (!writes(args[position])) return ArgumentWay::global;
  if (is_payload(args[position])) return ArgumentWay::payload;
  return payloads_of(args, position).empty() ? ArgumentWay::reduced : ArgumentWay::best;
}

std::vector<ArgumentWay> ways_of_gathered(std::span<const ArgShape> args) {
  std::vector<ArgumentWay> ways = ways_of(args);
  for (std::size_t i = 0; i < args.size(); ++i)
    if (is_dat(args[i]) && writes(args[i]))
      ways[i] = args[i].access == OP_INC ? ArgumentWay::summed : ArgumentWay::once;
  return ways;
}

/// Of the kernels that are called after rows have gathered their increments.
std::vector<ArgumentWay> ways_after(std::span<const ArgShape> all, std::span<const ArgShape> args,
                                    std::span<const std::int32_t> gathered) {
  const std::set<int> sums = gathered_dats(all, gathered), moved = moved_dats(all, gathered);
  std::vector<ArgumentWay> ways = ways_of(args);
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!is_dat(args[i])) continue;
    if (sums.contains(args[i].dat)) ways[i] = ArgumentWay::kept;
    if (moved.contains(args[i].dat)) ways[i] = ArgumentWay::stored;
  }
  return ways;
}

}  // namespace

std::vector<ArgumentWay> ways_of(std::span<const ArgShape> args) {
  const std::set<int> written = written_dats(args);
  std::vector<ArgumentWay> ways;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const ArgShape& arg = args[k];
    if (is_dat(arg))
      ways.push_back(way_of_dat(args, arg, written));
    else if (is_global(arg))
      ways.push_back(way_of_global(args, k));
    else
      ways.push_back(is_number(arg) ? ArgumentWay::number : ArgumentWay::off);
  }
  return ways;
}

std::vector<ArgumentWay> ordered_ways_of(std::span<const ArgShape> args) {
  std::vector<ArgumentWay> ways = ways_of(args);
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (ways[i] == ArgumentWay::added) ways[i] = ArgumentWay::in_place;
    if (ways[i] == ArgumentWay::reduced && is_exact_sum(args[i])) ways[i] = ArgumentWay::term;
    if (ways[i] == ArgumentWay::reduced && args[i].access != OP_INC)
      ways[i] = ArgumentWay::compared;
  }
  for (const SlottedArg& slotted : slotted_args(args)) ways[slotted.arg] = ArgumentWay::added;
  return ways;
}

std::vector<ArgumentWay> pull_ways_of(std::span<const ArgShape> args,
                                      std::span<const std::int32_t> gathered) {
  std::vector<ArgumentWay> ways;
  for (const ArgRange& range : arg_ranges(gathered, args.size())) {
    const auto of_loop = args.subspan(range.begin, range.end - range.begin);
    const bool gathers = gathered.empty() || std::cmp_less_equal(range.end, gathered.back());
    const std::vector<ArgumentWay> some =
        gathers ? ways_of_gathered(of_loop) : ways_after(args, of_loop, gathered);
    ways.insert(ways.end(), some.begin(), some.end());
  }
  return ways;
}

}  // namespace op2::jit
