// SPDX-License-Identifier: BSD-3-Clause
#include "stub_driver.hpp"

#include <cstdlib>
#include <cstring>

namespace {

using namespace op2::gpu;
using op2::test::StubDriver;

StubDriver& stub() {
  static StubDriver state;
  return state;
}

/// Writes a call down. @return what it is to return
int called(const std::string& function, const std::string& details = "") {
  StubDriver& state = stub();
  state.calls.push_back(details.empty() ? function : function + " " + details);
  if (static_cast<int>(state.calls.size()) == state.failing_call) return state.failing_result;
  const auto planned = state.results.find(function);
  return planned == state.results.end() ? DriverResult::success : planned->second;
}

template <class Handle>
int create(const char* function, Handle* handle, const std::string& details = "") {
  const int result = called(function, details);
  static char object;
  if (result == DriverResult::success) *handle = reinterpret_cast<Handle>(&object);
  return result;
}

void* bytes_at(DevicePointer address) {
  return reinterpret_cast<void*>(address);
}

int moved(const char* function, void* to, const void* from, std::size_t bytes) {
  const int result = called(function, std::to_string(bytes));
  if (result == DriverResult::success) std::memcpy(to, from, bytes);
  return result;
}

/// "blocks x threads, shared bytes, first parameter" of a launch whose parameter is an int.
std::string launch_text(unsigned blocks, unsigned threads, void** parameters) {
  std::string text = std::to_string(blocks) + "x" + std::to_string(threads);
  if (parameters != nullptr) text += " of " + std::to_string(*static_cast<int*>(parameters[0]));
  return text;
}

}  // namespace

extern "C" {

StubDriver* op2_stub_driver() {
  return &stub();
}

int cuInit(unsigned) {
  return called("cuInit");
}
int cuDriverGetVersion(int* version) {
  *version = stub().version;
  return called("cuDriverGetVersion");
}
int cuGetErrorName(int result, const char** name) {
  *name = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OF_STUB";
  return result == 12345 ? 1 : 0;
}
int cuDeviceGetCount(int* count) {
  *count = stub().devices;
  return called("cuDeviceGetCount");
}
int cuDeviceGet(DeviceNumber* device, int ordinal) {
  *device = 10 + ordinal;
  return called("cuDeviceGet", std::to_string(ordinal));
}
int cuDeviceGetName(char* name, int, DeviceNumber) {
  std::strcpy(name, "Stub 1");
  return called("cuDeviceGetName");
}
int cuDeviceGetUuid_v2(DeviceId* id, DeviceNumber device) {
  id->bytes[0] = static_cast<char>(device);
  return called("cuDeviceGetUuid_v2");
}
int cuDeviceGetAttribute(int* value, int attribute, DeviceNumber) {
  *value = attribute == DeviceAttribute::architecture_major ? 9 : 0;
  return called("cuDeviceGetAttribute");
}
int cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceNumber device) {
  return create("cuDevicePrimaryCtxRetain", context, std::to_string(device));
}
int cuDevicePrimaryCtxRelease_v2(DeviceNumber device) {
  return called("cuDevicePrimaryCtxRelease_v2", std::to_string(device));
}
int cuCtxGetCurrent(ContextHandle* context) {
  *context = stub().current;
  return DriverResult::success;
}
int cuCtxSetCurrent(ContextHandle context) {
  stub().current = context;
  return called("cuCtxSetCurrent");
}

int cuMemAlloc_v2(DevicePointer* memory, std::size_t bytes) {
  const int result = called("cuMemAlloc_v2", std::to_string(bytes));
  if (result == DriverResult::success)
    *memory = reinterpret_cast<DevicePointer>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return result;
}
int cuMemFree_v2(DevicePointer memory) {
  std::free(bytes_at(memory));
  return called("cuMemFree_v2");
}
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  const int result = called("cuMemHostAlloc", std::to_string(bytes) + " " + std::to_string(flags));
  if (result == DriverResult::success) *memory = std::malloc(bytes);
  return result;
}
int cuMemFreeHost(void* memory) {
  std::free(memory);
  return called("cuMemFreeHost");
}
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = 1000;
  *total = 4000;
  return called("cuMemGetInfo_v2");
}
int cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, StreamHandle) {
  return moved("cuMemcpyHtoDAsync_v2", bytes_at(to), from, bytes);
}
int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, StreamHandle) {
  return moved("cuMemcpyDtoHAsync_v2", to, bytes_at(from), bytes);
}
int cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle) {
  return moved("cuMemcpyDtoDAsync_v2", bytes_at(to), bytes_at(from), bytes);
}
int cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t bytes, StreamHandle) {
  const int result = called("cuMemsetD8Async", std::to_string(bytes));
  if (result == DriverResult::success) std::memset(bytes_at(to), value, bytes);
  return result;
}

