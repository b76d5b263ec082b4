// SPDX-License-Identifier: BSD-3-Clause
// The functions of NVIDIA's driver (libcuda.so.1, CUDA 12.0 or newer) that the library uses, under
// own declarations, so that no header of CUDA is needed. A test compares them with cuda.h where
// that is installed.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <gpu/shared_library.hpp>

namespace op2::gpu {

using DeviceNumber = int;
using DevicePointer = unsigned long long;
using ContextHandle = struct CuContext*;
using StreamHandle = struct CuStream*;
using EventHandle = struct CuEvent*;
using ModuleHandle = struct CuModule*;
using FunctionHandle = struct CuFunction*;
using GraphHandle = struct CuGraph*;
using NodeHandle = struct CuGraphNode*;
using ExecutableHandle = struct CuGraphExecutable*;

/// What functions of the driver return. All others are failures, too.
struct DriverResult {
  static constexpr int success = 0, out_of_memory = 2, stub_library = 34, devices_unavailable = 46,
                       invalid_image = 200, no_binary = 209, uncorrectable_memory = 214,
                       invalid_ptx = 218, no_ptx_compiler = 221, unsupported_ptx = 222,
                       ptx_compiler_off = 223, not_found = 500, not_ready = 600,
                       illegal_address = 700, assert_failed = 710, illegal_instruction = 715,
                       misaligned_address = 716, illegal_address_space = 717, illegal_counter = 718,
                       launch_failed = 719, system_not_ready = 802, driver_mismatch = 803,
                       unknown = 999;
};

struct DeviceAttribute {
  static constexpr int architecture_major = 75, architecture_minor = 76;
};
struct LoadOption {
  static constexpr int error_log = 5, error_log_bytes = 6;
};
inline constexpr unsigned stream_non_blocking = 1;
inline constexpr unsigned event_with_timing = 0, event_without_timing = 2;

/// Of a device, in all processes and on all machines.
struct DeviceId {
  char bytes[16] = {};
  auto operator<=>(const DeviceId&) const = default;
};

/// A kernel of a graph: launch shape, and the addresses of the values of its parameters.
struct KernelNode {
  FunctionHandle function = nullptr;
  unsigned blocks_x = 1, blocks_y = 1, blocks_z = 1;
  unsigned threads_x = 1, threads_y = 1, threads_z = 1;
  unsigned shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;           // unused: `function` says which one
  ContextHandle context = nullptr;  // null: the current one
};

/// All return a DriverResult.
struct DriverApi {
  explicit DriverApi(SharedLibrary from) : library(std::move(from)) {}
  DriverApi(const DriverApi&) = delete;
  DriverApi& operator=(const DriverApi&) = delete;

  SharedLibrary library;  // before the functions, which are found in it

  template <class... Parameters>
  using Function = ApiFunction<int(Parameters...)>;

  Function<unsigned> init{library, "cuInit"};
  Function<int*> driver_version{library, "cuDriverGetVersion"};
  Function<int, const char**> error_name{library, "cuGetErrorName"};

  Function<int*> device_count{library, "cuDeviceGetCount"};
  Function<DeviceNumber*, int> device_get{library, "cuDeviceGet"};
  Function<char*, int, DeviceNumber> device_name{library, "cuDeviceGetName"};
  Function<DeviceId*, DeviceNumber> device_id{library, "cuDeviceGetUuid_v2"};
  Function<int*, int, DeviceNumber> device_attribute{library, "cuDeviceGetAttribute"};
  Function<ContextHandle*, DeviceNumber> context_retain{library, "cuDevicePrimaryCtxRetain"};
  Function<DeviceNumber> context_release{library, "cuDevicePrimaryCtxRelease_v2"};
  Function<ContextHandle*> context_get_current{library, "cuCtxGetCurrent"};
  Function<ContextHandle> context_set_current{library, "cuCtxSetCurrent"};

  Function<DevicePointer*, std::size_t> memory_allocate{library, "cuMemAlloc_v2"};
  Function<DevicePointer> memory_free{library, "cuMemFree_v2"};
  Function<void**, std::size_t, unsigned> pinned_allocate{library, "cuMemHostAlloc"};
  Function<void*> pinned_free{library, "cuMemFreeHost"};
  Function<std::size_t*, std::size_t*> memory_info{library, "cuMemGetInfo_v2"};
  Function<DevicePointer, const void*, std::size_t, StreamHandle> upload{library,
                                                                         "cuMemcpyHtoDAsync_v2"};
  Function<void*, DevicePointer, std::size_t, StreamHandle> download{library,
                                                                     "cuMemcpyDtoHAsync_v2"};
  Function<DevicePointer, DevicePointer, std::size_t, StreamHandle> copy{library,
                                                                         "cuMemcpyDtoDAsync_v2"};
  Function<DevicePointer, unsigned char, std::size_t, StreamHandle> fill{library,
                                                                         "cuMemsetD8Async"};

  Function<StreamHandle*, unsigned> stream_create{library, "cuStreamCreate"};
  Function<StreamHandle> stream_destroy{library, "cuStreamDestroy_v2"};
  Function<StreamHandle> stream_wait{library, "cuStreamSynchronize"};
  Function<StreamHandle, EventHandle, unsigned> stream_wait_for{library, "cuStreamWaitEvent"};
  Function<EventHandle*, unsigned> event_create{library, "cuEventCreate"};
  Function<EventHandle> event_destroy{library, "cuEventDestroy_v2"};
  Function<EventHandle, StreamHandle> event_record{library, "cuEventRecord"};
  Function<EventHandle> event_query{library, "cuEventQuery"};
  Function<EventHandle> event_wait{library, "cuEventSynchronize"};
  /// Milliseconds from the first event to the second.
  Function<float*, EventHandle, EventHandle> event_elapsed{library, "cuEventElapsedTime"};

  Function<ModuleHandle*, const void*, unsigned, int*, void**> module_load{library,
                                                                           "cuModuleLoadDataEx"};
  Function<ModuleHandle> module_unload{library, "cuModuleUnload"};
  Function<FunctionHandle*, ModuleHandle, const char*> module_function{library,
                                                                       "cuModuleGetFunction"};
  Function<DevicePointer*, std::size_t*, ModuleHandle, const char*> module_symbol{
      library, "cuModuleGetGlobal_v2"};
  Function<FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
           StreamHandle, void**, void**>
      launch{library, "cuLaunchKernel"};

  Function<GraphHandle*, unsigned> graph_create{library, "cuGraphCreate"};
  Function<GraphHandle> graph_destroy{library, "cuGraphDestroy"};
  Function<NodeHandle*, GraphHandle, const NodeHandle*, std::size_t, const KernelNode*>
      graph_add_kernel{library, "cuGraphAddKernelNode_v2"};
  Function<ExecutableHandle*, GraphHandle, unsigned long long> graph_instantiate{
      library, "cuGraphInstantiateWithFlags"};
  Function<ExecutableHandle> executable_destroy{library, "cuGraphExecDestroy"};
  Function<ExecutableHandle, StreamHandle> graph_launch{library, "cuGraphLaunch"};
};

/// Local. Loads the driver; initialises nothing.
/// @param path    libcuda.so.1, or its folder; empty: where the driver is usually installed
/// @throws Error  no_device: there is no driver, or it lacks functions
std::shared_ptr<const DriverApi> load_driver(const std::string& path);

/// "CUDA 12.2" for the driver's number 12020.
std::string cuda_version(int version);

}  // namespace op2::gpu
