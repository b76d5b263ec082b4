// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <vector>

#include <op2/par_loop.hpp>

#include <sched/analysis/cut.hpp>

namespace op2::model {

Program::Program(const core::RunRecord& record, const std::vector<char>& local_maps,
                 core::Level deepest)
    : record_(record) {
  const auto set = [&](int index) { return mesh_.sets()[static_cast<std::size_t>(index)].get(); };
  for (const core::RecordedSet& some : record.sets) mesh_.add_set({0, 0, 0}, some.name.c_str());
  for (std::size_t k = 0; k < local_maps.size(); ++k) {
    mesh_.sets()[k]->declared_layout.local_map = local_maps[k] != 0;
    mesh_.sets()[k]->declared_layout.limit = deepest;
  }
  for (const core::RecordedMap& map : record.maps)
    mesh_.add_map(set(map.from), set(map.to), map.arity, nullptr, map.name.c_str());
  for (const core::RecordedDat& dat : record.dats)
    mesh_.add_dat(set(dat.set), dat.bytes, Type::b8, nullptr, dat.name.c_str(), false);
  for (const core::RecordedSequence& sequence : record.sequences) {
    core::Queue& queue = queues_.emplace_back();
    for (const core::RecordedLoop& loop : sequence) push(loop, queue);
  }
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

ModelPlan Program::plan(std::size_t sequence, const Schedule& schedule, int ranks,
                        const std::vector<core::Level>& valid) const {
  using sched::Halos;
  const core::Queue& queue = queues_[sequence];
  const auto cut = ranks == 1 ? sched::cut_chains(queue, {core::every_level, record_.keep_dead})
                              : sched::cut_for(queue, schedule, limits());
  const sched::Analysis analysis =
      sched::analyse_for(queue, schedule, cut, valid,
                         {ranks == 1 ? Halos::none : Halos::per_chain, record_.keep_dead});
  ModelPlan plan{{}, analysis.valid_after, analysis.rows};
  for (const sched::Chain& chain : analysis.chains) {
    ModelChain& made = plan.chains.emplace_back(ModelChain{chain.records, chain.exchanged, {}});
    for (std::size_t k = chain.records.begin; k < chain.records.end; ++k)
      if (!queue.records()[k].is_assignment() && analysis.loops[k].extent != core::no_level)
        made.loops.push_back({k, analysis.loops[k]});
  }
  return plan;
}

}  // namespace op2::model
