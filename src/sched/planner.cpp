// SPDX-License-Identifier: BSD-3-Clause
#include <sched/planner.hpp>

#include <algorithm>

#include <core/error.hpp>
#include <core/value_type.hpp>
#include <sched/chain_analysis.hpp>
#include <sched/dump.hpp>

namespace op2::sched {
namespace {

/// Loops over fewer elements run on the calling thread: waking others costs more than it gains.
constexpr int min_elements_per_thread = 256;

bool modifies_any(std::span<const core::LoopArg> args) {
  return std::any_of(args.begin(), args.end(),
                     [](const core::LoopArg& arg) { return arg.active && arg.modifies(); });
}

core::ArgBinding bind(const core::LoopArg& arg) {
  core::ArgBinding binding{nullptr, nullptr, 0};
  if (!arg.active) return binding;
  if (arg.dat != nullptr) binding.base = arg.dat->rows.get();
  if (arg.map != nullptr) {
    binding.index = arg.map->entries.data() + arg.column;
    binding.index_stride = arg.map->dim;
  }
  return binding;
}

/// Bindings of all threads; reductions get their places in the threads' blocks.
void bind_args(std::span<const core::LoopArg> args, LoopStep& step) {
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (!args[k].active || args[k].kind != OP_ARG_GBL) continue;
    (args[k].modifies() ? step.reductions : step.reads).push_back({k, args[k], step.block_bytes});
    if (args[k].modifies())
      step.block_bytes += (core::size_of(args[k].type, args[k].dim) + 63) / 64 * 64;
  }
  step.blocks = core::allocate_zeroed(step.block_bytes * static_cast<std::size_t>(step.threads));
  for (int t = 0; t < step.threads; ++t) {
    std::transform(args.begin(), args.end(), std::back_inserter(step.bindings), bind);
    core::ArgBinding* own = step.bindings.data() + static_cast<std::size_t>(t) * args.size();
    for (const GlobalSlot& slot : step.reductions) own[slot.arg].base = step.partial(slot, t);
  }
}

PlanKey key_of(const core::Queue& queue, const std::vector<core::Level>& valid) {
  PlanKey key;
  key.records.assign(queue.records().begin(), queue.records().end());
  key.args.assign(queue.args().begin(), queue.args().end());
  for (const core::LoopArg& arg : key.args)
    if (arg.is_active_dat()) key.dats.push_back(arg.dat);
  std::sort(key.dats.begin(), key.dats.end());
  key.dats.erase(std::unique(key.dats.begin(), key.dats.end()), key.dats.end());
  for (const core::Dat* dat : key.dats)
    key.valid.push_back(valid[static_cast<std::size_t>(dat->index)]);
  return key;
}

}  // namespace

Planner::Planner(const core::Options& options, int threads, jit::Jit& jit, core::LoopTable& table,
                 core::Log& log)
    : options_(options), threads_(threads), jit_(jit), table_(table), log_(log) {}

Planner::~Planner() = default;

std::unique_ptr<Plan> Planner::make_plan(const core::Queue& queue, const core::Mesh& mesh,
                                         const std::vector<core::Level>& valid) {
  auto plan = std::make_unique<Plan>();
  plan->key = key_of(queue, valid);
  plan->steps.resize(queue.size());
  std::vector<core::Level> levels = valid;
  for (const RecordRange& chain : cut_chains(queue)) plan_chain(queue, chain, levels, *plan);
  add_code(queue, mesh, *plan);
  for (std::size_t k = 0; k < queue.size(); ++k)
    if (plan->steps[k].kind == LoopStep::Kind::loop)
      add_shares(queue, queue.records()[k], plan->steps[k]);
  for (const core::Dat* dat : plan->key.dats)
    plan->valid_after.push_back(levels[static_cast<std::size_t>(dat->index)]);
  if (options_.dump.schedule) log_.dump(describe_schedule(queue, *plan));
  if (log_.logs(core::LogLevel::info))
    log_.info(fmt::format("new plan for a sequence of {} loops", queue.size()));
  return plan;
}

void Planner::plan_chain(const core::Queue& queue, RecordRange range,
                         std::vector<core::Level>& valid, Plan& plan) {
  const ChainDescription chain = describe_chain(queue, range);
  std::vector<core::Level> start;
  for (const core::Dat* dat : chain.dats)
    start.push_back(valid[static_cast<std::size_t>(dat->index)]);
  const std::vector<core::Level> wanted(chain.dats.size(), 0);
  const core::ChainLevels levels = analyse_chain(chain.loops, start, wanted);
  for (std::size_t k = 0; k < chain.dats.size(); ++k)
    valid[static_cast<std::size_t>(chain.dats[k]->index)] = levels.valid[k];
  std::size_t loop = 0;
  for (std::size_t k = range.begin; k < range.end; ++k) {
    if (queue.records()[k].is_assignment()) {
      plan.steps[k].kind = LoopStep::Kind::assignment;
      continue;
    }
    // A loop that writes nothing has no use for others, but perhaps for its kernel: a message.
    const bool unused =
        levels.extent[loop++] == core::no_level && modifies_any(queue.args_of(queue.records()[k]));
    const bool dead = unused && options_.eliminate_dead_loops;
    plan.steps[k].kind = dead ? LoopStep::Kind::dead : LoopStep::Kind::loop;
    plan.steps[k].row = &table_.row(queue.records()[k].name);
    check_loop_name(queue.records()[k]);
  }
  if (options_.dump.chain) log_.dump(describe_levels(queue, range, chain, levels));
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
         (options_.target == core::Target::reference || options_.jit == core::JitMode::off);
}

