// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/executor.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <optional>

#include <core/error.hpp>
#include <jit/target/cuda/cuda_target.hpp>
#include <sched/executor/cuda/packer.hpp>
#include <sched/executor/cuda/plan.hpp>
#include <sched/shared_code.hpp>

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

CudaExecutor::CudaExecutor(const core::Options& options, core::ThreadPool& pool,
                           comm::DistributedMesh& rows, jit::Jit& jit, gpu::Device& device,
                           core::Log& log, const core::Listeners& listeners)
    : options_(options),
      pool_(pool),
      rows_(rows),
      jit_(jit),
      device_(device),
      messages_on_device_(messages_on_device(options, rows.communicator(), log)),
      copies_(device.space()),
      halo_(device.space().make_stream()),
      tables_(copies_, rows.mesh()),
      constants_(copies_),
      listeners_(listeners) {
  rows_.mesh().use(&copies_);
}

CudaExecutor::~CudaExecutor() {
  try {
    rows_.mesh().use(nullptr);
  } catch (const std::exception&) {  // the session waits before it ends, and has thrown then
  }
}

/// Null unless a table or a listener wants to know how long steps take.
StepTimes* CudaExecutor::times() {
  const bool wanted =
      !options_.timing.empty() || std::ranges::any_of(listeners_, [](const auto& listener) {
        return listener->times_devices();
      });
  if (wanted && times_ == nullptr) times_ = std::make_unique<StepTimes>(device_, listeners_);
  return times_.get();
}

/// The kernel that packs, made when the first exchange needs it. Collective then.
void CudaExecutor::make_pack_kernel() {
  const std::array request{pack_request()};
  const jit::LoopCode packing = compile_together(jit_, rows_.communicator(), request).front();
  if (packing.error) throw *packing.error;
  pack_kernel_ = jit::cuda_loop_of(*packing.code).loop;
}

std::unique_ptr<comm::HaloExchange> CudaExecutor::make_exchange(const Chain& chain,
                                                                const Dats& in_second) {
  if (chain.exchanged.empty()) return nullptr;
  return std::make_unique<comm::HaloExchange>(
      rows_.communicator(),
      comm::halo_messages(rows_.halo_plan(), chain.exchanged, options_.exchange),
      make_cuda_packer({copies_, *halo_, pack_kernel_, messages_on_device_, tables_, in_second}));
}

std::unique_ptr<PreparedPlan> CudaExecutor::prepare(const Plan& plan, bool) {
  const auto exchanges_any = [](const Chain& chain) { return !chain.exchanged.empty(); };
  if (!pack_kernel_ && std::ranges::any_of(plan.chains(), exchanges_any)) make_pack_kernel();
  try {
    RowBuffers buffers = choose_row_buffers(plan.steps);
    CudaPlan::Exchanges exchanges;
    for (std::size_t chain = 0; chain < plan.chains().size(); ++chain)
      exchanges.push_back(make_exchange(plan.chains()[chain], buffers.sent[chain]));
    return std::make_unique<CudaPlan>(
        plan, std::move(exchanges), std::move(buffers),
        CudaShared{device_, copies_, tables_, constants_, rows_.mesh(), pool_,
                   options_.reproducible, times(), listeners_});
  } catch (const std::bad_alloc&) {
    core::fail(ErrorCode::out_of_memory,
               "out of memory of the host: messages, globals and lists of increments of loops on "
               "{}; use more machines or a smaller mesh",
               copies_.space().name());
  }
}

}  // namespace op2::sched
