// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/gpu/executor.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comm/halo/distributed_mesh.hpp>
#include <core/error.hpp>
#include <core/log.hpp>
#include <core/measurements/measurements.hpp>
#include <core/options.hpp>
#include <core/thread_pool.hpp>
#include <core/value_type.hpp>
#include <gpu/device.hpp>
#include <gpu/module.hpp>
#include <gpu/space.hpp>
#include <jit/jit.hpp>
#include <jit/target/cuda/cuda_target.hpp>
#include <sched/code.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/executor/cpu/executor.hpp>
#include <sched/executor/exchanges.hpp>
#include <sched/executor/gpu/launch.hpp>
#include <sched/executor/gpu/packer.hpp>
#include <sched/executor/gpu/row_buffers.hpp>
#include <sched/executor/gpu/values.hpp>
#include <sched/loop_statistics.hpp>

namespace op2::sched {
namespace {

/// What steps take on the device. Between `start` and `finish` nothing else is queued on the main
/// stream. All functions throw Error device_failure.
class StepTimes {
 public:
  /// All references outlive it.
  StepTimes(gpu::Device& device, const core::Listeners& listeners)
      : stream_(device.space().main_stream()), listeners_(listeners), timer_(device) {}

  /// Waits for all earlier work.
  void start() {
    stream_.wait();
    rows_.clear();
    timer_.restart();
    begin_ = core::Clock::now();
    timer_.set(stream_);
  }

  /// The kernels queued since `start`, or since the last call, are those of a step.
  /// @param rows  where it counts
  void end_of(const StepRows& rows) {
    rows_.push_back(&rows);
    timer_.set(stream_);
  }

  /// Waits for the kernels and adds up what they have taken. Mark k is where the k-th step begins.
  void finish() {
    stream_.wait();
    double begin = 0;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const double seconds = timer_.seconds(k, k + 1);
      rows_[k]->spend(seconds);
      for (const auto& listener : listeners_)
        listener->step_ran_on_device(rows_[k]->row->name.c_str(),
                                     begin_ + core::clock_duration(begin), seconds);
      begin += seconds;
    }
  }

 private:
  core::Stream& stream_;
  const core::Listeners& listeners_;
  gpu::Timer timer_;
  core::Clock::time_point begin_;
  std::vector<const StepRows*> rows_;  ///< of steps since `start`
};

bool commute(const core::LoopArg& a, const core::LoopArg& b, bool atomic) {
  const bool both_read = !a.modifies() && !b.modifies();
  const bool both_combine = atomic && a.access == b.access && core::is_combined(a.access) &&
                            a.is_indirect() && b.is_indirect();
  return both_read || both_combine;
}

/// Runs neighbouring steps of one phase on a device, without a step of the host between them:
/// kernel by kernel at first; one graph from the second time on, in which kernels that share no
/// data may run side by side. If they are timed, always kernel by kernel.
class DevicePhase {
 public:
  /// @param steps  in their order; outlive it, as does the device
  /// @param times  where the time of the steps is added up; null: nowhere
  DevicePhase(gpu::Device& device, std::vector<StepLaunch*> steps, Phase phase, StepTimes* times)
      : device_(device), steps_(std::move(steps)), phase_(phase), times_(times) {}

  /// Queues the iterations of the phase on the main stream.
  /// @throws Error out_of_memory, device_failure
  void run() {
    for (StepLaunch* step : steps_) step->announce_accesses();
    const bool is_first = !std::exchange(has_run_, true);
    if (is_first || times_ != nullptr) return launch_each();
    if (graph_ == nullptr) graph_ = make_graph();
    graph_->launch(device_.space().main_stream());
  }

 private:
  /// The nodes of a step.
  struct InGraph {
    const StepLaunch* step;
    gpu::Graph::Node loop{};  ///< the last one that later steps need for their rows
    gpu::Graph::Node end{};   ///< the last one, which folds reductions
  };

  void launch_each() {
    if (times_ != nullptr) times_->start();
    for (const StepLaunch* step : steps_) {
      for (KernelLaunch& launch : step->kernels(phase_))
        launch_on(device_.space().main_stream(), std::move(launch));
      if (times_ != nullptr) times_->end_of(step->table_rows());
    }
    if (times_ != nullptr) times_->finish();
  }

  std::unique_ptr<gpu::Graph> make_graph() const {
    auto graph = std::make_unique<gpu::Graph>(device_);
    std::vector<InGraph> added;
    for (const StepLaunch* step : steps_)
      if (std::vector<KernelLaunch> launches = step->kernels(phase_); !launches.empty())
        added.push_back(add(*step, launches, added, *graph));
    graph->finish();
    return graph;
  }