void Planner::add_code(const core::Queue& queue, const core::Mesh& mesh, Plan& plan) {
  const std::vector<jit::Constant> constants = constants_of(mesh);
  std::vector<jit::LoopRequest> requests;
  std::vector<std::size_t> places;
  std::map<op_kernel, jit::LoopShape> shapes;  // without arguments: each text is looked at once
  for (std::size_t k = 0; k < queue.size(); ++k) {
    LoopStep& step = plan.steps[k];
    if (step.kind != LoopStep::Kind::loop) continue;
    const core::LoopRecord& record = queue.records()[k];
    if (wants_host(record.kernel)) {
      step.row->code = "host";
      continue;
    }
    const std::string site = fmt::format("{}:{}", record.where.file, record.where.line);
    if (options_.jit == core::JitMode::off)
      core::fail(ErrorCode::bad_option,
                 "loop '{}' ({}): kernel '{}' has no host function, so OP2_JIT=off cannot run it; "
                 "use OP_KERNEL or OP2_JIT=on",
                 record.name, site, record.kernel->name);
    const auto [known, fresh] = shapes.try_emplace(record.kernel);
    if (fresh) known->second = jit::shape_of(*record.kernel, {}, constants);
    requests.push_back({known->second, record.name, site, record.kernel});
    requests.back().shape.args = arg_shapes(queue.args_of(record));
    places.push_back(k);
  }
  if (requests.empty()) return;
  if (options_.dump.source)
    for (const jit::LoopRequest& request : requests) log_.dump(jit::source_of(request.shape));
  const std::vector<jit::Outcome> outcomes = jit_.get(requests);
  for (std::size_t n = 0; n < places.size(); ++n)
    take_outcome(queue.records()[places[n]], outcomes[n], plan.steps[places[n]]);
}

void Planner::take_outcome(const core::LoopRecord& record, const jit::Outcome& outcome,
                           LoopStep& step) {
  if (!outcome.error) {
    step.range = outcome.code->range;
    step.row->code = "jit";
    if (log_.logs(core::LogLevel::debug))
      log_.debug(fmt::format(
          "loop '{}': kernel '{}' {}", record.name, record.kernel->name,
          outcome.code->from_disk
              ? "from the cache directory"
              : fmt::format("compiled in {:.0f} ms", 1e3 * outcome.code->compile_seconds)));
    return;
  }
  const ErrorCode code = outcome.error->code();
  const bool final = code == ErrorCode::internal || code == ErrorCode::bad_option;
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
  if (constants_looked_for_ != mesh.constants().size()) {
    names_constants_.clear();
    constants_looked_for_ = mesh.constants().size();
  }
  const auto [answer, fresh] = names_constants_.try_emplace(kernel, false);
  if (fresh) answer->second = !jit::shape_of(*kernel, {}, constants_of(mesh)).constants.empty();
  return answer->second;
}

void Planner::add_shares(const core::Queue& queue, const core::LoopRecord& record, LoopStep& step) {
  const auto args = queue.args_of(record);
  const bool alone = step.range == nullptr || options_.target == core::Target::reference ||
                     record.set->size < threads_ * min_elements_per_thread;
  const ConflictPattern pattern = conflict_pattern(record.set, args);
  step.threads = alone ? 1 : threads_;
  step.shares = &shares_for(pattern, step.threads);
  if (step.shares->in_order) {
    step.threads = 1;
    step.shares = &shares_for(pattern, 1);
    step.row->code = "jit, in order";
    log_.warning_once(step.row->name,
                      fmt::format("loop '{}' ({}:{}) runs on one thread: elements write rows that "
                                  "others use, so the result depends on their order",
                                  record.name, record.where.file, record.where.line));
  }
  step.useful_bytes = useful_bytes(record.set, args);
  bind_args(args, step);
}

const ThreadPlan& Planner::shares_for(const ConflictPattern& pattern, int threads) {
  // On one thread all loops over a set are alike.
  const std::pair key(threads == 1 ? ConflictPattern{pattern.set, {}} : pattern, threads);
  auto& shares = shares_[key];
  if (shares == nullptr) shares = std::make_unique<ThreadPlan>(plan_loop(key.first, threads));
  return *shares;
}

}  // namespace op2::sched
