// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/gpu/executor.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <optional>

#include <core/error.hpp>
#include <jit/target/cuda/cuda_target.hpp>
#include <sched/code.hpp>
#include <sched/executor/exchanges.hpp>
#include <sched/executor/gpu/packer.hpp>
#include <sched/executor/gpu/plan.hpp>

namespace op2::sched {
namespace {

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

}  // namespace

GpuExecutor::GpuExecutor(const core::Options& options, core::ThreadPool& pool,
                         comm::DistributedMesh& rows, jit::Jit& jit, gpu::Device& device,
                         core::Log& log, const core::Listeners& listeners)
    : shared_{options, device, rows.mesh(), pool, listeners},
      rows_(rows),
      jit_(jit),
      messages_on_device_(messages_on_device(options, rows.communicator(), log)),
      halo_(device.space().make_stream()) {
  rows_.mesh().use(&shared_.copies);
}

GpuExecutor::~GpuExecutor() {
  try {
    rows_.mesh().use(nullptr);
  } catch (const std::exception&) {  // the session waits before it ends, and has thrown then
  }
}

/// If a table or a listener wants to know how long steps take.
void GpuExecutor::time_steps() {
  const bool wanted = !shared_.options.timing.empty() ||
                      std::ranges::any_of(shared_.listeners, [](const auto& listener) {
                        return listener->times_devices();
                      });
  if (wanted && shared_.times == nullptr)
    shared_.times = std::make_unique<StepTimes>(shared_.device, shared_.listeners);
}

/// The kernel that packs, made when the first exchange needs it. Collective then.
void GpuExecutor::make_pack_kernel() {
  const std::array request{pack_request()};
  const jit::LoopCode packing = compile_together(jit_, rows_.communicator(), request).front();
  if (packing.error) throw *packing.error;
  pack_kernel_ = jit::cuda_loop_of(*packing.code).loop;
}

std::unique_ptr<PreparedPlan> GpuExecutor::prepare(const Plan& plan, bool) {
  const auto exchanges_any = [](const Chain& chain) { return !chain.exchanged.empty(); };
  if (!pack_kernel_ && std::ranges::any_of(plan.chains(), exchanges_any)) make_pack_kernel();
  time_steps();
  try {
    RowBuffers buffers = choose_row_buffers(plan.steps);
    auto exchanges = make_exchanges(plan, rows_, shared_.options.exchange, [&](std::size_t chain) {
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

}  // namespace op2::sched
