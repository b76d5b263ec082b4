// SPDX-License-Identifier: BSD-3-Clause
#include <sched/engine.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/messages/agreement.hpp>
#include <core/arithmetic.hpp>
#include <core/log.hpp>
#include <core/measurements/measurements.hpp>
#include <core/text.hpp>
#include <sched/analysis/fuse.hpp>
#include <sched/analysis/order.hpp>
#include <sched/analysis/slice.hpp>
#include <sched/executor/executor.hpp>
#include <sched/loop_requests.hpp>
#include <sched/passes.hpp>
#include <sched/rounding.hpp>

namespace op2::sched {
namespace {

/// A program whose sequences of loops never repeat must not accumulate plans without bound.
constexpr std::size_t max_plans = 1024;

Halos halos_for(const core::Options& options, int ranks) {
  if (ranks == 1) return Halos::none;
  return options.chain == core::ChainMode::off ? Halos::per_loop : Halos::per_chain;
}

/// The schedule of all sequences if there is no policy.
Schedule schedule_of(const core::Options& options, Halos halos) {
  if (halos != Halos::per_chain) return {};
  return {Schedule::Kind::on, {}, options.slice == core::SliceMode::always};
}

/// Of all loops that have an interior.
core::Level deepest_interior_of(const Analysis& analysis) {
  core::Level deepest = 0;
  for (const LoopLevels& loop : analysis.loops)
    if (loop.interior != core::no_level) deepest = std::min(deepest, loop.interior);
  return deepest;
}

/// Adds the seconds of its life, by the clock of the ranks: for the choice of schedules.
struct AddSeconds {
  const comm::Communicator& ranks;
  double& sum;
  const double begin = ranks.seconds();
  ~AddSeconds() { sum += ranks.seconds() - begin; }
};

}  // namespace

Engine::Engine(const Resources& r)
    : options_(r.options),
      rows_(r.rows),
      measurements_(r.measurements),
      log_(r.log),
      pool_(r.pool),
      analysis_{halos_for(options_, rows_.communicator().size()), !options_.eliminate_dead_loops},
      limits_{2 * options_.depth_max, analysis_.keep_all},
      schedule_(schedule_of(options_, analysis_.halos)),
      prove_(r.prove),
      colourings_(rows_, options_.reproducible || analysis_.halos != Halos::none,
                  options_.reproducible),
      code_(options_, {r.jit, r.host_jit}, rows_.communicator(), log_),
      statistics_(r.measurements.table, log_),
      executor_(make_executor(r)),
      runner_(rows_.communicator(), measurements_) {
  if (options_.chain == core::ChainMode::automatic && analysis_.halos == Halos::per_chain) {
    ChainPolicy::Resources resources{options_,          rows_,        r.measurements.table, log_,
                                     r.topology.caches, r.pool.size()};
    if (executor_->traits().runs_slices && options_.slice != core::SliceMode::off)
      resources.slice = [this](const auto& queue, const auto& valid, const auto& rewritten) {
        return slice_chains(queue, valid, rewritten);
      };
    policy_ = std::make_unique<ChainPolicy>(resources, limits_);
  }
  if (options_.reproducible) let_workers_round_to_nearest(r.pool);
}

// Flushing

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
  const std::size_t hash = hash_of(queue);
  if (policy_ != nullptr) turn_ = &choose_schedule(queue, hash);
  times_ = {};
  Entry* entry = &entry_for(queue, mesh, hash);
  while (!execute(*entry, queue)) entry = &make_entry(queue, mesh, hash);
  queue.clear();
  executing_ = false;
}

/// What has just run in another schedule leaves other halos: plans begin without them, so that
/// there are not as many plans as pairs of schedules. The signature is for agreements of the
/// policy, which ranks reach before there is a plan; to describe the queue in each flush would be
/// too much.
const Schedule& Engine::choose_schedule(const core::Queue& queue, std::size_t hash) {
  rows_.communicator().set_signature(
      {core::splitmix64(flushes_), [&queue] { return describe_queue(queue); }});
  const ChainPolicy::Turn turn = policy_->begin(queue, hash, valid_, runner_.packing());
  if (turn.is_new) plans_.erase(hash);  // of a sequence that the policy has forgotten
  follow_rows();                        // which may have grown
  if (turn.changed)
    for (const core::LoopArg& arg : queue.args())
      if (arg.modifies_dat()) forget_halo(*arg.dat);
  return turn.schedule;
}

