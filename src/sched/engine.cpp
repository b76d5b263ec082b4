// SPDX-License-Identifier: BSD-3-Clause
#include <sched/engine.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <comm/halo/distributed_mesh.hpp>
#include <core/measurements/measurements.hpp>
#include <core/progress.hpp>
#include <core/text.hpp>
#include <sched/add_seconds.hpp>
#include <sched/colours.hpp>
#include <sched/executor/make_executor.hpp>
#include <sched/fuse.hpp>
#include <sched/loop_requests.hpp>
#include <sched/order.hpp>
#include <sched/pass.hpp>
#include <sched/rounding.hpp>
#include <sched/signature.hpp>
#include <sched/slice.hpp>

namespace op2::sched {
namespace {

/// A program whose sequences of loops never repeat must not accumulate plans without bound.
constexpr std::size_t max_plans = 1024;

Halos halos_for(const core::Options& options, int ranks) {
  if (ranks == 1) return Halos::none;
  const bool chained =
      options.chain != core::ChainMode::off && options.target != core::Target::reference;
  return chained ? Halos::per_chain : Halos::per_loop;
}

/// Without a policy.
Schedule schedule_of(Halos halos) {
  return {halos == Halos::per_chain ? Schedule::Kind::on : Schedule::Kind::off, {}};
}

/// Whether no one order of elements could be kept, or none that all numbers of ranks have.
bool uses_colours(const core::Options& options, Halos halos) {
  return options.reproducible || halos != Halos::none;
}

/// Whether chains may use single rows of halos. Chains that a policy has cut may not.
bool uses_slices(const core::Options& options, const Schedule& schedule) {
  return options.slice && schedule.kind == Schedule::Kind::on &&
         options.target == core::Target::cpu;
}

void note_modified(const core::Queue& queue, const core::Mesh& mesh, std::vector<char>& modified) {
  modified.resize(mesh.dats().size(), 0);
  for (const core::LoopArg& arg : queue.args())
    if (arg.modifies_dat()) modified[static_cast<std::size_t>(arg.dat->index)] = 1;
}

}  // namespace

Engine::Engine(const Resources& r)
    : options_(r.options),
      rows_(r.rows),
      measurements_(r.measurements),
      log_(r.log),
      pool_(r.pool),
      analysis_{halos_for(options_, rows_.communicator().size()), !options_.eliminate_dead_loops},
      limits_{2 * options_.depth_max, analysis_.keep_all},
      schedule_(schedule_of(analysis_.halos)),
      prove_(r.prove),
      colourings_(uses_colours(options_, analysis_.halos)
                      ? std::make_unique<Colourings>(rows_, options_.reproducible)
                      : nullptr),
      code_(options_, {r.jit, r.host_jit}, rows_.communicator(), log_),
      statistics_(r.measurements.table, log_),
      executor_(make_executor(r)),
      runner_(rows_.communicator(), measurements_) {
  if (options_.chain == core::ChainMode::automatic && analysis_.halos == Halos::per_chain)
    policy_ = std::make_unique<ChainPolicy>(
        ChainPolicy::Resources{options_, rows_, r.measurements.table, log_, r.topology.caches,
                               r.pool.size()},
        limits_);
  if (options_.reproducible) let_workers_round_to_nearest(r.pool);
}

Engine::~Engine() = default;

void Engine::flush(core::Queue& queue, const core::Mesh& mesh) {
  if (queue.empty()) return;
  executing_ = true;
  if (options_.reproducible) check_rounding(queue);
  executing_ = false;
  let_workers_trap(pool_, worker_traps_);
  if (worker_traps_ != 0) queue.set_traps();
  intact_ = false;
  valid_.resize(mesh.dats().size(), 0);
  follow_rows();
  times_ = {};
  const std::size_t hash = hash_of(queue);
  if (policy_ != nullptr) turn_ = choose_schedule(queue, hash);
  Entry* entry = &entry_for(queue, mesh, hash);
  while (!execute(*entry, queue)) entry = &make_entry(queue, mesh, hash, Wait::as_options_say);
  queue.clear();
  executing_ = false;
}

/// What has just run in another schedule leaves other halos: plans begin without them, so that
/// there are not as many plans as pairs of schedules. The signature is for agreements of the
/// policy, which ranks reach before there is a plan; to describe the queue in each flush would be
/// too much.
std::size_t Engine::choose_schedule(const core::Queue& queue, std::size_t hash) {
  rows_.communicator().set_signature(
      {numbered(0, flushes_), [&queue] { return describe_queue(queue); }});
  const ChainPolicy::Turn turn = policy_->begin(queue, hash, valid_, runner_.packing());
  if (turn.forgotten) plans_.clear();
  if (turn.changed)
    for (const core::LoopArg& arg : queue.args())
      if (arg.modifies_dat()) forget_halo(*arg.dat);
  return turn.schedule;
}

/// @return false: nothing was executed, and the plan, which is no longer there, must be made anew
bool Engine::execute(Entry& entry, core::Queue& queue) {
  if (entry.plan->colourings.empty()) return run(entry, queue);
  core::Queue coloured = queue.in_colours(entry.plan->colourings);
  return run(entry, coloured);
}

/// @param queue  with a record for each colour
/// @return as `execute`
bool Engine::run(Entry& entry, core::Queue& queue) {
  const Plan& plan = *entry.plan;
  announce(plan);
  executing_ = true;
  if (!prepare(queue, entry)) return false;
  if constexpr (verifies_plans) verify_unchanged(plan, entry.seal);
  const double begin = policy_ != nullptr ? rows_.communicator().seconds() : 0;
  const double spent = runner_.run(plan, *entry.prepared, queue, fingerprint_);
  if (policy_ != nullptr) {
    times_.execution = rows_.communicator().seconds() - begin;
    policy_->end(times_);
  }
  for (const auto& listener : measurements_.listeners) listener->executed(plan.number, spent);
  for (std::size_t d = 0; d < plan.key.dats.size(); ++d) {
    const auto k = static_cast<std::size_t>(plan.key.dats[d]->index);
    if (plan.key.may_be_deeper[d] == 0) valid_[k] = plan.analysis.valid_after[k];
  }
  return true;
}

const Schedule& Engine::schedule_for(const core::Queue& queue) {
  return policy_ == nullptr ? schedule_ : policy_->schedule_for(queue, valid_);
}

/// The passes, in their order: each makes one value of the plan from earlier ones.
std::unique_ptr<Plan> Engine::make_plan(const core::Queue& declared, const core::Mesh& mesh,
                                        Wait wait) {
  comm::Communicator& ranks = rows_.communicator();
  const Passes first(declared, measurements_.listeners, log_, options_.dump, ranks.is_root());
  ensure_rows(core::no_level);  // how sets are ordered limits interiors
  auto plan = std::make_unique<Plan>();
  plan->key = key_of(declared, valid_);
  LoopRequests loops(mesh, options_.check_access,
                     {options_.jit_seconds, options_.jit_memory_bytes});
  const Facts& facts = facts_of(declared, loops, first);
  report_kept_rows(declared, facts, log_);
  const core::Queue used = as_used(declared, facts);
  plan->colourings = first.run(
      "colours",
      [&] {
        return colourings_ != nullptr ? colourings_->of(used, facts) : decltype(plan->colourings){};
      },
      [&](const auto& made) { verify_colourings(used, made); });
  const core::Queue queue = plan->colourings.empty() ? used : in_colours(used, plan->colourings);
  const Passes pass(queue, measurements_.listeners, log_, options_.dump, ranks.is_root());
  const Schedule& schedule = schedule_for(queue);
  const auto cut = pass.run(
      "cut", [&] { return cut_for(queue, schedule, limits_); },
      [&](const auto& made) { verify_cut(queue, made); });
  plan->analysis = pass.run(
      "analyse", [&] { return analyse_for(queue, schedule, cut, valid_, analysis_); },
      [&](const Analysis& made) { verify_analysis(queue, made); });
  if (distinguish_rows(plan->analysis)) {
    forget_levels();
    return make_plan(declared, mesh, wait);
  }
  if (plan->analysis.rows != core::no_level) ensure_rows(plan->analysis.rows);
  if (colourings_ != nullptr) colourings_->update_rows();
  note_modified(queue, mesh, modified_);
  if (uses_slices(options_, schedule))
    plan->analysis = pass.run(
        "slice", [&] { return slice(queue, cut, valid_, analysis_, modified_, rows_); },
        [&](const Analysis& made) { verify_analysis(queue, made); });
  note_deeper(plan->key, [&](const core::Dat& dat) { return exchanges(plan->analysis, dat); });
  const auto order = pass.run(
      "order", [&] { return find_order(queue, plan->analysis, ranks, options_); },
      [&](const auto& made) { verify_order(queue, made); });
  find_steps(queue, facts, loops, order, pass, wait, *plan);
  plan->rows = statistics_.register_steps(queue, plan->steps, code_.describe(queue, mesh, *plan));
  note_code(plan->rows, plan->code);
  if (policy_ != nullptr) open_times(queue, policy_->costs(), *plan);
  plan->number = ++made_plans_;
  for (const auto& listener : measurements_.listeners) listener->planned(queue, plan->number);
  for (const Step& step : plan->steps.all)
    if (plan->code[static_cast<std::size_t>(&step - plan->steps.all.data())].compiled != nullptr)
      report_order(queue, facts, step, log_);
  return plan;
}

/// Collective, as find_facts, if those of the sequence are not known.
const Facts& Engine::facts_of(const core::Queue& declared, LoopRequests& loops,
                              const Passes& pass) {
  if (const Facts* known = known_facts_.find(declared, loops.mesh())) return *known;
  const auto find = [&] {
    const core::InPart part(&measurements_.profile, core::Part::code);
    const AddSeconds once(rows_.communicator(), times_.once);
    return find_facts(declared, loops, prove_, rows_.communicator());
  };
  const auto verify = [&](const Facts& made) { verify_facts(declared, made); };
  return known_facts_.add(declared, loops.mesh(), pass.run("facts", find, verify));
}

/// The passes whose values depend on each other: loops whose fused step has no good code stay
/// apart.
void Engine::find_steps(const core::Queue& queue, const Facts& facts, LoopRequests& loops,
                        const std::vector<Order>& order, const Passes& pass, Wait wait,
                        Plan& plan) {
  FusionRules rules = code_.fusion_rules(queue);
  rules.leaves_zero = [&](const ArgSource& source) {
    return facts.args[queue.records()[source.record].first_arg + source.arg].leaves_zero;
  };
  Code code;
  do {
    plan.steps = pass.run(
        "fuse", [&] { return make_steps(queue, plan.analysis, order, rules); },
        [&](const Steps& made) { verify_steps(queue, plan.analysis, made); });
    code = pass.run(
        "code",
        [&] {
          const core::InPart part(&measurements_.profile, core::Part::code);
          const AddSeconds once(rows_.communicator(), times_.once);
          return find_code(queue, loops, plan.steps, wait);
        },
        [&](const Code& made) {
          if (!made.regroup) verify_code(plan.steps, made.steps);
        });
  } while (code.regroup);
  plan.code = std::move(code.steps);
  plan.awaits_code = code.awaits_code;
}

/// The executor's part: first what every execution needs; what takes longer is prepared once the
/// plan has repeated. @return as `run`
bool Engine::prepare(const core::Queue& queue, Entry& entry) {
  const bool at_once =
      options_.tile.mode == core::TileMode::fixed || options_.tile.mode == core::TileMode::shuffled;
  const int again = at_once ? 0 : 1;
  const int executions = entry.executions++;
  const bool repeats = executions == again && executor_->gains_by_repetition(*entry.plan);
  if (executions > 0 && !repeats) return true;
  const core::InPart part(&measurements_.profile, core::Part::plans);
  const AddSeconds plans(rows_.communicator(), times_.plans);
  const auto begin = core::Clock::now();
  const core::Progress progress(log_,
                                "preparing a sequence of " + core::counted(queue.size(), "loop"));
  entry.prepared.reset();
  if (!executor_->has_own_memory())
    entry.prepared = executor_->prepare(*entry.plan, repeats);
  else if (!prepare_in_own_memory(entry, repeats))
    return false;
  core::report_span(measurements_.listeners, "plan", "prepare", begin);
  if (options_.dump.schedule) log_.dump(entry.prepared->describe(queue));
  return true;
}

Engine::Entry& Engine::entry_for(const core::Queue& queue, const core::Mesh& mesh,
                                 std::size_t hash) {
  const auto [first, last] = plans_.equal_range(hash);
  Wait wait = Wait::as_options_say;
  for (auto candidate = first; candidate != last; ++candidate)
    if (candidate->second.schedule == turn_ && fits(candidate->second.plan->key, queue, valid_)) {
      if (!candidate->second.plan->awaits_code || code_.making()) return candidate->second;
      plans_.erase(candidate);
      wait = Wait::always;
      break;
    }
  if (plans_.size() == max_plans) plans_.clear();
  return make_entry(queue, mesh, hash, wait);
}

Engine::Entry& Engine::make_entry(const core::Queue& queue, const core::Mesh& mesh,
                                  std::size_t hash, Wait wait) {
  const core::InPart part(&measurements_.profile, core::Part::plans);
  const auto begin = core::Clock::now();
  const core::Progress progress(log_,
                                "planning a sequence of " + core::counted(queue.size(), "loop"));
  comm::Communicator& communicator = rows_.communicator();
  const AddSeconds plans(communicator, times_.plans);
  times_.is_made = true;
  std::shared_ptr<const std::string> description;
  std::uint64_t fingerprint = 0;
  if (analysis_.halos != Halos::none) {
    description = std::make_shared<const std::string>(describe_queue(queue));
    fingerprint = fingerprint_of(*description);
    communicator.set_signature(
        {numbered(fingerprint, flushes_), [description] { return *description; }});
    // A mismatch of calls shows before ranks compile; later, as when a plan is found again, in the
    // next message that they wait for.
    if (known_facts_.find(queue, mesh) == nullptr) communicator.barrier();
  }
  auto plan = make_plan(queue, mesh, wait);
  plan->fingerprint = fingerprint;
  plan->description = std::move(description);
  follow_rows();
  if (log_.logs(core::LogLevel::info))
    log_.info("new plan for a sequence of " + core::counted(queue.size(), "loop"));
  core::report_span(measurements_.listeners, "plan", "make plan", begin);
  const PlanSeal seal = verifies_plans ? seal_of(*plan) : PlanSeal{};
  return plans_.emplace(hash, Entry{std::move(plan), nullptr, seal, turn_})->second;
}

void Engine::announce(const Plan& plan) {
  fingerprint_ = numbered(plan.fingerprint, flushes_++);
  if (plan.description != nullptr)
    rows_.communicator().set_signature({fingerprint_, [text = plan.description] { return *text; }});
}

}  // namespace op2::sched
