// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/gather.hpp>

#include <algorithm>
#include <cstddef>

#include <jit/target/cuda/argument_ways.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

std::size_t arguments_of_gathered(std::span<const std::int32_t> gathered) {
  return gathered.empty() ? 0 : static_cast<std::size_t>(gathered.back());
}

bool adds_through_a_map(const ArgShape& arg) {
  return is_dat(arg) && arg.access == OP_INC && is_indirect(arg);
}

/// Gathered loops: whether they may be executed once for each row that they add to.
bool only_adds(std::span<const ArgShape> args) {
  const std::set<int> written = written_dats(args);
  return !written.empty() && std::ranges::all_of(args, [&](const ArgShape& arg) {
    return adds_through_a_map(arg) || (!writes(arg) && !(is_dat(arg) && written.contains(arg.dat)));
  });
}

}  // namespace

std::set<int> gathered_dats(std::span<const ArgShape> args,
                            std::span<const std::int32_t> gathered) {
  return written_dats(args.first(arguments_of_gathered(gathered)));
}

std::set<int> moved_dats(std::span<const ArgShape> args, std::span<const std::int32_t> gathered) {
  const auto before = args.first(arguments_of_gathered(gathered));
  std::set<int> moved;
  for (const int dat : written_dats(args.subspan(before.size())))
    if (std::ranges::any_of(before, [&](const ArgShape& arg) {
          return is_dat(arg) && arg.dat == dat && !writes(arg);
        }))
      moved.insert(dat);
  return moved;
}

bool can_gather(std::span<const ArgShape> args, std::span<const std::int32_t> gathered) {
  std::vector<ArgRange> ranges = arg_ranges(gathered, args.size());
  const auto own = args.subspan(ranges.back().begin);
  ranges.pop_back();
  const std::set<int> sums = gathered_dats(args, gathered), moved = moved_dats(args, gathered);
  const auto is_row_of_element = [&](const ArgShape& arg) {
    if (is_payload(arg) || (is_indirect(arg) && writes(arg))) return false;
    if (!is_dat(arg) || !(sums.contains(arg.dat) || moved.contains(arg.dat))) return true;
    return !is_indirect(arg);
  };
  const auto is_loaded_once = [&](int dat) {
    const auto uses = [&](const ArgShape& arg) { return is_dat(arg) && arg.dat == dat; };
    return std::ranges::count_if(own, uses) == 1 &&
           std::ranges::find_if(own, uses)->dim <= largest_loaded_row;
  };
  const auto reads_no_sum = [&](const ArgShape& arg) {
    return writes(arg) || !is_dat(arg) || !sums.contains(arg.dat);
  };
  return runs_on_device(args) &&
         std::ranges::all_of(ranges,
                             [&](const ArgRange& range) {
                               const auto loop = args.subspan(range.begin, range.end - range.begin);
                               return only_adds(loop) && std::ranges::all_of(loop, reads_no_sum);
                             }) &&
         std::ranges::all_of(own, is_row_of_element) && std::ranges::all_of(moved, is_loaded_once);
}

}  // namespace op2::jit
