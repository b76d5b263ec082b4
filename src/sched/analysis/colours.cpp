// SPDX-License-Identifier: BSD-3-Clause
#include <sched/analysis/colours.hpp>

#include <algorithm>

#include <comm/partition/rendezvous.hpp>
#include <core/error.hpp>
#include <sched/analysis/order.hpp>

namespace op2::sched {
namespace {

std::vector<comm::GlobalId> numbers_of(const core::Set& set, std::int64_t rows) {
  std::vector<comm::GlobalId> numbers;
  for (std::int64_t row = 0; row < rows; ++row) numbers.push_back(set.global_index(row));
  return numbers;
}

/// Whether all arguments with `dat` are proven to set their rows to zero.
bool writes_zeros(const core::Dat* dat, std::span<const core::LoopArg> args,
                  std::span<const jit::ArgumentFacts> facts) {
  for (std::size_t k = 0; k < args.size(); ++k)
    if (args[k].is_active_dat() && args[k].dat == dat && !facts[k].leaves_zero) return false;
  return true;
}

[[noreturn]] void refuse(const core::LoopRecord& loop, std::span<const core::LoopArg> args,
                         const std::string& why) {
  if (!reads_shared_rows(args))
    core::fail(
        ErrorCode::order_dependent,
        "the result depends on the order of the elements: loop '{}' ({}), {}: elements write "
        "rows that others write through a map; more than {} of them meet in one row or in "
        "rows next to it, too many to run in turns; let fewer elements write, or run "
        "without OP2_REPRODUCIBLE if all write the same value",
        loop.name, site_of(loop), name_in_colours(args, true), comm::most_colours);
  core::fail(ErrorCode::order_dependent,
             "the result depends on the order of the elements: loop '{}' ({}), {}: elements read "
             "rows that others modify through a map{}; more than {} of them meet in one row or in "
             "rows next to it, too many to run in turns; use OP_INC alone, or a map in which a "
             "target occurs less often",
             loop.name, site_of(loop), name_in_colours(args, false), why, comm::most_colours);
}

}  // namespace

bool Colourings::needs_colours(const core::Queue& queue, const Facts& facts,
                               std::size_t record) const {
  const core::LoopRecord& loop = queue.records()[record];
  if (loop.is_assignment()) return false;
  const std::span<const core::LoopArg> args = queue.args_of(loop);
  if (reads_shared_rows(args)) return true;
  if (!writes_) return false;
  const auto proven = std::span(facts.args).subspan(loop.first_arg, loop.arg_count);
  return !std::ranges::all_of(dats_in_colours(args, true), [&](const core::Dat* dat) {
    return writes_zeros(dat, args, proven);
  });
}

std::vector<Colourings::SharedRows> Colourings::shared_rows(
    std::span<const core::LoopArg> args) const {
  std::vector<SharedRows> all;
  for (const core::Dat* dat : dats_in_colours(args, writes_)) {
    SharedRows rows{&dat->on(), {}};
    for (const core::LoopArg& arg : args)
      if (arg.is_active_dat() && arg.dat == dat) rows.columns.emplace_back(arg.map, arg.column);
    if (std::ranges::find(all, rows) == all.end()) all.push_back(std::move(rows));
  }
  return all;
}

std::vector<const core::Colouring*> Colourings::find(const core::Queue& queue, const Facts& facts) {
  if (!are_used_) return {};
  std::vector<const core::Colouring*> all(queue.size());
  for (std::size_t k = 0; k < queue.size(); ++k)
    if (needs_colours(queue, facts, k)) all[k] = entry_for(queue, facts, k).colouring.get();
  const bool none = std::ranges::all_of(all, [](const auto* one) { return one == nullptr; });
  return none ? std::vector<const core::Colouring*>{} : all;
}

Colourings::Entry& Colourings::entry_for(const core::Queue& queue, const Facts& facts,
                                         std::size_t record) {
  const core::LoopRecord& loop = queue.records()[record];
  std::vector<SharedRows> shared = shared_rows(queue.args_of(loop));
  for (const auto& known : entries_)
    if (known->set == loop.set && known->shared == shared) return *known;

  rows_.ensure_rows(2);  // the targets of owned elements
  const std::vector<comm::GlobalId> elements = numbers_of(*loop.set, loop.set->size);
  std::vector<comm::SharedTargets> targets;
  for (const SharedRows& some : shared) targets.push_back(targets_of(*loop.set, some));
  comm::Communicator& ranks = rows_.communicator();
  const auto found = comm::colour_elements(ranks, elements, targets);
  if (!found) refuse(loop, queue.args_of(loop), why_not_increments(queue, facts, record));

  auto entry = std::make_unique<Entry>(Entry{loop.set, std::move(shared), {}, nullptr});
  if (found->count > 1) {
    comm::Rendezvous<std::uint16_t> declared(ranks, rows_.declared_blocks(*loop.set));
    for (std::size_t k = 0; k < elements.size(); ++k) declared.send(elements[k], found->colour[k]);
    entry->declared = declared.deliver(ranks).values;
    entry->colouring =
        std::make_unique<core::Colouring>(core::Colouring{loop.set, found->count, writes_, {}});
  }
  return *entries_.emplace_back(std::move(entry));
}

/// Collective: asks which ranks declare what.
comm::SharedTargets Colourings::targets_of(const core::Set& set, const SharedRows& shared) {
  const auto arity = shared.columns.size();
  comm::SharedTargets made{&rows_.declared_blocks(*shared.set), static_cast<int>(arity), {}};
  made.targets.resize(arity * static_cast<std::size_t>(set.size));
  for (std::size_t c = 0; c < arity; ++c) {
    const auto& [map, column] = shared.columns[c];
    for (std::int64_t row = 0; row < set.size; ++row) {
      const std::int64_t target = map == nullptr ? row : map->map[row * map->dim + column];
      made.targets[static_cast<std::size_t>(row) * arity + c] = shared.set->global_index(target);
    }
  }
  return made;
}

void Colourings::update_rows() {
  for (const auto& entry : entries_)
    if (entry->colouring != nullptr && entry->epoch != rows_.epoch()) update_rows(*entry);
}

void Colourings::update_rows(Entry& entry) {
  const core::Set& set = *entry.set;
  const std::vector<comm::GlobalId> numbers = numbers_of(set, set.rows());
  const comm::ValueLookup<std::uint16_t> colours(rows_.communicator(), rows_.declared_blocks(set),
                                                 entry.declared, numbers);
  entry.colouring->rows.resize(numbers.size());
  std::ranges::transform(numbers, entry.colouring->rows.begin(),
                         [&](comm::GlobalId id) { return colours.value_of(id); });
  entry.epoch = rows_.epoch();
}

core::Queue in_colours(const core::Queue& queue,
                       std::span<const core::Colouring* const> colourings) {
  std::vector<core::LoopArg> args(queue.args().begin(), queue.args().end());
  for (std::size_t k = 0; k < colourings.size(); ++k) {
    if (colourings[k] == nullptr) continue;
    const core::LoopRecord& loop = queue.records()[k];
    for (core::LoopArg& arg : std::span(args).subspan(loop.first_arg, loop.arg_count))
      if (arg.is_active_dat() && arg.access == OP_WRITE) arg.access = OP_RW;
  }
  return queue.with_args(std::move(args)).in_colours(colourings);
}

}  // namespace op2::sched
