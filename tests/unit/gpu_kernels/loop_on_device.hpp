// SPDX-License-Identifier: BSD-3-Clause
// One nest on a device, launched without the executor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <stdexcept>
#include <vector>

#include <gpu/device.hpp>
#include <gpu/nvrtc.hpp>
#include <jit/target/cuda/cuda_target.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <sched/executor/gpu/launch.hpp>
#include <sched/executor/gpu/tables.hpp>

namespace op2::test {

inline gpu::LibraryPaths libraries_of_environment() {
  const auto value = [](const char* name) { return std::getenv(name) ? std::getenv(name) : ""; };
  return {.driver = value("OP2_CUDA_DRIVER"), .nvrtc = value("OP2_NVRTC")};
}

/// Memory of the device with a copy of some values.
class OnDevice {
 public:
  template <class T>
  OnDevice(gpu::Device& device, const std::vector<T>& values)
      : stream_(device.space().main_stream()),
        memory_(core::allocate_on(device.space(), values.size() * sizeof(T) + 1)) {
    stream_.upload_and_wait(memory_.get(), reinterpret_cast<const std::byte*>(values.data()),
                            values.size() * sizeof(T));
  }
  template <class T>
  void download(std::vector<T>& values) const {
    stream_.download_and_wait(reinterpret_cast<std::byte*>(values.data()), memory_.get(),
                              values.size() * sizeof(T));
  }
  void* address() const { return memory_.get().value; }

 private:
  core::Stream& stream_;
  core::DeviceBuffer memory_;
};

/// A nest whose rows gather increments. Parameters are added in their order.
class PulledLoop {
 public:
  explicit PulledLoop(const jit::LoopNest& nest) : parameters_(3) {
    const auto nvrtc = gpu::load_nvrtc(libraries_of_environment(), device.driver_version());
    jit::CudaTarget target(&device, nvrtc, nvrtc->architecture_for(device.architecture()),
                           {.contract = false, .increments = core::Increments::pull});
    jit::EmittedLoop emitted = target.emit(nest);
    const jit::CompileResult compiled = target.compile({nest, {}}, emitted);
    linked_ = target.load(compiled.object, emitted.symbol, {}).code;
    if (linked_ == nullptr) throw std::runtime_error(emitted.units[0] + compiled.message);
  }
  const jit::CudaLoop& code() const { return *static_cast<jit::CudaLoop*>(linked_->entry()); }

  template <class T>
  OnDevice& add(const std::vector<T>& values) {
    memory_.emplace_back(device, values);
    parameters_.push_back(reinterpret_cast<std::uint64_t>(memory_.back().address()));
    return memory_.back();
  }
  void add_null() { parameters_.push_back(0); }

  /// @param counted  elements from this one on do not contribute to reductions
  void run(const sched::IncrementLists& lists, std::int64_t counted) {
    if (lists.rows.empty())
      add_null();
    else
      add(lists.rows);
    add(lists.start);
    add(lists.increments);
    parameters_[0] = static_cast<std::uint64_t>(lists.positions.begin);
    parameters_[1] = static_cast<std::uint64_t>(lists.positions.end);
    parameters_[2] = static_cast<std::uint64_t>(counted);
    blocks_ = sched::blocks_for(lists.positions.size(), jit::block_threads);
    launch(code().loop, blocks_, parameters_);
  }
  void fold(const OnDevice& result, const OnDevice& partials) {
    std::vector<sched::LaunchParameter> parameters{blocks_};
    for (const OnDevice* memory : {&result, &partials})
      parameters.push_back(reinterpret_cast<std::uint64_t>(memory->address()));
    launch(code().fold, 1, parameters);
  }

 private:
  void launch(const gpu::Function& kernel, unsigned blocks,
              const std::vector<sched::LaunchParameter>& parameters) {
    sched::launch_on(device.space().main_stream(), {kernel, blocks, parameters});
  }

  std::unique_ptr<gpu::Device> opened_ = gpu::Device::open(libraries_of_environment(), 0);

 public:
  gpu::Device& device = *opened_;

 private:
  std::unique_ptr<jit::LinkedCode> linked_;
  std::vector<sched::LaunchParameter> parameters_;
  std::deque<OnDevice> memory_;
  unsigned blocks_ = 0;
};

}  // namespace op2::test
