// SPDX-License-Identifier: BSD-3-Clause
#include <sched/engine.hpp>

#include <sched/executor.hpp>

namespace op2::sched {
namespace {

/// A program whose sequences of loops never repeat must not collect plans for ever.
constexpr std::size_t max_plans = 1024;

}  // namespace

Engine::Engine(const core::Options& options, core::ThreadPool& pool, jit::Jit& jit,
               core::LoopTable& table, core::Trace& trace, core::Log& log)
    : pool_(pool), trace_(trace), planner_(options, pool.size(), jit, table, log) {}

void Engine::flush(core::Queue& queue, const core::Mesh& mesh) {
  if (queue.empty()) return;
  valid_.resize(mesh.dats().size(), 0);
  Plan& plan = plan_for(queue, mesh);
  execute(plan, queue);
  for (std::size_t k = 0; k < plan.key.dats.size(); ++k)
    valid_[static_cast<std::size_t>(plan.key.dats[k]->index)] = plan.valid_after[k];
  queue.clear();
}

Plan& Engine::plan_for(const core::Queue& queue, const core::Mesh& mesh) {
  const std::size_t hash = hash_of(queue);
  const auto [first, last] = plans_.equal_range(hash);
  for (auto candidate = first; candidate != last; ++candidate)
    if (fits(candidate->second->key, queue, valid_)) return *candidate->second;
  if (plans_.size() == max_plans) plans_.clear();
  const auto begin = core::Clock::now();
  auto plan = planner_.make_plan(queue, mesh, valid_);
  trace_.add("plan", "make plan", begin, core::Clock::now());
  return *plans_.emplace(hash, std::move(plan))->second;
}

void Engine::execute(Plan& plan, core::Queue& queue) {
  auto begin = core::Clock::now();
  for (std::size_t k = 0; k < plan.steps.size(); ++k) {
    LoopStep& step = plan.steps[k];
    const core::LoopRecord& record = queue.records()[k];
    switch (step.kind) {
      case LoopStep::Kind::assignment:
        run_assignment(record, queue);
        continue;
      case LoopStep::Kind::dead:
        ++step.row->skipped;
        continue;
      case LoopStep::Kind::loop:
        run_loop(step, record, queue, pool_);
        break;
    }
    const auto end = core::Clock::now();
    account(step, record, begin, end);
    begin = end;
  }
}

void Engine::account(LoopStep& step, const core::LoopRecord& record, core::Clock::time_point begin,
                     core::Clock::time_point end) {
  core::LoopRow& row = *step.row;
  ++row.calls;
  row.elements += record.set->size;
  row.seconds += std::chrono::duration<double>(end - begin).count();
  row.bytes += step.useful_bytes;
  if (trace_.on()) trace_.add("loop", record.name, begin, end);
}

}  // namespace op2::sched
