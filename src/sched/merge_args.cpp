// SPDX-License-Identifier: BSD-3-Clause
#include <sched/merge_args.hpp>

#include <algorithm>
#include <utility>

namespace op2::sched {
namespace {

/// Whether two arguments may be merged: the kernels then get the same row.
bool access_alike(const core::LoopArg& a, const core::LoopArg& b) {
  const bool same = a.active && b.active && a.kind == b.kind && a.kind != OP_ARG_GBL &&
                    a.dat == b.dat && a.map == b.map && a.column == b.column;
  return same && (!a.is_indirect() || (a.access == OP_READ && b.access == OP_READ));
}

/// Access of an argument that one kernel uses after the other.
op_access joined(op_access first, op_access second) {
  return first == second || first == OP_WRITE ? first : OP_RW;
}

/// @param before  arguments of the loops before this one
/// @return position in `merged`
std::size_t add(const core::LoopArg& arg, const ArgSource& source, std::size_t before,
                MergedArgs& merged) {
  const auto known = std::ranges::find_if(
      merged.args, [&](const core::LoopArg& other) { return access_alike(other, arg); });
  const std::size_t position = known - merged.args.begin();
  const bool is_of_same_loop = position >= before;
  if (known == merged.args.end()) {
    merged.args.push_back(arg);
    merged.sources.push_back(source);
  } else if (is_of_same_loop) {
    known->access = known->access == arg.access ? arg.access : OP_RW;
  } else {
    known->access = joined(known->access, arg.access);
  }
  return position;
}

/// Payloads refer to the merged position of their extreme.
/// @param before  arguments of the loops before this one
void refer_to_extremes(const KernelUse& kernel, std::size_t before, MergedArgs& merged) {
  for (std::size_t k = before; k < merged.args.size(); ++k)
    if (int& extreme = merged.args[k].info_of; extreme >= 0)
      extreme = kernel.args[static_cast<std::size_t>(extreme)].position;
}

/// Behind those that are there.
void append(MergedArgs& all, MergedArgs more) {
  const auto before = static_cast<std::int32_t>(all.args.size());
  for (core::LoopArg& arg : more.args) {
    if (arg.info_of >= 0) arg.info_of += before;
    all.args.push_back(arg);
  }
  all.sources.insert(all.sources.end(), more.sources.begin(), more.sources.end());
  for (KernelUse& kernel : more.kernels) {
    for (jit::CallArg& arg : kernel.args) arg.position += before;
    all.kernels.push_back(std::move(kernel));
  }
}

}  // namespace

MergedArgs merge_args(const core::Queue& queue, std::span<const std::size_t> records) {
  MergedArgs merged;
  for (const std::size_t record : records) {
    const core::LoopRecord& loop = queue.records()[record];
    const std::span args = queue.args_of(loop);
    const std::size_t before = merged.args.size();
    KernelUse& kernel = merged.kernels.emplace_back(KernelUse{loop.kernel, record, loop.set, {}});
    for (std::size_t k = 0; k < args.size(); ++k) {
      const ArgSource source{record, k};
      const bool alone = records.size() == 1;  // its arguments stay as they were declared
      const std::size_t position =
          alone ? merged.args.size() : add(args[k], source, before, merged);
      if (alone) {
        merged.args.push_back(args[k]);
        merged.sources.push_back(source);
      }
      kernel.args.push_back(
          {static_cast<std::int32_t>(position), args[k].declared, args[k].members});
    }
    refer_to_extremes(kernel, before, merged);
  }
  return merged;
}

MergedArgs merge_gathered(const core::Queue& queue, std::span<const std::size_t> records,
                          std::size_t gathered, std::vector<std::int32_t>& ends) {
  MergedArgs all;
  for (std::size_t k = 0; k < gathered; ++k) {
    append(all, merge_args(queue, records.subspan(k, 1)));
    ends.push_back(static_cast<std::int32_t>(all.args.size()));
  }
  append(all, merge_args(queue, records.subspan(gathered)));
  return all;
}

}  // namespace op2::sched