int cuStreamCreate(StreamHandle* stream, unsigned flags) {
  return create("cuStreamCreate", stream, std::to_string(flags));
}
int cuStreamDestroy_v2(StreamHandle) {
  return called("cuStreamDestroy_v2");
}
int cuStreamSynchronize(StreamHandle) {
  return called("cuStreamSynchronize");
}
int cuStreamWaitEvent(StreamHandle, EventHandle, unsigned) {
  return called("cuStreamWaitEvent");
}
int cuEventCreate(EventHandle* event, unsigned flags) {
  return create("cuEventCreate", event, std::to_string(flags));
}
int cuEventDestroy_v2(EventHandle) {
  return called("cuEventDestroy_v2");
}
int cuEventRecord(EventHandle, StreamHandle) {
  return called("cuEventRecord");
}
int cuEventQuery(EventHandle) {
  return called("cuEventQuery");
}
int cuEventSynchronize(EventHandle) {
  return called("cuEventSynchronize");
}
int cuEventElapsedTime(float* milliseconds, EventHandle, EventHandle) {
  *milliseconds = 250;
  return called("cuEventElapsedTime");
}

int cuModuleLoadDataEx(ModuleHandle* module, const void*, unsigned, int*, void** values) {
  const int result = create("cuModuleLoadDataEx", module);
  if (result != DriverResult::success)
    std::strncpy(static_cast<char*>(values[0]), "ptxas: line 3: error",
                 reinterpret_cast<std::size_t>(values[1]));
  return result;
}
int cuModuleUnload(ModuleHandle) {
  return called("cuModuleUnload");
}
/// There is one kernel.
int cuModuleGetFunction(FunctionHandle* function, ModuleHandle, const char* name) {
  const int result = create("cuModuleGetFunction", function, name);
  const bool known = std::strcmp(name, "op2_loop") == 0;
  return result != DriverResult::success || known ? result : DriverResult::not_found;
}
/// There is one variable.
int cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, ModuleHandle,
                         const char* name) {
  *address = 4096;
  *bytes = 8;
  const int result = called("cuModuleGetGlobal_v2", name);
  const bool known = std::strcmp(name, "gam") == 0;
  return result != DriverResult::success || known ? result : DriverResult::not_found;
}
int cuLaunchKernel(FunctionHandle, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned,
                   unsigned, unsigned, StreamHandle, void** parameters, void**) {
  return called("cuLaunchKernel", launch_text(blocks, threads, parameters));
}

int cuGraphCreate(GraphHandle* graph, unsigned) {
  return create("cuGraphCreate", graph);
}
int cuGraphDestroy(GraphHandle) {
  return called("cuGraphDestroy");
}
int cuGraphAddKernelNode_v2(NodeHandle* node, GraphHandle, const NodeHandle*, std::size_t after,
                            const KernelNode* kernel) {
  return create("cuGraphAddKernelNode_v2", node,
                launch_text(kernel->blocks_x, kernel->threads_x, kernel->parameters) + " after " +
                    std::to_string(after));
}
int cuGraphInstantiateWithFlags(ExecutableHandle* executable, GraphHandle, unsigned long long) {
  return create("cuGraphInstantiateWithFlags", executable);
}
int cuGraphExecDestroy(ExecutableHandle) {
  return called("cuGraphExecDestroy");
}
int cuGraphLaunch(ExecutableHandle, StreamHandle) {
  return called("cuGraphLaunch");
}

}  // extern "C"
