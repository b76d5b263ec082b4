// SPDX-License-Identifier: BSD-3-Clause
#include <sched/engine.hpp>

#include <algorithm>

#include <sched/activity.hpp>

namespace op2::sched {
namespace {

/// A program whose sequences of loops never repeat must not collect plans for ever.
constexpr std::size_t max_plans = 1024;

}  // namespace

Engine::Engine(const core::Options& options, const core::Topology& topology, core::ThreadPool& pool,
               comm::DistributedMesh& rows, jit::Jit& jit, core::LoopTable& table,
               core::Trace& trace, core::Log& log)
    : rows_(rows),
      trace_(trace),
      planner_(options, topology, pool, rows, jit, table, log),
      runner_(pool, rows.communicator(), trace) {}

void Engine::flush(core::Queue& queue, const core::Mesh& mesh) {
  if (queue.empty()) return;
  executing_ = false;
  valid_.resize(mesh.dats().size(), 0);
  Plan& plan = plan_for(queue, mesh);
  announce(plan);
  const auto begin = core::Clock::now();
  if (planner_.prepare(queue, mesh, plan))
    trace_.add("plan", "fuse and make tiles", begin, core::Clock::now());
  executing_ = true;
  for (ChainPlan& chain : plan.chains) runner_.run(chain, plan, queue, stamp_);
  for (std::size_t k = 0; k < plan.key.dats.size(); ++k)
    valid_[static_cast<std::size_t>(plan.key.dats[k]->index)] = plan.valid_after[k];
  queue.clear();
  executing_ = false;
}

Plan& Engine::plan_for(const core::Queue& queue, const core::Mesh& mesh) {
  const std::size_t hash = hash_of(queue);
  const auto [first, last] = plans_.equal_range(hash);
  Wait wait = Wait::as_options_say;
  for (auto candidate = first; candidate != last; ++candidate)
    if (fits(candidate->second->key, queue, valid_)) {
      if (planner_.is_current(*candidate->second)) return *candidate->second;
      plans_.erase(candidate);
      wait = Wait::always;
      break;
    }
  if (plans_.size() == max_plans) plans_.clear();
  return make_plan(queue, mesh, hash, wait);
}

Plan& Engine::make_plan(const core::Queue& queue, const core::Mesh& mesh, std::size_t hash,
                        Wait wait) {
  const auto begin = core::Clock::now();
  comm::Communicator& communicator = rows_.communicator();
  std::shared_ptr<const std::string> description;
  std::uint64_t stamp = 0;
  if (communicator.size() > 1) {
    description = std::make_shared<const std::string>(describe_queue(queue));
    stamp = stamp_of(*description);
    communicator.set_signature({numbered(stamp, flushes_), [description] { return *description; }});
    communicator.barrier();
  }
  const int epoch = rows_.epoch();
  auto plan = planner_.make_plan(queue, mesh, valid_, wait);
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
    rows_.communicator().set_signature({stamp_, [text = plan.description] { return *text; }});
}

}  // namespace op2::sched
