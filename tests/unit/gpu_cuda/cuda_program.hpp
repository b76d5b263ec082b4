// SPDX-License-Identifier: BSD-3-Clause
// A small CUDA program on an emulated device: one stream, kernels from source.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <gpu/driver_api.hpp>
#include <gpu/nvrtc.hpp>

namespace op2::test::gpu::cuda {

using op2::gpu::DevicePointer;
using op2::gpu::EventHandle;
using op2::gpu::FunctionHandle;
using op2::gpu::ModuleHandle;
using op2::gpu::StreamHandle;
using ::testing::HasSubstr;

inline const std::string kernel_head = "extern \"C\" __global__ void kernel";

class CudaProgram : public ::testing::Test {
 protected:
  explicit CudaProgram(const char* order = "lazy") { start({{"OP2_EMU_ORDER", order}}); }

  /// Begins again on a machine that the environment describes.
  void start(const std::vector<std::pair<const char*, std::string>>& environment) {
    for (const char* name :
         {"OP2_EMU_ORDER", "OP2_EMU_FAIL", "OP2_EMU_DEVICES", "OP2_EMU_MEMORY", "OP2_EMU_ABSENT"})
      ::unsetenv(name);
    for (const auto& [name, value] : environment) ::setenv(name, value.c_str(), 1);
    of_emulator<void (*)()>("op2_emu_reset")();
    if (api->init(0) != 0) return;
    op2::gpu::ContextHandle context = nullptr;
    api->context_retain(&context, 0);
    api->context_set_current(context);
    api->stream_create(&stream, op2::gpu::stream_non_blocking);
  }

  op2::gpu::Compiled compile(const std::string& source,
                             const std::vector<std::string>& options = {"-arch=sm_90"}) const {
    return op2::gpu::load_nvrtc({"", EMULATED_CUDA}, 0)->compile(source, "test.cu", {}, options);
  }
  ModuleHandle load(const std::string& source) const {
    const auto compiled = compile(source);
    EXPECT_EQ(compiled.log, "");
    ModuleHandle module = nullptr;
    EXPECT_EQ(api->module_load(&module, compiled.cubin.data(), 0, nullptr, nullptr), 0);
    return module;
  }
  FunctionHandle function(ModuleHandle module, const char* name = "kernel") const {
    FunctionHandle handle = nullptr;
    EXPECT_EQ(api->module_function(&handle, module, name), 0);
    return handle;
  }
  /// A kernel with these parameters and this body.
  FunctionHandle kernel(const std::string& parameters, const std::string& body) const {
    return function(load(kernel_head + "(" + parameters + ") {" + body + "}"));
  }

  DevicePointer allocate(std::size_t bytes) const {
    DevicePointer memory = 0;
    EXPECT_EQ(api->memory_allocate(&memory, bytes), 0);
    return memory;
  }
  template <class T>
  T* pinned(std::size_t count) const {
    void* memory = nullptr;
    EXPECT_EQ(api->pinned_allocate(&memory, count * sizeof(T), 0), 0);
    return static_cast<T*>(memory);
  }
  template <class T>
  DevicePointer upload(const std::vector<T>& values) const {
    const DevicePointer memory = allocate(values.size() * sizeof(T));
    copy_in(memory, values.data(), values.size() * sizeof(T));
    return memory;
  }
  void copy_in(DevicePointer memory, const void* values, std::size_t bytes) const {
    auto* staged = pinned<std::byte>(bytes);
    std::memcpy(staged, values, bytes);
    EXPECT_EQ(api->upload(memory, staged, bytes, stream), 0);
    EXPECT_EQ(api->stream_wait(stream), 0);
  }
  template <class T>
  std::vector<T> download(DevicePointer memory, std::size_t count) const {
    T* staged = pinned<T>(count);
    api->download(staged, memory, count * sizeof(T), stream);
    EXPECT_EQ(api->stream_wait(stream), 0);
    return {staged, staged + count};
  }

  template <class... Arguments>
  int launch(FunctionHandle kernel, unsigned blocks, unsigned threads,
             Arguments... arguments) const {
    std::vector<void*> parameters{&arguments...};
    return api->launch(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, parameters.data(), nullptr);
  }
  /// Launches, waits. @return  what was found wrong; empty: nothing
  template <class... Arguments>
  std::string run(FunctionHandle kernel, unsigned blocks, unsigned threads,
                  Arguments... arguments) const {
    EXPECT_EQ(launch(kernel, blocks, threads, arguments...), 0);
    const int result = api->stream_wait(stream);
    EXPECT_EQ(result != 0, !findings().empty());
    return findings();
  }
  std::string findings() const { return of_emulator<const char* (*)()>("op2_emu_findings")(); }

  template <class Function>
  static Function of_emulator(const char* name) {
    void* emulator = ::dlopen(EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<Function>(::dlsym(emulator, name));
  }

  std::shared_ptr<const op2::gpu::DriverApi> api = op2::gpu::load_driver(EMULATED_CUDA);
  StreamHandle stream = nullptr;
};

}  // namespace op2::test::gpu::cuda
