// SPDX-License-Identifier: BSD-3-Clause
// The driver's functions for devices, contexts and errors.
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "calls.hpp"

namespace op2::test::gpu::cuda {
namespace {

struct Name {
  int code;
  const char *name, *text;
};

constexpr std::array names{
    Name{0, "CUDA_SUCCESS", "no error"},
    Name{1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    Name{2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    Name{3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    Name{100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    Name{101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    Name{200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    Name{201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    Name{209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for the device"},
    Name{218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    Name{400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    Name{500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    Name{600, "CUDA_ERROR_NOT_READY", "device not ready"},
    Name{700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    Name{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    Name{719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    Name{999, "CUDA_ERROR_UNKNOWN", "unknown error"}};

/// @return  an error and null if the code is not known
int find_name(int code, const char** to, const char* Name::* which) {
  for (const Name& name : names) {
    if (name.code != code) continue;
    *to = name.*which;
    return Code::success;
  }
  *to = nullptr;
  return Code::invalid_value;
}

int attribute_of_device(int attribute, int capability) {
  switch (attribute) {
    case 1:  // threads of a block
    case 2:
    case 39:  // of a multiprocessor
      return 1024;
    case 8:  // shared memory of a block
      return 48 << 10;
    case 9:  // constant memory
      return 64 << 10;
    case 10:
      return warp_size;
    case 16:  // multiprocessors
      return 4;
    case 38:  // L2 cache
      return 1 << 20;
    case 41:  // unified addresses
      return 1;
    case 75:
      return capability / 10;
    case 76:
      return capability % 10;
    default:
      return 0;
  }
}

}  // namespace
}  // namespace op2::test::gpu::cuda

using namespace op2::test::gpu::cuda;

extern "C" {

int cuInit(unsigned flags) {
  return result_of([&] {
    machine().count("cuInit");
    if (flags != 0) return Code::invalid_value;
    machine().initialize();
    return Code::success;
  });
}

int cuDriverGetVersion(int* version) {
  return result_of([&] {
    machine().count("cuDriverGetVersion");
    *version = 13000;
    return Code::success;
  });
}

int cuGetErrorName(int code, const char** name) {
  return find_name(code, name, &Name::name);
}

int cuGetErrorString(int code, const char** text) {
  return find_name(code, text, &Name::text);
}

int cuDeviceGetCount(int* count) {
  return call("cuDeviceGetCount", [&](Machine& all) { *count = all.settings().devices; });
}

int cuDeviceGet(int* device, int number) {
  return call("cuDeviceGet", [&](Machine& all) { *device = all.context(number).number; });
}

int cuDeviceGetName(char* name, int bytes, int device) {
  return call("cuDeviceGetName", [&](Machine& all) {
    all.context(device);
    std::snprintf(name, static_cast<std::size_t>(bytes), "emulated device");
  });
}

int cuDeviceGetUuid_v2(char* id, int device) {
  return call("cuDeviceGetUuid_v2", [&](Machine& all) {
    const std::pair<long long, int> of_device{all.settings().machine, all.context(device).number};
    std::memset(id, 0, 16);
    std::memcpy(id, &of_device, sizeof of_device);
  });
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return call("cuDeviceGetAttribute", [&](Machine& all) {
    all.context(device);
    *value = attribute_of_device(attribute, all.settings().capability);
  });
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  return call("cuDeviceTotalMem_v2",
              [&](Machine& all) { *bytes = all.context(device).device.capacity(); });
}

int cuDevicePrimaryCtxRetain(Context** context, int device) {
  return call("cuDevicePrimaryCtxRetain", [&](Machine& all) {
    *context = &all.context(device);
    ++(*context)->retained;
  });
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  return call("cuDevicePrimaryCtxRelease_v2", [&](Machine& all) {
    Context& context = all.context(device);
    if (context.retained == 0) throw DriverError{Code::invalid_context};
    --context.retained;
  });
}

int cuCtxSetCurrent(Context* context) {
  return call("cuCtxSetCurrent", [&](Machine& all) {
    if (context != nullptr && !all.has(context)) throw DriverError{Code::invalid_context};
    all.set_current(context);
  });
}

int cuCtxGetCurrent(Context** context) {
  return call("cuCtxGetCurrent", [&](Machine& all) { *context = all.current(); });
}

int cuCtxSynchronize() {
  return call_in_context("cuCtxSynchronize",
                         [](Context& context) { context.device.wait_for_all(); });
}

/// For tests: what was found wrong, a line each; valid until the next call of the thread.
const char* op2_emu_findings() {
  thread_local std::string text;
  text = machine().findings();
  return text.c_str();
}

/// For tests: how often a function was called; null: all together.
long long op2_emu_calls(const char* function) {
  return machine().calls(function == nullptr ? "" : function);
}

/// For tests: bytes between the host and the current device since then, in both directions.
long long op2_emu_copied_bytes() {
  const Context* context = machine().current();
  return context == nullptr ? 0 : context->device.copied_bytes();
}

/// For tests: the function whose call was made to fail, or an empty text; valid until the next call
/// of the thread.
const char* op2_emu_failed() {
  thread_local std::string text;
  text = machine().failed();
  return text.c_str();
}

/// For tests: which functions were called since it was called last, in their order; valid until the
/// next call of the thread.
const char* op2_emu_history() {
  thread_local std::string text;
  text = machine().history();
  return text.c_str();
}

/// For tests: forgets all devices and reads the environment again.
void op2_emu_reset() {
  reset_machine();
}
}
