// SPDX-License-Identifier: BSD-3-Clause
#include <sched/planner.hpp>

#include <algorithm>

#include <core/error.hpp>
#include <core/value_type.hpp>
#include <sched/chain_analysis.hpp>
#include <sched/dump.hpp>
#include <sched/shared_code.hpp>

namespace op2::sched {
namespace {

ChainLimits limits_for(const core::Options& options, int ranks) {
  const bool keep_all = !options.eliminate_dead_loops;
  if (ranks == 1) return {.keep_all = keep_all};
  return {.one_loop =
              options.chain == core::ChainMode::off || options.target == core::Target::reference,
          .rows = 2 * options.depth_max,
          .keep_all = keep_all};
}

void add_arguments(const core::Queue& queue, std::size_t record, LoopStep& step) {
  const core::LoopRecord& loop = queue.records()[record];
  const auto args = queue.args_of(loop);
  step.kernel = loop.kernel;
  step.set = loop.set;
  step.args.assign(args.begin(), args.end());
  for (std::size_t arg = 0; arg < args.size(); ++arg) step.sources.push_back({record, arg});
}

/// For the log.
std::string origin_of(const jit::CompiledLoop& code) {
  if (code.from_disk) return "from the cache directory";
  if (code.received) return "from another rank";
  return fmt::format("compiled in {:.0f} ms", 1e3 * code.compile_seconds);
}

/// Whether nothing is known of the kernel but where it is.
bool is_function_alone(op_kernel kernel) {
  return *kernel->source == '\0';
}

/// The first dat whose rows only host functions can read, or null.
const core::Dat* opaque_dat(std::span<const core::LoopArg> args) {
  const auto found = std::ranges::find_if(
      args, [](const core::LoopArg& arg) { return arg.is_active_dat() && arg.dat->opaque; });
  return found == args.end() ? nullptr : found->dat;
}

/// For the column "code" of the per-loop table.
std::string words_of_host(const core::FunctionKernel* function, const core::Dat* opaque) {
  if (function != nullptr && !function->why_no_text.empty())
    return fmt::format("host: {}", function->why_no_text);
  if (opaque == nullptr) return "host";
  return fmt::format("host: the rows of dat '{}' are opaque", opaque->name_storage);
}

}  // namespace

Planner::Planner(const core::Options& options, const core::Topology& topology,
                 core::ThreadPool& pool, comm::DistributedMesh& rows, jit::Jit& jit,
                 core::LoopTable& table, core::Log& log)
    : options_(options),
      pool_(pool),
      rows_(rows),
      jit_(jit),
      table_(table),
      log_(log),
      limits_(limits_for(options, rows.communicator().size())),
      steps_(options.target == core::Target::reference ? 1 : pool.size()),
      fuser_(options, jit, rows.communicator(), table, log, steps_),
      tiler_(options, topology, pool.size(), steps_) {}

Planner::~Planner() = default;

std::unique_ptr<Plan> Planner::make_plan(const core::Queue& queue, const core::Mesh& mesh,
                                         const std::vector<core::Level>& valid, Wait wait) {
  auto plan = std::make_unique<Plan>();
  plan->key = key_of(queue, valid);
  plan->steps.resize(queue.size());
  std::vector<core::Level> levels = valid;
  core::Level rows = core::no_level;
  for (const RecordRange& chain : cut_chains(queue, limits_))
    rows = std::max(rows, plan_chain(queue, chain, levels, *plan));
  const int epoch = rows_.epoch();
  if (rows != core::no_level) rows_.ensure_rows(rows);
  if (rows_.epoch() != epoch) steps_.forget();
  add_exchanges(*plan);
  add_code(queue, mesh, wait, *plan);
  add_steps(queue, *plan);
  for (const core::Dat* dat : plan->key.dats)
    plan->valid_after.push_back(levels[static_cast<std::size_t>(dat->index)]);
  if (options_.dump.schedule) log_.dump(describe_schedule(queue, *plan));
  if (log_.logs(core::LogLevel::info))
    log_.info(fmt::format("new plan for a sequence of {} loops", queue.size()));
  return plan;
}

bool Planner::prepare(const core::Queue& queue, const core::Mesh& mesh, Plan& plan) {
  const core::TileMode mode = options_.tile.mode;
  if ((mode == core::TileMode::off && !options_.fuse) || plan.awaits_code) return false;
  const bool at_once = mode == core::TileMode::fixed || mode == core::TileMode::shuffled;
  const int first_prepared = at_once ? 0 : 1;
  if (plan.executions > first_prepared || plan.executions++ < first_prepared) return false;
  if (options_.fuse) fuser_.fuse(queue, mesh, plan);
  if (mode != core::TileMode::off) tiler_.add_tiles(queue, plan);
  if (options_.dump.schedule) log_.dump(describe_schedule(queue, plan));
  return true;
}

core::Level Planner::plan_chain(const core::Queue& queue, RecordRange range,
                                std::vector<core::Level>& valid, Plan& plan) {
  const ChainDescription chain = describe_chain(queue, range, limits_.keep_all);
  std::vector<core::Level> start;
  for (const core::Dat* dat : chain.dats)
    start.push_back(valid[static_cast<std::size_t>(dat->index)]);
  const std::vector<core::Level> wanted(chain.dats.size(), 0);
  const core::ChainLevels levels = analyse_chain(chain.loops, start, wanted);
  ChainPlan& made = plan.chains.emplace_back();
  made.begin = range.begin;
  made.end = range.end;
  add_shipments(chain, levels, start, made);
  for (std::size_t k = 0; k < chain.dats.size(); ++k)
    valid[static_cast<std::size_t>(chain.dats[k]->index)] = levels.valid[k];
  std::size_t loop = 0;
  for (std::size_t k = range.begin; k < range.end; ++k) {
    LoopStep& step = plan.steps[k];
    if (queue.records()[k].is_assignment()) {
      step.kind = LoopStep::Kind::assignment;
      continue;
    }
    step.extent = levels.extent[loop];
    step.core = made.shipments.empty() ? core::no_level : levels.core[loop];
    step.kind = step.extent == core::no_level ? LoopStep::Kind::dead : LoopStep::Kind::loop;
    step.row = &table_.row(queue.records()[k].name);
    add_arguments(queue, k, step);
    check_loop_name(queue.records()[k]);
    ++loop;
  }
  if (options_.dump.chain && rows_.communicator().is_root())
    log_.dump(describe_levels(queue, range, chain, levels));
  return levels.rows;
}

void Planner::add_shipments(const ChainDescription& chain, const core::ChainLevels& levels,
                            const std::vector<core::Level>& valid, ChainPlan& plan) const {
  if (rows_.communicator().size() == 1) return;
  for (std::size_t k = 0; k < chain.dats.size(); ++k) {
    const core::Level from = std::max(valid[k], 0);
    if (levels.need[k] <= from) continue;
    plan.shipments.push_back({chain.dats[k], from, levels.need[k]});
    plan.layers = std::max(plan.layers, (levels.need[k] + 1) / 2);
  }
}

void Planner::add_exchanges(Plan& plan) {
  for (ChainPlan& chain : plan.chains)
    if (!chain.shipments.empty())
      chain.exchange = std::make_unique<comm::HaloExchange>(
          rows_.communicator(), rows_.halo_plan(), chain.shipments, options_.exchange, pool_);
}

void Planner::check_loop_name(const core::LoopRecord& record) {
  const auto [known, fresh] = kernels_.try_emplace(record.name, record.kernel);
  if (!fresh && std::string_view(known->second->source) != record.kernel->source)
    log_.warning_once(
        fmt::format("name {}", record.name),
        fmt::format("loops named '{}' run different kernels (here {}:{}); the per-loop "
                    "table adds them up",
                    record.name, record.where.file, record.where.line));
}

bool Planner::wants_host(op_kernel kernel) const {
  return kernel->host != nullptr &&
         (is_function_alone(kernel) || options_.target == core::Target::reference ||
          options_.jit == core::JitMode::off);
}

void Planner::add_code(const core::Queue& queue, const core::Mesh& mesh, Wait wait, Plan& plan) {
  std::vector<jit::LoopRequest> requests;
  std::vector<std::size_t> places;
  std::map<op_kernel, jit::KernelCall> calls;  // without arguments: each source is read once
  for (std::size_t k = 0; k < queue.size(); ++k) {
    LoopStep& step = plan.steps[k];
    if (step.kind != LoopStep::Kind::loop) continue;
    const core::LoopRecord& record = queue.records()[k];
    const core::Dat* const opaque = opaque_dat(queue.args_of(record));
    if (opaque != nullptr || wants_host(record.kernel)) {
      step.row->code = words_of_host(mesh.function_of(record.kernel), opaque);
      continue;
    }
    const std::string site = fmt::format("{}:{}", record.where.file, record.where.line);
    if (options_.jit == core::JitMode::off)
      core::fail(ErrorCode::bad_option,
                 "loop '{}' ({}): kernel '{}' has no host function, so OP2_JIT=off cannot run it; "
                 "use OP_KERNEL or OP2_JIT=on",
                 record.name, site, record.kernel->name);
    const auto [known, fresh] = calls.try_emplace(record.kernel);
    if (fresh) known->second = call_of(mesh, record.kernel);
    requests.push_back(
        {nest_of(known->second, queue.args_of(record)),
         {{.loop = record.name,
           .call_site = site,
           .kernel = record.kernel,
           .compare_access = options_.check_access || mesh.function_of(record.kernel) == nullptr,
           .optional = optional_args(queue.args_of(record))}}});
    places.push_back(k);
  }
  if (requests.empty()) return;
  if (options_.dump.source)
    for (const jit::LoopRequest& request : requests) log_.dump(jit_.compiled_source(request.nest));
  const std::vector<jit::Outcome> outcomes = code_of(requests, wait, plan);
  for (std::size_t n = 0; n < places.size(); ++n) {
    LoopStep& step = plan.steps[places[n]];
    take_outcome(queue.records()[places[n]], outcomes[n], step);
    const core::FunctionKernel* function = mesh.function_of(step.kernel);
    if (step.range == nullptr && function != nullptr) step.variables = function->variables;
  }
}

std::vector<jit::Outcome> Planner::code_of(std::span<const jit::LoopRequest> requests, Wait wait,
                                           Plan& plan) {
  const bool needs_code = options_.jit == core::JitMode::require || options_.check_access;
  if (wait == Wait::always || options_.jit_wait || needs_code || rows_.communicator().size() > 1)
    return code_for(jit_, rows_.communicator(), requests);
  std::vector<jit::Outcome> outcomes = jit_.get_ready(requests);
  for (std::size_t n = 0; n < requests.size(); ++n) {
    if (outcomes[n].code != nullptr || outcomes[n].error) continue;
    // A host function reads constants when it runs, not as they were at the call.
    const bool can_run = requests[n].origins[0].kernel->host != nullptr &&
                         requests[n].nest.calls[0].constants.empty();
    if (can_run)
      plan.awaits_code = true;
    else
      outcomes[n] = jit_.get(requests.subspan(n, 1)).front();
  }
  return outcomes;
}

void Planner::take_outcome(const core::LoopRecord& record, const jit::Outcome& outcome,
                           LoopStep& step) {
  if (outcome.code == nullptr && !outcome.error) {
    step.row->code = "host, while its code is made";
    return;
  }
  if (!outcome.error) {
    step.range = outcome.code->range;
    step.wide = outcome.code->is_wide();
    step.row->code = step.wide ? "jit, " + outcome.code->lanes : "jit";
    if (log_.logs(core::LogLevel::debug))
      log_.debug(fmt::format(
          "loop '{}': kernel '{}' {}", record.name, record.kernel->name,
          told_.insert(outcome.code).second ? origin_of(*outcome.code) : "has its code already"));
    return;
  }
  const ErrorCode code = outcome.error->code();
  const bool final = code == ErrorCode::internal || code == ErrorCode::bad_option ||
                     code == ErrorCode::kernel_access;
  if (record.kernel->host == nullptr || options_.jit == core::JitMode::require || final)
    throw *outcome.error;
  fallen_back_.insert(record.kernel);
  step.row->code = fmt::format("host (OP2-E{})", static_cast<int>(code));
  const bool about_kernel = code < ErrorCode::bad_option || code == ErrorCode::link_failure;
  const std::string what =
      about_kernel ? fmt::format("kernel '{}' runs", record.kernel->name) : "kernels run";
  log_.warning_once(
      what, fmt::format("{} as host function on one thread: {}", what, outcome.error->what()));
}

bool Planner::names_constants(op_kernel kernel, const core::Mesh& mesh) {
  if (const core::FunctionKernel* function = mesh.function_of(kernel))
    return is_function_alone(kernel) ||
           !function->variables.empty();  // alone: it may name anything
  if (constants_looked_for_ != mesh.constants().size()) {
    names_constants_.clear();
    constants_looked_for_ = mesh.constants().size();
  }
  const auto [answer, fresh] = names_constants_.try_emplace(kernel, false);
  if (fresh) answer->second = !call_of(mesh, kernel).constants.empty();
  return answer->second;
}

/// For every record whether its result depends on the order of iterations. Collective.
std::vector<char> Planner::in_order(const Plan& plan) const {
  std::vector<char> flags(plan.steps.size(), 0);
  for (std::size_t k = 0; k < flags.size(); ++k)
    if (plan.steps[k].kind == LoopStep::Kind::loop)
      flags[k] = depends_on_order(plan.steps[k]) ? 1 : 0;
  comm::WordReduction any{{}, {}, {flags.begin(), flags.end()}};
  rows_.communicator().reduce(any, "comparing which loops depend on their order");
  return {any.maxima.begin(), any.maxima.end()};
}

/// One rank executes such a loop in order; several cannot, unless what they write is the same
/// whatever the order.
void Planner::report_order(const core::Queue& queue, const core::LoopRecord& record,
                           const LoopStep& step) const {
  if (rows_.communicator().size() > 1 && reads_shared_rows(queue.args_of(record)))
    core::fail(ErrorCode::order_dependent,
               "loop '{}' ({}:{}): elements read rows that others modify through a map, so the "
               "result depends on their order, which {} ranks do not have; use OP_INC alone, or a "
               "map in which no target occurs twice",
               record.name, record.where.file, record.where.line, rows_.communicator().size());
  if (step.range == nullptr && rows_.communicator().size() == 1) return;
  if (sets_globals(queue.args_of(record))) {
    step.row->code += ", in order";
    return;
  }
  if (step.range != nullptr) step.row->code = "jit, in order";
  log_.warning_once(step.row->name,
                    fmt::format("loop '{}' ({}:{}) runs on one thread: elements write rows that "
                                "others use, so the result depends on their order",
                                record.name, record.where.file, record.where.line));
}

void Planner::add_steps(const core::Queue& queue, Plan& plan) {
  const std::vector<char> ordered = in_order(plan);
  for (const ChainPlan& chain : plan.chains)
    for (std::size_t k = chain.begin; k < chain.end; ++k) {
      LoopStep& step = plan.steps[k];
      if (step.kind != LoopStep::Kind::loop) continue;
      if (ordered[k] != 0) report_order(queue, queue.records()[k], step);
      steps_.build(queue, {chain.begin, chain.end}, ordered[k] != 0, step);
    }
}

}  // namespace op2::sched
