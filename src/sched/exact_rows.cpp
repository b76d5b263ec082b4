// SPDX-License-Identifier: BSD-3-Clause
#include <sched/exact_rows.hpp>

#include <algorithm>

#include <sched/row_access.hpp>

namespace op2::sched {
namespace {

/// One argument of a loop with the number of its dat.
struct DatArg {
  const core::LoopArg* arg;
  std::size_t dat;
  RowAccess rows;
};

std::vector<DatArg> dat_args(std::span<const core::LoopArg> args, const core::ChainLoop& loop) {
  std::vector<DatArg> list;
  for (const core::LoopArg& arg : args)
    if (arg.is_active_dat())
      list.push_back({&arg, static_cast<std::size_t>(loop.args[list.size()].dat), row_access(arg)});
  return list;
}

bool uses_old_value(const core::LoopArg& arg) {
  return arg.access == OP_READ || arg.access == OP_RW ||
         (arg.access == OP_INC && !arg.is_indirect());
}

std::size_t at(std::int64_t row) {
  return static_cast<std::size_t>(row);
}

/// The iterations of W_extent that make rows which are needed after the loop.
RowFlags iterations_for(const core::LoopRecord& record, const core::ChainLoop& loop,
                        core::Level extent, const std::vector<DatArg>& args,
                        const std::vector<RowFlags>& need) {
  RowFlags runs(at(record.set->within(extent)), 0);
  if (loop.reduction) std::fill_n(runs.begin(), record.set->size, 1);
  for (const DatArg& a : args)
    if (a.arg->modifies())
      for (std::size_t k = 0; k < runs.size(); ++k)
        runs[k] |= need[a.dat][at(a.rows.row_of(static_cast<std::int64_t>(k)))];
  return runs;
}

/// From what must be right after the loop to what must be before it.
void step_back(const RowFlags& runs, const std::vector<DatArg>& args, std::vector<RowFlags>& need) {
  for (const DatArg& a : args)
    if (a.arg->access == OP_WRITE && !a.arg->is_indirect())
      for (std::size_t k = 0; k < runs.size(); ++k) need[a.dat][k] &= runs[k] ^ 1;
  for (const DatArg& a : args)
    if (uses_old_value(*a.arg))
      for (std::size_t k = 0; k < runs.size(); ++k)
        if (runs[k] != 0) need[a.dat][at(a.rows.row_of(static_cast<std::int64_t>(k)))] = 1;
}

}  // namespace

ExactRows exact_rows(const core::Queue& queue, RecordRange range, const ChainDescription& chain,
                     const Analysis& analysis) {
  ExactRows exact{{}, std::vector<RowFlags>(chain.loops.size())};
  for (const core::Dat* dat : chain.dats) {
    RowFlags& rows = exact.need.emplace_back(at(dat->on().rows()), 0);
    std::fill_n(rows.begin(), dat->on().size, 1);
  }
  std::size_t l = chain.loops.size();
  for (std::size_t k = range.end; k-- > range.begin;) {
    const core::LoopRecord& record = queue.records()[k];
    if (record.is_assignment()) continue;
    const core::ChainLoop& loop = chain.loops[--l];
    const core::Level extent = analysis.loops[k].extent;
    if (extent == core::no_level) continue;
    const std::vector<DatArg> args = dat_args(queue.args_of(record), loop);
    exact.runs[l] = iterations_for(record, loop, extent, args, exact.need);
    step_back(exact.runs[l], args, exact.need);
  }
  return exact;
}

}  // namespace op2::sched
