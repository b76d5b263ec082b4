// SPDX-License-Identifier: BSD-3-Clause
#include <functional>
#include <string_view>
#include <utility>

#include <api/runtime.hpp>
#include <comm/messages/launcher.hpp>
#include <gpu/nvrtc.hpp>
#include <jit/cache_directory.hpp>
#include <jit/target/cuda/cuda_target.hpp>
#include <sched/loop_requests.hpp>

namespace op2::api {
namespace {

gpu::LibraryPaths library_paths(const core::Options& options) {
  return {options.cuda_driver, options.nvrtc};
}

}  // namespace

jit::JitOptions jit_options(const core::Options& options, const core::Mesh& mesh,
                            const core::Listeners& listeners) {
  const std::string_view sanitizers = OP2_SANITIZERS;
  jit::JitOptions j;
  j.plugin_dir = options.plugin_dir;
  j.cpu = options.jit_cpu;
  j.limit = {options.jit_seconds, options.jit_memory_bytes};
  j.cache.mode = options.cache;
  j.cache.directory = options.cache_dir;
  j.cache.shared = options.shared_caches;
  j.cache.shared_list = jit::list_of_shared_folders();
  j.cache.max_bytes = options.cache_max_bytes;
  j.sanitizers.address = sanitizers.find("address") != std::string_view::npos;
  j.sanitizers.undefined = sanitizers.find("undefined") != std::string_view::npos;
  j.sanitizers.thread = sanitizers.find("thread") != std::string_view::npos;
  j.simd = options.simd;
  j.vector_math = options.vector_math;
  j.check_access = options.check_access;
  j.gdb_symbols = options.gdb_symbols;
  j.perf_map = options.perf_map;
  j.increments = options.gpu_increments;
  j.contract = options.contracts();
  j.reproducible = options.reproducible;
  j.listeners = &listeners;
  j.constants = [&mesh] { return sched::constants_of(mesh); };
  return j;
}

std::unique_ptr<gpu::Device> open_device(const core::Options& options,
                                         const comm::MpiSession* session) {
  if (options.target != core::Target::cuda) return nullptr;
  gpu::check_nvrtc_path(options.nvrtc);
  const comm::NodeRank node = comm::this_launch().on_node.value_or(
      session == nullptr ? comm::NodeRank{} : session->communicator->on_node());
  auto device = gpu::Device::open(library_paths(options), node.rank);
  if (session != nullptr) device->keep_context();
  return device;
}

const gpu::Driver* driver_of(const gpu::Device* device) {
  return device == nullptr ? nullptr : &device->driver();
}

jit::Jit make_jit(const core::Options& options, jit::JitOptions given, core::Log& log,
                  gpu::Device* device, jit::Jit* host_jit) {
  if (device == nullptr) return jit::Jit(std::move(given), log);
  given.reader = host_jit;
  const std::function<std::shared_ptr<jit::Target>()> load =
      [device, paths = library_paths(options), given] {
        auto nvrtc = gpu::load_nvrtc(paths, device->driver_version(), device->architecture());
        return jit::make_cuda_target(device, std::move(nvrtc), given);
      };
  return jit::Jit(std::move(given), log, load);
}

}  // namespace op2::api
