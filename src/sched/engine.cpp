// SPDX-License-Identifier: BSD-3-Clause
#include <sched/engine.hpp>

#include <algorithm>

#include <sched/activity.hpp>
#include <sched/executor.hpp>
#include <sched/reduction.hpp>

namespace op2::sched {
namespace {

/// A program whose sequences of loops never repeat must not collect plans for ever.
constexpr std::size_t max_plans = 1024;

}  // namespace

Engine::Engine(const core::Options& options, core::ThreadPool& pool, comm::DistributedMesh& rows,
               jit::Jit& jit, core::LoopTable& table, core::Trace& trace, core::Log& log)
    : pool_(pool), rows_(rows), trace_(trace), planner_(options, pool, rows, jit, table, log) {}

void Engine::flush(core::Queue& queue, const core::Mesh& mesh) {
  if (queue.empty()) return;
  executing_ = false;
  valid_.resize(mesh.dats().size(), 0);
  Plan& plan = plan_for(queue, mesh);
  announce(plan);
  executing_ = true;
  for (ChainPlan& chain : plan.chains) execute(chain, plan, queue);
  for (std::size_t k = 0; k < plan.key.dats.size(); ++k)
    valid_[static_cast<std::size_t>(plan.key.dats[k]->index)] = plan.valid_after[k];
  queue.clear();
  executing_ = false;
}

Plan& Engine::plan_for(const core::Queue& queue, const core::Mesh& mesh) {
  const std::size_t hash = hash_of(queue);
  const auto [first, last] = plans_.equal_range(hash);
  for (auto candidate = first; candidate != last; ++candidate)
    if (fits(candidate->second->key, queue, valid_)) return *candidate->second;
  if (plans_.size() == max_plans) plans_.clear();
  return make_plan(queue, mesh, hash);
}

Plan& Engine::make_plan(const core::Queue& queue, const core::Mesh& mesh, std::size_t hash) {
  const auto begin = core::Clock::now();
  comm::Communicator& communicator = rows_.communicator();
  std::shared_ptr<const std::string> description;
  std::uint64_t stamp = 0;
  if (communicator.size() > 1) {
    description = std::make_shared<const std::string>(describe_queue(queue));
    stamp = stamp_of(*description);
    communicator.set_activity({numbered(stamp, flushes_), [description] { return *description; }});
    communicator.barrier();
  }
  const int epoch = rows_.epoch();
  auto plan = planner_.make_plan(queue, mesh, valid_);
  if (rows_.epoch() != epoch) plans_.clear();  // their shares are gone, and rows have moved
  plan->stamp = stamp;
  plan->description = std::move(description);
  trace_.add("plan", "make plan", begin, core::Clock::now());
  return *plans_.emplace(hash, std::move(plan))->second;
}

void Engine::forget_halos() {
  plans_.clear();
  planner_.forget_rows();
  for (core::Level& level : valid_) level = std::min(level, 0);
}

void Engine::announce(const Plan& plan) {
  stamp_ = numbered(plan.stamp, flushes_++);
  if (rows_.communicator().size() > 1)
    rows_.communicator().set_activity({stamp_, [text = plan.description] { return *text; }});
}

void Engine::execute(ChainPlan& chain, Plan& plan, core::Queue& queue) {
  combine_globals(chain, plan);
  ++statistics_.chains;
  if (chain.exchange != nullptr) run_core(chain, plan, queue);
  run_rest(chain, plan, queue);
}

void Engine::combine_globals(const ChainPlan& chain, const Plan& plan) {
  if (rows_.communicator().size() == 1) return;
  std::vector<core::Global*> wanted;
  const auto want = [&](core::Global* global) {
    if (std::ranges::find(wanted, global) == wanted.end()) wanted.push_back(global);
  };
  for (std::size_t k = chain.begin; k < chain.end; ++k) {
    for (const GlobalSlot& slot : plan.steps[k].reads)
      if (slot.shape.global != nullptr && slot.assignment < 0) want(slot.shape.global);
    for (const GlobalSlot& slot : plan.steps[k].reductions)
      if (slot.shape.global != nullptr && slot.shape.global->partial_access != slot.shape.access)
        want(slot.shape.global);
  }
  combine(wanted, rows_.communicator());
}

void Engine::run_core(ChainPlan& chain, Plan& plan, core::Queue& queue) {
  auto begin = core::Clock::now();
  count(chain);
  chain.exchange->start(stamp_);
  trace_.add("halo", "pack and send", begin, core::Clock::now());
  for (std::size_t k = chain.begin; k < chain.end; ++k) {
    LoopStep& step = plan.steps[k];
    if (step.early.empty()) continue;
    begin = core::Clock::now();
    run_early(step, queue.records()[k], queue, pool_);
    account(step, queue.records()[k], step.early_iterations, begin);
    statistics_.core_iterations += step.early_iterations;
    chain.exchange->progress();
  }
  begin = core::Clock::now();
  chain.exchange->finish();
  const auto end = core::Clock::now();
  trace_.add("halo", "wait and unpack", begin, end);
  statistics_.wait_seconds += std::chrono::duration<double>(end - begin).count();
}

void Engine::run_rest(const ChainPlan& chain, Plan& plan, core::Queue& queue) {
  auto begin = core::Clock::now();
  for (std::size_t k = chain.begin; k < chain.end; ++k) {
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
        break;
    }
    run_late(step, record, queue, pool_, rows_.communicator());
    begin = account(step, record, step.late_iterations, begin);
    ++step.row->calls;
    step.row->bytes += step.useful_bytes;
    statistics_.rest_iterations += step.late_iterations;
    statistics_.redundant_iterations += step.redundant_iterations;
  }
}

void Engine::count(const ChainPlan& chain) {
  ++statistics_.exchanges;
  statistics_.messages += static_cast<std::int64_t>(chain.exchange->messages());
  statistics_.bytes += static_cast<std::int64_t>(chain.exchange->bytes());
  statistics_.packed_rows += chain.exchange->packed_rows();
  statistics_.layers = std::max(statistics_.layers, chain.layers);
}

core::Clock::time_point Engine::account(LoopStep& step, const core::LoopRecord& record,
                                        std::int64_t iterations, core::Clock::time_point begin) {
  const auto end = core::Clock::now();
  step.row->elements += iterations;
  step.row->seconds += std::chrono::duration<double>(end - begin).count();
  if (trace_.on()) trace_.add("loop", record.name, begin, end);
  return end;
}

}  // namespace op2::sched