  /// A step follows others because of the rows that it accesses, or of values that both reduce.
  static InGraph add(const StepLaunch& step, std::vector<KernelLaunch>& launches,
                     const std::vector<InGraph>& earlier, gpu::Graph& graph) {
    std::vector<gpu::Graph::Node> after, results;
    for (const InGraph& other : earlier) {
      if (must_follow(step.step(), other.step->step(),
                      step.adds_atomically() && other.step->adds_atomically()))
        after.push_back(other.loop);
      if (step.shares_result_with(*other.step)) results.push_back(other.end);
    }
    InGraph nodes{&step};
    for (KernelLaunch& launch : launches) {
      if (launch.folds || step.reads_results())
        std::ranges::copy(results, std::back_inserter(after));
      nodes.end = graph.add(launch.kernel, launch.shape(), launch.addresses(), after);
      if (!launch.folds) nodes.loop = nodes.end;
      after = {nodes.end};
    }
    return nodes;
  }

  gpu::Device& device_;
  std::vector<StepLaunch*> steps_;
  Phase phase_;
  StepTimes* times_;
  bool has_run_ = false;
  std::unique_ptr<gpu::Graph> graph_;
};

PlanSlots slots_of(const core::Mesh& mesh, const Step& step, const StepParts& parts,
                   bool reproducible) {
  if (!reproducible) return {std::vector<StepSlots>(1), {}};
  SlotTables none;
  return make_slots(mesh, std::array{ScheduledStep{&step, {&parts.interior}, {&parts.boundary}}},
                    none);
}

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

/// What the plans of an executor share; all references outlive it.
struct GpuShared {
  const core::Options& options;
  gpu::Device& device;
  const core::Mesh& mesh;
  core::ThreadPool& pool;  ///< for what the host runs
  const core::Listeners& listeners;
  core::DeviceCopies copies{device.space()};
  DeviceTables tables{copies, mesh};
  CurrentConstants constants{copies};
  std::unique_ptr<StepTimes> times{};  ///< null: steps are not timed

  core::Stream& main_stream() const { return device.space().main_stream(); }
};

/// Elements that one thread may execute for its row, one after the other, each in about a
/// microsecond.
constexpr std::int64_t most_to_a_row = 256;

class GpuPlan final : public PreparedPlan {
 public:
  /// @param buffers  choose_row_buffers of the plan
  /// @param shared   outlives it
  GpuPlan(const Plan& plan, Exchanges exchanges, RowBuffers buffers, GpuShared& shared)
      : PreparedPlan(plan, std::move(exchanges)),
        shared_(shared),
        values_(shared.copies, plan),
        buffers_(std::move(buffers)),
        launches_(plan.steps.all.size()),
        host_steps_(plan.steps.all.size()) {
    make_steps();
    for (std::size_t chain = 0; chain < plan.chains().size(); ++chain) {
      with_constants_.push_back(constants_of(chain));
      interior_.push_back(parts_of(chain, Phase::interior));
      boundary_.push_back(parts_of(chain, Phase::boundary));
    }
  }
  /// Buffers are freed when nothing uses them.
  ~GpuPlan() override { shared_.main_stream().settle(); }

  void pack_and_start(std::size_t chain, std::uint64_t fingerprint) override {
    exchanges_[chain]->pack(fingerprint);
  }

  void run(std::size_t chain, Phase phase, core::Queue& queue, const Finished& finished) override {
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
    for (const std::size_t s : plan_.steps.of(chain)) {
      if (host_steps_[s] != nullptr) host_steps_[s]->finish();
      finished(s);
    }
  }

  void finish_and_unpack(std::size_t chain) override {
    send(chain);
    exchanges_[chain]->finish();
  }

  std::byte* collect(std::size_t s, const GlobalArg& reduction) override {
    if (host_steps_[s] != nullptr) return host_steps_[s]->collect(reduction);
    return values_.collect(s, reduction);
  }

  std::vector<std::size_t> steps_with_high_degree_rows() const override {
    std::vector<std::size_t> found;
    for (std::size_t s = 0; s < launches_.size(); ++s)
      if (plan_.steps.all[s].gathers() && launches_[s]->most_to_a_row() > most_to_a_row)
        found.push_back(s);
    return found;
  }

