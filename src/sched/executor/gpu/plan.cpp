// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/gpu/plan.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <core/error.hpp>
#include <jit/target/cuda/cuda_target.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/executor/cpu/parts.hpp>
#include <sched/executor/cpu/plan.hpp>
#include <sched/executor/cpu/slots.hpp>
#include <sched/loop_statistics.hpp>

namespace op2::sched {
namespace {

PlanSlots slots_of(const core::Mesh& mesh, const Step& step, const StepParts& parts,
                   bool reproducible) {
  if (!reproducible) return {std::vector<StepSlots>(1), {}};
  SlotTables none;
  return make_slots(mesh, std::array{ScheduledStep{&step, {&parts.interior}, {&parts.boundary}}},
                    none);
}

/// Elements that one thread may execute for its row, one after the other, each in about a
/// microsecond.
constexpr std::int64_t most_to_a_row = 256;

}  // namespace

/// A step that the device cannot run: by the host, on the host's copies of its dats.
class HostStep {
 public:
  /// References outlive it.
  /// @param reproducible  on all threads, with sums in the canonical order; otherwise on one
  HostStep(const Step& step, const StepCode& code, const core::Mesh& mesh, core::ThreadPool& pool,
           bool reproducible)
      : step_(step),
        code_(code),
        pool_(pool),
        parts_(PartMaker(reproducible ? pool.size() : 1).parts_of(step, code)),
        slots_(slots_of(mesh, step, parts_, reproducible)) {
    std::vector<core::ArgBinding> slotted;
    if (reproducible) slotted = bindings_of(step, slots_.steps.front());
    bindings_ = sched::bind(step, parts_.threads, parts_.some_do_not_count, slotted);
  }

  /// Binds the globals of a call; once per call, before its first iterations.
  void start(core::Queue& queue) { bind_globals(step_, queue, bindings_); }
  /// Waits for the device, brings the step's dats to the host and runs the iterations of a phase.
  /// @throws what a host function throws, Error device_failure
  void run(Phase phase) {
    for (const core::LoopArg& arg : step_.args) {
      if (!arg.is_active_dat()) continue;
      if (arg.modifies())
        static_cast<void>(arg.dat->rows.host_write());
      else
        arg.dat->rows.host_read();
    }
    run_parts(step_, code_, parts_, bindings_, slots_.steps.front(), phase, pool_);
  }
  /// After the iterations of both phases, before `collect`.
  void finish() { fold_threads(step_, bindings_); }
  std::byte* collect(const GlobalArg& reduction) const { return bindings_.partial(reduction, 0); }

