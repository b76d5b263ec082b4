// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/gpu/launch.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <core/arithmetic.hpp>
#include <core/error.hpp>
#include <core/value_type.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <sched/loop_requests.hpp>
#include <sched/rows.hpp>

namespace op2::sched {
namespace {

using Kind = jit::KernelParameter::Kind;

/// Where the parameters of a nest begin, behind the range of iterations.
constexpr std::size_t first_parameter = 3;

/// Of the global that an argument is.
std::size_t position_in(const std::vector<GlobalArg>& globals, std::size_t arg) {
  return static_cast<std::size_t>(std::ranges::find(globals, arg, &GlobalArg::arg) -
                                  globals.begin());
}

/// With the index of its element, if it is a payload.
std::size_t bytes_of_result(const GlobalArg& reduction) {
  if (reduction.exact) return bytes_of_words(reduction);
  return reduction.shape.any_order ? reduction.element + sizeof(std::int64_t)
                                   : core::size_of(reduction.shape.type, reduction.shape.dim);
}

std::vector<jit::KernelParameter> parameters_of(const Step& step, const jit::CudaLoop& code,
                                                bool ordered) {
  const std::vector<jit::ArgShape> shapes = arg_shapes(step.args);
  if (ordered) return jit::ordered_parameters(shapes);
  return code.pulls ? jit::pull_parameters(shapes, step.gathered())
                    : jit::kernel_parameters(shapes);
}

/// The columns of maps through which a loop adds.
std::vector<RowAccess> columns_added_through(std::span<const core::LoopArg> args) {
  std::vector<RowAccess> columns;
  for (const core::LoopArg& arg : args) {
    if (!arg.is_active_dat() || !arg.is_indirect() || arg.access != OP_INC) continue;
    const RowAccess column = row_access(arg);
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
  }
  return columns;
}

}  // namespace

StepLaunch::StepLaunch(const Plan& plan, std::size_t s, const PlanValues& values,
                       DeviceTables& tables, core::DeviceCopies& copies,
                       const std::vector<const core::Dat*>& second, bool ordered)
    : plan_(plan),
      position_(s),
      step_(plan.steps.all[s]),
      code_(jit::cuda_loop_of(*plan.code[s].compiled)),
      second_(second),
      chunk_(jit::chunk_elements(ordered)),
      part_sums_(ordered ? part_sums_of(tables) : std::vector<PartSum>()),
      parameters_(parameters_of(step_, code_, ordered)),
      ranges_{range_of(Phase::interior, tables), range_of(Phase::boundary, tables)},
      loop_values_(first_parameter) {
  set_reductions(values, copies);
  for (const jit::KernelParameter& parameter : parameters_)
    loop_values_.push_back(fixed_value(parameter, values, tables));
}

StepLaunch::Range StepLaunch::range_of(Phase phase, DeviceTables& tables) const {
  const IndexRange rows = step_.rows(phase);
  if (!code_.pulls) return {rows, {}};
  if (!step_.gathers()) {
    const IncrementTable found =
        tables.elements(*step_.set, columns_added_through(step_.args), rows);
    return {found.positions,
            {parameter_of(found.rows), parameter_of(found.start), parameter_of(found.increments)},
            found.bytes};
  }
  Range range{rows, {0}};
  if (rows.empty()) return range;
  const std::vector<SetArgs> accesses = step_.accesses();
  for (std::size_t loop = 0; loop < step_.gathered().size(); ++loop) {
    const core::Set& set = *step_.kernels[loop].set;
    const std::vector<RowAccess> columns = columns_added_through(accesses[loop].args);
    const IncrementTable found = tables.elements(set, columns, step_.gathered_rows(set), rows);
    range.lists.push_back(parameter_of(found.start));
    range.lists.push_back(parameter_of(found.increments));
    range.list_bytes += found.bytes;
    if (columns.size() == 1) range.most_to_a_row = std::max(range.most_to_a_row, found.most);
  }
  return range;
}

std::vector<StepLaunch::PartSum> StepLaunch::part_sums_of(DeviceTables& tables) const {
  const std::vector<jit::AddedDat> added = jit::added_dats(arg_shapes(step_.args));
  core::ensure(code_.part_sums.size() == added.size(), "code adds to other dats than its step");
  const std::int64_t interior = step_.rows(Phase::interior).end;
  const std::int64_t end = step_.rows(Phase::boundary).end;
  std::vector<PartSum> sums;
  for (std::size_t k = 0; k < added.size(); ++k) {
    std::vector<RowAccess> columns;
    for (const std::size_t arg : added[k].columns) columns.push_back(row_access(step_.args[arg]));
    const core::Dat& dat = *step_.args[added[k].arg].dat;
    const core::DeviceAddress parts = tables.memory_of_parts(dat, columns, step_.set->rows());
    sums.push_back({code_.part_sums[k], &dat, parameter_of(dat.rows.device_read()),
                    parameter_of(parts), tables.parts(*step_.set, columns, interior, end)});
  }
  return sums;
}

/// To be launched after the step's own kernel.
void StepLaunch::add_part_sums(Phase phase, std::vector<KernelLaunch>& launches) const {
  for (const PartSum& sum : part_sums_) {
    const IncrementTable& table = sum.tables[phase == Phase::interior ? 0 : 1];
    const std::int64_t values = table.positions.size() * sum.dat->dim;
    if (values == 0) continue;
    launches.push_back(
        {sum.kernel,
         blocks_for(values, jit::block_threads),
         {static_cast<LaunchParameter>(values), sum.rows, sum.parts, parameter_of(table.rows),
          parameter_of(table.start), parameter_of(table.increments)}});
  }
}

/// Partial results of one reduction come after those of another.
void StepLaunch::set_reductions(const PlanValues& values, core::DeviceCopies& copies) {
  if (step_.reductions.empty()) return;
  std::int64_t most_chunks = 0;
  for (const Range& range : ranges_)
    most_chunks = std::max(most_chunks, core::pieces_for(range.indices.size(), chunk_));
  std::vector<std::size_t> begin;
  std::size_t bytes = 0;
  for (const GlobalArg& reduction : step_.reductions) {
    begin.push_back(bytes);
    const std::size_t each = bytes_of_result(reduction);
    bytes += core::round_up(each * static_cast<std::size_t>(most_chunks), std::size_t{64});
  }
  if (bytes > 0)
    partials_ =
        copies.allocate(fmt::format("partial results of the loop over set '{}' with kernel '{}'",
                                    step_.set->name_storage, step_.kernels.front().kernel->name),
                        bytes);
  fold_values_.push_back(0);
  for (std::size_t k = 0; k < begin.size(); ++k) {
    fold_values_.push_back(parameter_of(values.result(position_, step_.reductions[k])));
    fold_values_.push_back(parameter_of(partials_.get()) + begin[k]);
  }
}

/// The value of a parameter, but for addresses of lists. After set_reductions.
LaunchParameter StepLaunch::fixed_value(const jit::KernelParameter& parameter,
                                        const PlanValues& values, DeviceTables& tables) const {
  const core::LoopArg& arg = step_.args[parameter.arg];
  switch (parameter.kind) {
    case Kind::dat:
    case Kind::second: {
      const bool found_in_second = std::ranges::find(second_, arg.dat) != second_.end();
      const bool in_second = found_in_second != (parameter.kind == Kind::second);
      return parameter_of(in_second ? tables.second_of(*arg.dat) : arg.dat->rows.device_read());
    }
    case Kind::parts:
      return std::ranges::find(part_sums_, arg.dat, &PartSum::dat)->parts;
    case Kind::partials:
      return fold_values_[2 + 2 * position_in(step_.reductions, parameter.arg)];
    case Kind::pull_rows:
    case Kind::pull_start:
    case Kind::pull_elements:
      return 0;
    case Kind::column:
      return parameter_of(tables.column_of(*arg.map, arg.column));
    case Kind::row_numbers:
      return parameter_of(tables.numbers_of(arg.map != nullptr ? *core::record_of(arg.map->to)
                                                               : step_.set_of(parameter.arg)));
    case Kind::order:
      return parameter_of(tables.numbers_of(*step_.set));
    case Kind::global:
      return parameter_of(values.read(position_, position_in(step_.reads, parameter.arg)));
    case Kind::result:
      return fold_values_[1 + 2 * position_in(step_.reductions, parameter.arg)];
  }
  core::ensure(false, "a kernel has a parameter of an unknown kind");
  return 0;
}

void StepLaunch::announce_accesses() {
  for (const core::LoopArg& arg : step_.args) {
    if (!arg.is_active_dat()) continue;
    if (arg.modifies())
      static_cast<void>(arg.dat->rows.device_write());
    else
      arg.dat->rows.device_read();
  }
}

std::int64_t StepLaunch::most_to_a_row() const {
  return std::max(ranges_[0].most_to_a_row, ranges_[1].most_to_a_row);
}

bool StepLaunch::shares_result_with(const StepLaunch& earlier) const {
  for (std::size_t k = 1; k < fold_values_.size(); k += 2)
    for (std::size_t other = 1; other < earlier.fold_values_.size(); other += 2)
      if (fold_values_[k] == earlier.fold_values_[other]) return true;
  return false;
}

bool StepLaunch::reads_results() const {
  return std::ranges::any_of(step_.reductions, [](const GlobalArg& reduction) {
    return reduction.shape.access != OP_INC;
  });
}

std::vector<KernelLaunch> StepLaunch::kernels(Phase phase) const {
  const IndexRange indices = range(phase).indices;
  if (indices.empty()) return {};
  const bool reduces = !step_.reductions.empty();
  const unsigned blocks = blocks_for(indices.size(), reduces ? chunk_ : jit::block_threads);
  std::vector<KernelLaunch> launches;
  launches.push_back({code_.loop, blocks, loop_values_});
  std::vector<LaunchParameter>& values = launches.back().parameters;
  values[0] = static_cast<LaunchParameter>(indices.begin);
  values[1] = static_cast<LaunchParameter>(indices.end);
  values[2] = static_cast<LaunchParameter>(step_.set->size);
  const std::vector<LaunchParameter>& lists = range(phase).lists;
  std::ranges::copy(lists, values.end() - std::ssize(lists));
  add_part_sums(phase, launches);
  if (!reduces) return launches;
  launches.push_back({code_.fold, 1, fold_values_, true});
  launches.back().parameters[0] = blocks;
  return launches;
}

}  // namespace op2::sched