 private:
  /// What runs in a phase of a chain, in this order: neighbouring steps of the device, or one of
  /// the host.
  struct Part {
    std::unique_ptr<DevicePhase> on_device;  ///< null: on the host
    std::size_t step = 0;                    ///< of the host
  };

  /// The host looks for rows in the first buffers, and for sums in memory.
  void make_steps() {
    const bool gathers = std::ranges::any_of(plan_.steps.all, &Step::gathers);
    const bool reproducible = shared_.options.reproducible;
    for (std::size_t s = 0; s < launches_.size(); ++s) {
      if (runs_on_device(plan_, s))
        launches_[s] = std::make_unique<StepLaunch>(
            plan_, s, values_, shared_.tables, shared_.copies, buffers_.second[s], reproducible);
      else if (plan_.steps.all[s].runs()) {
        core::ensure(!gathers, "the host runs a loop of a plan that moves rows");
        host_steps_[s] = std::make_unique<HostStep>(plan_.steps.all[s], plan_.code[s], shared_.mesh,
                                                    shared_.pool, reproducible);
      }
    }
  }

  CurrentConstants::Modules constants_of(std::size_t chain) const {
    CurrentConstants::Modules modules;
    for (const std::size_t s : plan_.steps.of(chain)) {
      if (launches_[s] == nullptr) continue;
      const jit::CudaLoop* code = &jit::cuda_loop_of(*plan_.code[s].compiled);
      const bool is_new = std::ranges::find(modules, code) == modules.end();
      if (is_new && !code->constants.empty()) modules.push_back(code);
    }
    return modules;
  }

  std::vector<Part> parts_of(std::size_t chain, Phase phase) const {
    std::vector<Part> parts;
    std::vector<StepLaunch*> neighbours;
    const auto end_neighbours = [&] {
      if (!neighbours.empty())
        parts.push_back({std::make_unique<DevicePhase>(shared_.device, neighbours, phase,
                                                       shared_.times.get())});
      neighbours.clear();
    };
    for (const std::size_t s : plan_.steps.of(chain)) {
      if (!plan_.steps.all[s].runs() || plan_.steps.all[s].rows(phase).empty()) continue;
      if (launches_[s] != nullptr) {
        neighbours.push_back(launches_[s].get());
        continue;
      }
      end_neighbours();
      parts.push_back({nullptr, s});
    }
    end_neighbours();
    return parts;
  }

  /// When the device has packed; it computes meanwhile if the interior has been queued.
  void send(std::size_t chain) {
    if (exchanges_[chain] != nullptr) exchanges_[chain]->send();
  }

  /// What a call changes: values of globals and of constants. The host looks first: on the device a
  /// global that is reduced there gets the value that it begins with, which may be set after loops
  /// of the host.
  void start(std::size_t chain, core::Queue& queue) {
    for (const std::size_t s : plan_.steps.of(chain))
      if (host_steps_[s] != nullptr) host_steps_[s]->start(queue);
    values_.upload(chain, queue);
    shared_.constants.update(with_constants_[chain]);
  }

  /// Lists are known here alone; what else loops read and write, to all executors.
  void count(std::size_t chain, Phase phase) const {
    for (const std::size_t s : plan_.steps.of(chain)) {
      count_iterations(plan_.rows[s], phase, Way::alone);
      if (launches_[s] != nullptr)
        plan_.rows[s].row->bytes += static_cast<double>(launches_[s]->list_bytes(phase));
    }
  }

  /// Of dats that the last step has left in their second buffer.
  void bring_rows_back() {
    for (const core::Dat* dat : buffers_.back)
      shared_.main_stream().copy(dat->rows.device_read(), shared_.tables.second_of(*dat),
                                 dat->rows.bytes());
  }

  void run_on_host(std::size_t s, Phase phase) {
    const core::StepEvent event(shared_.listeners, plan_.rows[s].row->name.c_str());
    const auto begin = core::Clock::now();
    host_steps_[s]->run(phase);
    plan_.rows[s].spend(core::seconds_since(begin));
  }

  std::string how_step_runs(std::size_t s) const override {
    if (launches_[s] == nullptr) return host_steps_[s] != nullptr ? ": on the host" : "";
    return launches_[s]->adds_atomically() ? ": on the device"
                                           : ": on the device, rows gather increments";
  }