/// @return false: nothing was executed, and the plan, which is no longer there, must be made anew
bool Engine::execute(Entry& entry, core::Queue& called) {
  const Plan& plan = *entry.plan;
  std::optional<core::Queue> coloured;
  if (!plan.colourings.empty()) coloured = called.in_colours(plan.colourings);
  core::Queue& queue = coloured ? *coloured : called;
  const std::uint64_t fingerprint = sign(plan.fingerprint, plan.description);
  ++flushes_;
  executing_ = true;
  if (!prepare(queue, entry)) return false;
  const double begin = policy_ != nullptr ? rows_.communicator().seconds() : 0;
  const double spent = runner_.run(plan, *entry.prepared, queue, fingerprint);
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

/// What this rank is about to do, as others see it. @return the fingerprint of this flush
std::uint64_t Engine::sign(std::uint64_t sequence,
                           const std::shared_ptr<const std::string>& description) {
  const std::uint64_t fingerprint = sequence ^ core::splitmix64(flushes_);
  if (description != nullptr)
    rows_.communicator().set_signature({fingerprint, [description] { return *description; }});
  return fingerprint;
}

// Plans of sequences

Engine::Entry& Engine::entry_for(const core::Queue& queue, const core::Mesh& mesh,
                                 std::size_t hash) {
  const auto [first, last] = plans_.equal_range(hash);
  for (auto candidate = first; candidate != last; ++candidate)
    if (candidate->second.schedule == *turn_ && fits(candidate->second.plan->key, queue, valid_))
      return candidate->second;
  if (plans_.size() == max_plans) plans_.clear();
  return make_entry(queue, mesh, hash);
}

Engine::Entry& Engine::make_entry(const core::Queue& queue, const core::Mesh& mesh,
                                  std::size_t hash) {
  const core::InPart part(&measurements_.profile, core::Part::plans);
  const auto begin = core::Clock::now();
  const core::Progress progress(log_,
                                "planning a sequence of " + core::counted(queue.size(), "loop"));
  comm::Communicator& communicator = rows_.communicator();
  const AddSeconds plans{communicator, times_.plans};
  times_.is_made = true;
  std::shared_ptr<const std::string> description;
  std::uint64_t fingerprint = 0;
  if (analysis_.halos != Halos::none) {
    description = std::make_shared<const std::string>(describe_queue(queue));
    fingerprint = fingerprint_of(*description);
    sign(fingerprint, description);
    // A mismatch of calls shows before ranks compile; later, as when a plan is found again, in the
    // next message that they wait for.
    if (known_facts_.find(queue, mesh) == nullptr) communicator.barrier();
  }
  std::unique_ptr<Plan> plan;
  while (plan == nullptr) plan = make_plan(queue, mesh);
  plan->fingerprint = fingerprint;
  plan->description = std::move(description);
  follow_rows();
  if (log_.logs(core::LogLevel::info))
    log_.info("new plan for a sequence of " + core::counted(queue.size(), "loop"));
  core::report_span(measurements_.listeners, "plan", "make plan", begin);
  return plans_.emplace(hash, Entry{std::move(plan), nullptr, *turn_})->second;
}

// Planning

/// Its time goes to the trace, its value to OP2_DUMP if that names it; debug builds verify it.
/// @param earlier  the value of another pass by which that of this one is verified
template <class Make, class... Earlier>
auto Engine::run_pass(const char* pass, const core::Queue& queue, const Make& make,
                      const Earlier&... earlier) {
  const auto begin = core::Clock::now();
  auto value = make();
  core::report_span(measurements_.listeners, "plan", pass, begin);
  if constexpr (verifies_plans && requires { verify(queue, value, earlier...); })
    verify(queue, value, earlier...);
  if constexpr (requires { describe(queue, value); })
    if (rows_.communicator().is_root() && options_.dump.contains(pass))
      log_.dump(describe(queue, value));
  return value;
}

/// The passes, in their order: each makes one value of the plan from earlier ones.
/// @param declared  as the program called it; later passes see `queue`, which has the access that
///                  counts, and a record for each colour
/// @return null: rows have moved, so the plan must be made anew
std::unique_ptr<Plan> Engine::make_plan(const core::Queue& declared, const core::Mesh& mesh) {
  comm::Communicator& ranks = rows_.communicator();
  core::Queue queue = declared;
  ensure_rows(core::no_level);  // how sets are ordered limits interiors
  auto plan = std::make_unique<Plan>();
  plan->key = key_of(declared, valid_);
  LoopRequests loops(mesh, options_.check_access,
                     {options_.jit_seconds, options_.jit_memory_bytes});
  const Facts& facts = facts_of(declared, loops);
  report_kept_rows(declared, facts, log_);
  queue = as_used(declared, facts);
  plan->colourings = run_pass("colours", queue, [&] { return colourings_.find(queue, facts); });
  if (!plan->colourings.empty()) queue = in_colours(queue, plan->colourings);
  if (policy_ != nullptr) turn_ = &policy_->schedule_for(queue);
  const Schedule& schedule = *turn_;
  const auto cut = run_pass("cut", queue, [&] { return cut_for(queue, schedule, limits_); });
  plan->analysis = run_pass("analyse", queue,
                            [&] { return analyse_for(queue, schedule, cut, valid_, analysis_); });
  if (distinguish_rows(plan->analysis)) return nullptr;
  if (plan->analysis.rows != core::no_level) ensure_rows(plan->analysis.rows);
  colourings_.update_rows();
  if (schedule.single_rows && executor_->traits().runs_slices) {
    const std::vector<char> rewritten =
        policy_ != nullptr ? policy_->rewritten() : std::vector<char>();
    plan->analysis = run_pass(
        "slice", queue, [&] { return slice(queue, cut, valid_, analysis_, rewritten, rows_); });
  }
  note_deeper(plan->key, [&](const core::Dat& dat) { return exchanges(plan->analysis, dat); });
  const auto order = run_pass("order", queue, [&] {
    return find_order(queue, plan->analysis, ranks,
                      {executor_->traits().orders_by_rows, options_.reproducible});
  });
  find_steps(queue, facts, loops, order, *plan);
  statistics_.register_steps(queue, code_.describe(queue, mesh, *plan), *plan);
  if (policy_ != nullptr) register_times(queue, policy_->costs(), *plan);
  plan->number = ++made_plans_;
  for (const auto& listener : measurements_.listeners) listener->planned(queue, plan->number);
  for (std::size_t s = 0; s < plan->steps.all.size(); ++s)
    if (plan->code[s].compiled != nullptr) report_order(queue, facts, plan->steps.all[s], log_);
  return plan;
}

/// For the policy: the schedule `on` from these halos, as a plan would have it.
Analysis Engine::slice_chains(const core::Queue& queue, const std::vector<core::Level>& valid,
                              const std::vector<char>& rewritten) {
  const auto cut = cut_for(queue, {Schedule::Kind::on, {}}, limits_);
  const Analysis levels = analyse(queue, cut, valid, analysis_);
  if (levels.rows != core::no_level) ensure_rows(levels.rows);
  colourings_.update_rows();
  return slice(queue, cut, valid, analysis_, rewritten, rows_);
}

/// Collective, as find_facts, if those of the sequence are not known.
const Facts& Engine::facts_of(const core::Queue& declared, LoopRequests& loops) {
  if (const Facts* known = known_facts_.find(declared, loops.mesh())) return *known;
  Facts facts = run_pass("facts", declared, [&] {
    const core::InPart part(&measurements_.profile, core::Part::code);
    const AddSeconds once{rows_.communicator(), times_.once};
    return find_facts(declared, loops, prove_, rows_.communicator());
  });
  return known_facts_.add(declared, loops.mesh(), std::move(facts));
}

/// The passes whose values depend on each other: loops whose fused step has no good code stay
/// apart.
void Engine::find_steps(const core::Queue& queue, const Facts& facts, LoopRequests& loops,
                        const std::vector<Order>& order, Plan& plan) {
  FusionRules rules = code_.fusion_rules(queue);
  rules.leaves_zero = [&](const ArgSource& source) {
    return facts.args[queue.records()[source.record].first_arg + source.arg].leaves_zero;
  };
  Code code;
  do {
    plan.steps = run_pass(
        "fuse", queue, [&] { return make_steps(queue, plan.analysis, order, rules); },
        plan.analysis);
    code = run_pass("code", queue, [&] { return find_code(queue, loops, plan.steps); }, plan.steps);
  } while (code.regroup);
  plan.code = std::move(code.steps);
}

/// A device may have no memory for it. On several ranks those that have the code would go on.
Code Engine::find_code(const core::Queue& queue, LoopRequests& loops, const Steps& steps) {
  const core::InPart part(&measurements_.profile, core::Part::code);
  const AddSeconds once{rows_.communicator(), times_.once};
  try {
    return code_.find(queue, loops, steps);
  } catch (const Error& error) {
    intact_ = error.code() == ErrorCode::out_of_memory && analysis_.halos == Halos::none;
    throw;
  }
}

// Preparing plans, also where the memory of a device is short

/// The executor's part: first what every execution needs; what takes longer is prepared once the
/// plan has repeated. @return as `run`
bool Engine::prepare(const core::Queue& queue, Entry& entry) {
  const bool at_once =
      options_.tile.mode == core::TileMode::fixed || options_.tile.mode == core::TileMode::shuffled;
  const int again = at_once ? 0 : 1;
  const int executions = entry.executions++;
  const bool repeats = executions == again && executor_->traits().gains_by_repetition;
  if (executions > 0 && !repeats) return true;
  const core::InPart part(&measurements_.profile, core::Part::plans);
  const AddSeconds plans{rows_.communicator(), times_.plans};
  const auto begin = core::Clock::now();
  const core::Progress progress(log_,
                                "preparing a sequence of " + core::counted(queue.size(), "loop"));
  entry.prepared.reset();
  if (!executor_->traits().has_own_memory)
    entry.prepared = executor_->prepare(*entry.plan, repeats);
  else if (!prepare_in_own_memory(entry, repeats))
    return false;
  core::report_span(measurements_.listeners, "plan", "prepare", begin);
  if (options_.dump.contains("schedule")) log_.dump(entry.prepared->describe(queue));
  return true;
}

/// If memory is short on any rank, all ranks do without something, and in the end all throw.
bool Engine::prepare_in_own_memory(Entry& entry, bool repeats) {
  std::optional<Error> mine;
  auto crowded = try_to_prepare(entry, repeats, mine);
  if (!crowded && free_prepared()) crowded = try_to_prepare(entry, repeats, mine);
  const bool may_stop = code_.may_stop_gathering();
  if (crowded && (crowded->empty() || !may_stop)) return true;
  executing_ = false;
  if (crowded) {
    for (const Step* step : *crowded) code_.stop_gathering(*step);
  } else if (may_stop && std::ranges::any_of(entry.plan->steps.all, &Step::gathers)) {
    log_.warning_once(
        "gathering",
        fmt::format("memory of devices is short: from now on loops that add through maps and those "
                    "that use the sums are separate kernels, which takes longer but needs no "
                    "second buffers, as with OP2_DEBUG=no_fuse{}{}",
                    mine ? ": " : " (another rank)", mine ? mine->what() : ""));
    code_.stop_gathering();
  } else {
    intact_ = true;
    comm::throw_together(rows_.communicator(), mine);
  }
  forget_plans();
  return false;
}

/// @param mine  the error of this rank; nothing: others have one, or none has
/// @return steps with too many increments of one row on any rank; nothing: a rank has failed
std::optional<std::vector<const Step*>> Engine::try_to_prepare(Entry& entry, bool repeats,
                                                               std::optional<Error>& mine) {
  mine.reset();
  const std::vector<Step>& steps = entry.plan->steps.all;
  std::vector<char> flags(1 + steps.size(), 0);
  try {
    entry.prepared = executor_->prepare(*entry.plan, repeats);
    for (const std::size_t s : entry.prepared->steps_with_high_degree_rows()) flags[1 + s] = 1;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    mine = error;
    flags[0] = 1;
  }
  comm::combine_flags(flags, rows_.communicator(), "comparing whether loops have memory");
  if (flags[0] != 0) {
    entry.prepared.reset();
    rows_.communicator().align_channels();
    return {};
  }
  std::vector<const Step*> crowded;
  for (std::size_t s = 0; s < steps.size(); ++s)
    if (flags[1 + s] != 0) crowded.push_back(&steps[s]);
  return crowded;
}

/// What was prepared for other plans is prepared again when they run. @return whether there was any
bool Engine::free_prepared() {
  bool any = false;
  for (auto& [hash, entry] : plans_) {
    if (entry.prepared == nullptr) continue;
    entry.prepared.reset();
    entry.executions = 0;
    any = true;
  }
  executor_->forget_rows();
  if (any)
    log_.warning_once("prepared sequences",
                      "memory of devices is short: what was prepared for other sequences of loops "
                      "was freed, and is prepared again when they run; use more devices or a "
                      "smaller mesh");
  return any;
}

void Engine::forget_plans() {
  plans_.clear();
  executor_->forget_rows();
}

// Rows that get another order, and halos that grow

/// @return whether rows have another order now
bool Engine::distinguish_rows(const Analysis& analysis) {
  const AddSeconds once{rows_.communicator(), times_.once};
  const bool have_moved = rows_.distinguish(deepest_interior_of(analysis));
  if (have_moved) forget_levels();
  return have_moved;
}

void Engine::ensure_rows(core::Level level) {
  const AddSeconds once{rows_.communicator(), times_.once};
  const core::Progress progress(log_, "ordering rows for locality and halos");
  rows_.ensure_rows(level);
}

/// If rows have moved, bindings to them are invalid.
void Engine::follow_rows() {
  const int bound = std::exchange(epoch_, rows_.epoch());
  if (bound == epoch_ || bound == unbound) return;
  forget_plans();
}

void Engine::forget_halos() {
  forget_levels();
  if (policy_ != nullptr) policy_->forget();
}

/// The owned rows of each set are in another order; what a policy knows of sequences stays true.
void Engine::forget_levels() {
  forget_plans();
  epoch_ = unbound;
  for (core::Level& level : valid_) level = std::min(level, 0);
}

}  // namespace op2::sched