 private:
  const Step& step_;
  const StepCode& code_;
  core::ThreadPool& pool_;
  const StepParts parts_;
  const PlanSlots slots_;  ///< of this step alone
  StepBindings bindings_;
};

GpuPlan::GpuPlan(const Plan& plan, Exchanges exchanges, RowBuffers buffers, GpuShared& shared)
    : PreparedPlan(plan, std::move(exchanges)),
      shared_(shared),
      values_(shared.copies, plan),
      buffers_(std::move(buffers)),
      launches_(plan.steps.all.size()),
      host_steps_(plan.steps.all.size()) {
  make_steps();
  find_constants();
  for (std::size_t chain = 0; chain < plan.chains().size(); ++chain)
    for (const Phase phase : {Phase::interior, Phase::boundary}) add_phase(chain, phase);
}

/// The host looks for rows in the first buffers, and for sums in memory.
void GpuPlan::make_steps() {
  const bool gathers = std::ranges::any_of(plan_.steps.all, &Step::gathers);
  for (std::size_t s = 0; s < launches_.size(); ++s) {
    if (runs_on_device(plan_, s))
      launches_[s] = std::make_unique<StepLaunch>(plan_, s, values_, shared_.tables, shared_.copies,
                                                  buffers_.second[s], shared_.options.reproducible);
    else if (plan_.steps.all[s].runs()) {
      core::ensure(!gathers, "the host runs a loop of a plan that moves rows");
      host_steps_[s] = std::make_unique<HostStep>(plan_.steps.all[s], plan_.code[s], shared_.mesh,
                                                  shared_.pool, shared_.options.reproducible);
    }
  }
}

void GpuPlan::find_constants() {
  for (std::size_t chain = 0; chain < plan_.chains().size(); ++chain) {
    CurrentConstants::Modules& modules = with_constants_.emplace_back();
    for (std::size_t s = plan_.steps.begin[chain]; s < plan_.steps.begin[chain + 1]; ++s) {
      if (launches_[s] == nullptr) continue;
      const jit::CudaLoop* code = &jit::cuda_loop_of(*plan_.code[s].compiled);
      const bool is_new = std::ranges::find(modules, code) == modules.end();
      if (is_new && !code->constants.empty()) modules.push_back(code);
    }
  }
}

void GpuPlan::add_phase(std::size_t chain, Phase phase) {
  std::vector<Part>& parts = (phase == Phase::interior ? interior_ : boundary_).emplace_back();
  std::vector<StepLaunch*> neighbours;
  const auto end_neighbours = [&] {
    if (!neighbours.empty())
      parts.push_back(
          {std::make_unique<DevicePhase>(shared_.device, neighbours, phase, shared_.times.get())});
    neighbours.clear();
  };
  for (std::size_t s = plan_.steps.begin[chain]; s < plan_.steps.begin[chain + 1]; ++s) {
    if (!plan_.steps.all[s].runs() || plan_.steps.all[s].rows(phase).empty()) continue;
    if (launches_[s] != nullptr) {
      neighbours.push_back(launches_[s].get());
      continue;
    }
    end_neighbours();
    parts.push_back({nullptr, s});
  }
  end_neighbours();
}

/// Buffers are freed when nothing uses them.
GpuPlan::~GpuPlan() {
  shared_.copies.space().main_stream().settle();
}

void GpuPlan::pack_and_start(std::size_t chain, std::uint64_t fingerprint) {
  exchanges_[chain]->pack(fingerprint);
}

/// When the device has packed; it computes meanwhile if the interior has been queued.
void GpuPlan::send(std::size_t chain) {
  if (exchanges_[chain] != nullptr) exchanges_[chain]->send();
}

void GpuPlan::finish_and_unpack(std::size_t chain) {
  send(chain);
  exchanges_[chain]->finish();
}

/// What a call changes: values of globals and of constants. The host looks first: on the device a
/// global that is reduced there gets the value that it begins with, which may be set after loops of
/// the host.
void GpuPlan::start(std::size_t chain, core::Queue& queue) {
  for (std::size_t s = plan_.steps.begin[chain]; s < plan_.steps.begin[chain + 1]; ++s)
    if (host_steps_[s] != nullptr) host_steps_[s]->start(queue);
  values_.upload(chain, queue);
  shared_.constants.update(with_constants_[chain]);
}

void GpuPlan::run(std::size_t chain, Phase phase, core::Queue& queue, const Finished& finished) {
  if (phase == Phase::interior || exchanges_[chain] == nullptr) start(chain, queue);
  if (phase == Phase::interior && shared_.times != nullptr)
    send(chain);  // timed parts are waited for
  for (const Part& part : (phase == Phase::interior ? interior_ : boundary_)[chain]) {
    if (part.on_device != nullptr) part.on_device->run();
    if (phase == Phase::interior) send(chain);
    if (part.on_device == nullptr) run_on_host(part.step, phase);
    if (phase == Phase::interior) exchanges_[chain]->progress();
  }
  count(chain, phase);
  if (phase == Phase::interior) return;
  if (chain + 1 == plan_.chains().size()) bring_rows_back();
  values_.download(chain);
  for (std::size_t s = plan_.steps.begin[chain]; s < plan_.steps.begin[chain + 1]; ++s) {
    if (host_steps_[s] != nullptr) host_steps_[s]->finish();
    finished(s);
  }
}

/// Lists are known here alone; what else loops read and write, to all executors.
void GpuPlan::count(std::size_t chain, Phase phase) const {
  for (std::size_t s = plan_.steps.begin[chain]; s < plan_.steps.begin[chain + 1]; ++s) {
    count_iterations(plan_.rows[s], phase, Way::alone);
    if (launches_[s] != nullptr)
      plan_.rows[s].row->bytes += static_cast<double>(launches_[s]->list_bytes(phase));
  }
}

/// Of dats that the last step has left in their second buffer.
void GpuPlan::bring_rows_back() {
  for (const core::Dat* dat : buffers_.back)
    shared_.copies.space().main_stream().copy(dat->rows.device_read(),
                                              shared_.tables.second_of(*dat), dat->rows.bytes());
}

void GpuPlan::run_on_host(std::size_t s, Phase phase) {
  const core::StepEvent event(shared_.listeners, plan_.rows[s].row->name.c_str());
  const auto begin = core::Clock::now();
  host_steps_[s]->run(phase);
  plan_.rows[s].spend(core::seconds_since(begin));
}

std::byte* GpuPlan::collect(std::size_t s, const GlobalArg& reduction) {
  if (host_steps_[s] != nullptr) return host_steps_[s]->collect(reduction);
  return values_.collect(s, reduction);
}

std::vector<std::size_t> GpuPlan::steps_with_high_degree_rows() const {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < launches_.size(); ++s)
    if (plan_.steps.all[s].gathers() && launches_[s]->most_to_a_row() > most_to_a_row)
      found.push_back(s);
  return found;
}

std::string GpuPlan::how_step_runs(std::size_t s) const {
  if (launches_[s] == nullptr) return host_steps_[s] != nullptr ? ": on the host" : "";
  return launches_[s]->adds_atomically() ? ": on the device"
                                         : ": on the device, rows gather increments";
}

}  // namespace op2::sched