  GpuShared& shared_;
  PlanValues values_;
  const RowBuffers buffers_;
  std::vector<std::unique_ptr<StepLaunch>> launches_;      ///< per step; null unless on the device
  std::vector<std::unique_ptr<HostStep>> host_steps_;      ///< per step; null unless on the host
  std::vector<CurrentConstants::Modules> with_constants_;  ///< per chain, of steps on the device
  std::vector<std::vector<Part>> interior_, boundary_;     ///< per chain
};

/// Whether MPI gets messages in the memory of the device.
bool messages_on_device(const core::Options& options, const comm::Communicator& communicator,
                        core::Log& log) {
  if (options.gpu_messages == core::GpuMessages::on_host) return false;
  const std::optional<bool> is_aware = communicator.is_gpu_aware();
  if (options.gpu_messages == core::GpuMessages::automatic) return is_aware.value_or(false);
  if (is_aware == false && communicator.is_root())
    log.warning(
        "OP2_GPU_MPI=on, but this MPI says that it does not access the memory of GPUs; it may end "
        "the program with a segmentation fault. Unset OP2_GPU_MPI, or use an MPI built for CUDA");
  return true;
}

class GpuExecutor final : public Executor {
 public:
  explicit GpuExecutor(const Resources& r)
      : shared_{r.options, *r.device, r.rows.mesh(), r.pool, r.measurements.listeners},
        rows_(r.rows),
        jit_(r.jit),
        messages_on_device_(messages_on_device(r.options, r.rows.communicator(), r.log)),
        halo_(r.device->space().make_stream()) {
    rows_.mesh().use(&shared_.copies);
  }
  ~GpuExecutor() override {
    try {
      rows_.mesh().use(nullptr);
    } catch (const std::exception&) {  // the session waits before it ends, and has thrown then
    }
  }

  std::unique_ptr<PreparedPlan> prepare(const Plan& plan, bool) override {
    const auto exchanges_any = [](const Chain& chain) { return !chain.exchanged.empty(); };
    if (!pack_kernel_ && std::ranges::any_of(plan.chains(), exchanges_any)) make_pack_kernel();
    time_steps();
    try {
      RowBuffers buffers = choose_row_buffers(plan.steps);
      auto exchanges =
          make_exchanges(plan, rows_, shared_.options.exchange, [&](std::size_t chain) {
            return make_device_packer({shared_.copies, *halo_, pack_kernel_, messages_on_device_,
                                       shared_.tables, buffers.sent[chain]});
          });
      return std::make_unique<GpuPlan>(plan, std::move(exchanges), std::move(buffers), shared_);
    } catch (const std::bad_alloc&) {
      core::fail(ErrorCode::out_of_memory,
                 "out of memory of the host: messages, globals and lists of increments of loops on "
                 "{}; use more machines or a smaller mesh",
                 shared_.copies.space().name());
    }
  }
  ExecutorTraits traits() const override { return {.has_own_memory = true}; }
  void wait() override { shared_.main_stream().wait(); }
  void forget_rows() override {
    shared_.main_stream().settle();  // a plan that could not be prepared may have used them
    shared_.tables.clear();
  }

 private:
  /// The kernel that packs, made when the first exchange needs it. Collective then.
  void make_pack_kernel() {
    const std::array request{pack_request()};
    const jit::LoopCode packing = compile_together(jit_, rows_.communicator(), request).front();
    if (packing.error) throw *packing.error;
    pack_kernel_ = jit::cuda_loop_of(*packing.code).loop;
  }

  /// If a table or a listener wants to know how long steps take.
  void time_steps() {
    const bool wanted = !shared_.options.timing.empty() ||
                        std::ranges::any_of(shared_.listeners, [](const auto& listener) {
                          return listener->times_devices();
                        });
    if (wanted && shared_.times == nullptr)
      shared_.times = std::make_unique<StepTimes>(shared_.device, shared_.listeners);
  }

  GpuShared shared_;
  comm::DistributedMesh& rows_;
  jit::Jit& jit_;
  const bool messages_on_device_;
  std::unique_ptr<core::Stream> halo_;
  gpu::Function pack_kernel_ = nullptr;  ///< null until it is needed
};

}  // namespace

bool must_follow(const Step& later, const Step& earlier, bool atomic) {
  for (const core::LoopArg& b : later.args)
    for (const core::LoopArg& a : earlier.args)
      if (a.is_active_dat() && b.is_active_dat() && a.dat == b.dat && !commute(a, b, atomic))
        return true;
  return false;
}

std::unique_ptr<Executor> make_gpu_executor(const Resources& resources) {
  return std::make_unique<GpuExecutor>(resources);
}

}  // namespace op2::sched
