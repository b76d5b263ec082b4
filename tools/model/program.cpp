// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <vector>

#include <op2/par_loop.hpp>

#include <sched/analysis/analyse.hpp>

namespace op2::model {

Program::Program(const core::RunRecord& record, const std::vector<char>& local_maps,
                 core::Level deepest)
    : record_(record) {
  const auto set = [&](int index) { return mesh_.sets()[static_cast<std::size_t>(index)].get(); };
  for (const core::RecordedSet& recorded : record.sets)
    mesh_.add_set({0, 0, 0}, recorded.name.c_str());
  for (std::size_t k = 0; k < local_maps.size(); ++k) {
    mesh_.sets()[k]->declared_layout.local_map = local_maps[k] != 0;
    mesh_.sets()[k]->declared_layout.limit = deepest;
  }
  for (const core::RecordedMap& map : record.maps)
    mesh_.add_map(set(map.from), set(map.to), map.arity, nullptr, map.name.c_str());
  for (const core::RecordedDat& dat : record.dats)
    mesh_.add_dat(set(dat.set), dat.bytes, Type::b8, nullptr, dat.name.c_str(), false);
  for (const core::RecordedSequence& sequence : record.sequences) push(sequence);
}

/// A loop in colours, which has a record for each, is declared once.
void Program::push(const core::RecordedSequence& sequence) {
  core::Queue& queue = declared_.emplace_back();
  std::vector<const core::Colouring*> colourings;
  for (const core::RecordedLoop& loop : sequence) {
    if (loop.colour == 0) {
      push(loop, queue);
      colourings.push_back(nullptr);
    } else if (loop.colour == 1) {
      const core::Set* set = mesh_.sets()[static_cast<std::size_t>(loop.set)].get();
      colourings.back() = &colourings_.emplace_back(core::Colouring{set, 2, false, {}});
    } else {
      ++colourings_.back().count;
    }
  }
  queues_.push_back(queue.in_colours(colourings));
}

core::Global& Program::global(int index, int bytes) {
  core::Global*& known = globals_[index];
  const std::vector<std::byte> zeros(static_cast<std::size_t>(bytes));
  if (known == nullptr) known = &mesh_.add_global(bytes, Type::b8, zeros.data(), "global");
  return *known;
}

void Program::push(const core::RecordedLoop& loop, core::Queue& queue) {
  if (loop.set < 0) {
    const core::RecordedArg& target = loop.args.front();
    core::Global& assigned = global(target.global, target.bytes);
    const std::vector<std::byte> zeros(assigned.value.bytes());
    return queue.push_assignment(assigned, zeros.data());
  }
  std::vector<op_arg> args;
  for (const core::RecordedArg& given : loop.args) {
    op_arg arg;
    arg.argtype = given.dat >= 0 ? OP_ARG_DAT : OP_ARG_GBL;
    arg.acc = given.access;
    arg.idx = given.map >= 0 ? given.column : -1;
    if (given.dat >= 0) arg.dat = mesh_.dats()[static_cast<std::size_t>(given.dat)].get();
    if (given.map >= 0) arg.map = mesh_.maps()[static_cast<std::size_t>(given.map)].get();
    if (given.global >= 0) arg.global = &global(given.global, given.bytes);
    const bool is_copied = given.dat < 0 && given.global < 0 && given.access == OP_READ;
    if (!is_copied) args.push_back(arg);  // a copied value has no influence
  }
  op_kernel_core& kernel = kernels_.try_emplace(loop.name).first->second;
  queue.push_loop(&kernel, loop.name.c_str(),
                  mesh_.sets()[static_cast<std::size_t>(loop.set)].get(), args);
}

sched::Analysis Program::plan(std::size_t sequence, const Schedule& schedule, int ranks,
                              const std::vector<core::Level>& valid) const {
  using sched::Halos;
  const core::Queue& queue = queues_[sequence];
  const auto cut = ranks == 1 ? sched::cut_chains(queue, {core::every_level, record_.keep_dead})
                              : sched::cut_for(queue, schedule, limits());
  return sched::analyse_for(queue, schedule, cut, valid,
                            {ranks == 1 ? Halos::none : Halos::per_chain, record_.keep_dead});
}

}  // namespace op2::model
