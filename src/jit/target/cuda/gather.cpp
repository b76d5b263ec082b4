// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/gather.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>

#include <core/value_type.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <jit/target/cuda/ways.hpp>
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

constexpr std::size_t most_columns = 4;

/// An atomic addition of a value takes as long as so many accesses to it. On an H200 Airfoil's
/// res_calc, for which gathering would pay from 2.1 on, takes 1.15 times as long with atomics; a
/// loop that does nothing but add four values to two rows, twice as long (bench/results/gpu.md).
constexpr std::int64_t accesses_of_addition = 3;

std::vector<ArgShape> increments_of(std::span<const ArgShape> args) {
  std::vector<ArgShape> increments;
  std::ranges::copy_if(args, std::back_inserter(increments), adds_through_a_map);
  return increments;
}

/// Dats of one set share maps, and maps onto one set share dats.
bool add_to_one_set(const std::vector<ArgShape>& increments) {
  std::set<int> dats{increments.front().dat}, maps;
  for (std::size_t known = 0; known != dats.size() + maps.size();) {
    known = dats.size() + maps.size();
    for (const ArgShape& arg : increments)
      if (dats.contains(arg.dat) || maps.contains(arg.map)) {
        dats.insert(arg.dat);
        maps.insert(arg.map);
      }
  }
  return std::ranges::all_of(increments,
                             [&](const ArgShape& arg) { return dats.contains(arg.dat); });
}

/// Whether threads that execute the same element may each write.
bool is_harmless(std::span<const ArgShape> args, const ArgShape& arg) {
  if (!is_dat(arg) || !writes(arg)) return true;
  const auto of_dat = [&](const ArgShape& other) { return is_dat(other) && other.dat == arg.dat; };
  if (adds_through_a_map(arg))
    return std::ranges::none_of(
        args, [&](const ArgShape& other) { return of_dat(other) && !adds_through_a_map(other); });
  return arg.access == OP_WRITE && !is_indirect(arg) && std::ranges::count_if(args, of_dat) == 1;
}

std::int64_t bytes_of(const ArgShape& arg) {
  return static_cast<std::int64_t>(core::size_of(arg.type, arg.dim));
}

/// Of the rows and map entries that an element reads, each counted once.
std::int64_t bytes_read(std::span<const ArgShape> args) {
  auto bytes = static_cast<std::int64_t>(sizeof(int) * columns_of(args).size());
  std::set<std::tuple<int, int, int>> known;
  for (const ArgShape& arg : args)
    if (is_dat(arg) && !writes(arg) && known.emplace(arg.dat, arg.map, arg.column).second)
      bytes += bytes_of(arg);
  return bytes;
}

bool takes_less_traffic(std::span<const ArgShape> args, std::size_t columns) {
  const std::int64_t read = bytes_read(args);
  std::int64_t added = 0;
  for (const ArgShape& arg : increments_of(args)) added += accesses_of_addition * bytes_of(arg);
  const auto entry = static_cast<std::int64_t>(sizeof(int));  // of the list of elements
  return static_cast<std::int64_t>(columns) * (read + entry) < read + added;
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

bool can_pull(std::span<const ArgShape> args) {
  const std::vector<ArgShape> increments = increments_of(args);
  return !increments.empty() && add_to_one_set(increments) &&
         std::ranges::all_of(args, [&](const ArgShape& arg) { return is_harmless(args, arg); });
}

bool pulls(std::span<const ArgShape> args, core::Increments asked) {
  if (asked == core::Increments::rows || !can_pull(args)) return false;
  if (asked == core::Increments::pull) return true;
  const std::size_t columns = pulled_columns(args).size();
  return columns >= 2 && columns <= most_columns && takes_less_traffic(args, columns);
}

Gathering gathering_of(std::span<const ArgShape> args, core::Increments asked) {
  if (pulls(args, asked)) return Gathering::by_itself;
  const bool adds_to_one =
      asked == core::Increments::automatic && can_pull(args) && pulled_columns(args).size() == 1;
  return adds_to_one ? Gathering::with_others : Gathering::never;
}

std::vector<ArgShape> pulled_columns(std::span<const ArgShape> args) {
  return columns_of(increments_of(args));
}

}  // namespace op2::jit
