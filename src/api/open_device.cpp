// SPDX-License-Identifier: BSD-3-Clause
#include <api/open_device.hpp>

#include <functional>
#include <utility>

#include <gpu/nvrtc.hpp>
#include <jit/target/cuda/cuda_target.hpp>

namespace op2::api {
namespace {

gpu::LibraryPaths library_paths(const core::Options& options) {
  return {options.cuda_driver, options.nvrtc};
}

}  // namespace

std::unique_ptr<gpu::Device> open_device(const core::Options& options,
                                         const comm::MpiSession* session) {
  if (options.target != core::Target::cuda) return nullptr;
  gpu::check_nvrtc_path(options.nvrtc);
  const comm::NodeRank place =
      session == nullptr ? comm::NodeRank{} : session->communicator->on_node();
  auto device = gpu::Device::open(library_paths(options), place.rank);
  if (session != nullptr) device->keep_context();
  return device;
}

const gpu::Driver* driver_of(const gpu::Device* device) {
  return device == nullptr ? nullptr : &device->driver();
}

jit::Jit make_jit(const core::Options& options, jit::JitOptions given, core::Log& log,
                  gpu::Device* device, jit::Jit* host_jit) {
  if (device == nullptr) return jit::Jit(std::move(given), log);
  given.compare_access = [host_jit](const jit::LoopRequest& request) {
    return host_jit->access_findings(request);
  };
  const std::function<std::shared_ptr<jit::Target>()> load =
      [device, paths = library_paths(options), given] {
        auto nvrtc = gpu::load_nvrtc(paths, device->driver_version(), device->architecture());
        return jit::make_cuda_target(device, std::move(nvrtc), given);
      };
  return jit::Jit(std::move(given), log, load);
}

}  // namespace op2::api
