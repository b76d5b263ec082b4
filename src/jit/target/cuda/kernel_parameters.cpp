// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cuda/kernel_parameters.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include <core/exact_sum.hpp>
#include <jit/target/cuda/gather.hpp>
#include <jit/target/emit_parts.hpp>

namespace op2::jit {
namespace {

using Kind = KernelParameter::Kind;

// As the device library has them (jit/kernel_library/cuda): eight warps of a block, and the
// integers of a sum.
static_assert(block_threads == 256);
static_assert(core::ExactSum<double>::limb_bits == 40 && core::ExactSum<double>::flag_bits == 21);
static_assert(core::ExactSum<double>::words == 54 && core::ExactSum<float>::words == 9);

bool is_set_by_element(const ArgShape& arg) {
  return is_global(arg) && !is_payload(arg) && (arg.access == OP_WRITE || arg.access == OP_RW);
}

}  // namespace

bool is_reduction(const ArgShape& arg) {
  return is_global(arg) && writes(arg);
}

bool runs_on_device(std::span<const ArgShape> args) {
  return std::ranges::none_of(args, is_set_by_element);
}

std::vector<KernelParameter> kernel_parameters(std::span<const ArgShape> args) {
  std::vector<KernelParameter> parameters;
  std::set<int> dats;  // that have a parameter
  std::set<std::pair<int, int>> columns;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const ArgShape& arg = args[i];
    if (is_dat(arg) && dats.insert(arg.dat).second) parameters.push_back({Kind::dat, i});
    if (is_number(arg)) parameters.push_back({Kind::row_numbers, i});
    if (is_global(arg) && !writes(arg)) parameters.push_back({Kind::global, i});
    if (is_payload(arg)) parameters.push_back({Kind::order, i});
    if (is_reduction(arg)) {
      parameters.push_back({Kind::result, i});
      parameters.push_back({Kind::partials, i});
    }
    if (is_indirect(arg) && columns.emplace(arg.map, arg.column).second)
      parameters.push_back({Kind::column, i});
  }
  return parameters;
}

std::vector<KernelParameter> pull_parameters(std::span<const ArgShape> args,
                                             std::span<const std::int32_t> gathered) {
  std::vector<KernelParameter> parameters = kernel_parameters(args);
  for (const int dat : moved_dats(args, gathered)) {
    const auto use = std::ranges::find(args, dat, &ArgShape::dat);
    parameters.push_back({Kind::second, static_cast<std::size_t>(use - args.begin())});
  }
  parameters.push_back({Kind::pull_rows, 0});
  for (std::size_t loop = 0; loop < std::max<std::size_t>(1, gathered.size()); ++loop)
    for (const Kind list : {Kind::pull_start, Kind::pull_elements})
      parameters.push_back({list, loop});
  return parameters;
}

std::vector<KernelParameter> fold_parameters(std::span<const ArgShape> args) {
  std::vector<KernelParameter> parameters = kernel_parameters(args);
  std::erase_if(parameters, [](const KernelParameter& parameter) {
    return parameter.kind != Kind::result && parameter.kind != Kind::partials;
  });
  return parameters;
}

std::vector<AddedDat> added_dats(std::span<const ArgShape> args) {
  std::vector<AddedDat> added;
  for (const SlottedArg& slotted : slotted_args(args)) {
    const auto of_dat = [&](const AddedDat& one) {
      return args[one.arg].dat == args[slotted.arg].dat;
    };
    auto known = std::ranges::find_if(added, of_dat);
    if (known == added.end()) known = added.insert(known, {slotted.arg});
    if (slotted.sum == slotted.arg) known->columns.push_back(slotted.arg);
  }
  return added;
}

bool is_exact_sum(const ArgShape& arg) {
  return is_global(arg) && arg.access == OP_INC && core::is_rounded(arg.type);
}

std::size_t words_of_sum(Type type) {
  return type == Type::f64 ? core::ExactSum<double>::words : core::ExactSum<float>::words;
}

std::size_t bytes_of_sums(std::span<const ArgShape> args) {
  std::size_t words = 0;
  for (const ArgShape& arg : args)
    if (is_exact_sum(arg)) words += words_of_sum(arg.type) * static_cast<std::size_t>(arg.dim);
  return words * sizeof(std::int64_t);
}

std::vector<KernelParameter> ordered_parameters(std::span<const ArgShape> args) {
  std::vector<KernelParameter> parameters = kernel_parameters(args);
  for (const AddedDat& dat : added_dats(args)) parameters.push_back({Kind::parts, dat.arg});
  return parameters;
}

}  // namespace op2::jit
