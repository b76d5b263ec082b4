// SPDX-License-Identifier: BSD-3-Clause
// The driver's functions for memory and copies.
#include <cstddef>
#include <cstdint>
#include <string>

#include "calls.hpp"
#include "stream_order.hpp"

using namespace op2::test::gpu::cuda;

namespace {

using DevicePointer = unsigned long long;

std::byte* memory_at(DevicePointer pointer) {
  return reinterpret_cast<std::byte*>(pointer);
}

void require(bool valid) {
  if (!valid) throw DriverError{Code::invalid_value};
}

/// For so many bytes.
template <class Action>
int call_for(const char* function, std::size_t bytes, Action action) noexcept {
  return call_in_context(function, action,
                         [bytes](Context&) { return std::to_string(bytes) + " bytes"; });
}

}  // namespace

extern "C" {

int cuMemAlloc_v2(DevicePointer* memory, std::size_t bytes) {
  return call_in_context("cuMemAlloc_v2", [&](Context& context) {
    require(bytes > 0);
    *memory = reinterpret_cast<DevicePointer>(context.device.allocate(bytes));
  });
}

int cuMemFree_v2(DevicePointer memory) {
  return call_in_context("cuMemFree_v2", [&](Context& context) {
    if (memory == 0) return;
    if (!machine().failed().empty()) {  // what the host should have waited with may have failed
      context.device.wait_for_all();
      context.device.free(memory_at(memory));
    } else {
      context.device.wait_and_free(memory_at(memory));
    }
  });
}

int cuMemGetInfo_v2(std::size_t* available, std::size_t* total) {
  return call_in_context("cuMemGetInfo_v2", [&](Context& context) {
    *total = context.device.capacity();
    *available = *total - context.device.live_bytes();
  });
}

int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return call_in_context("cuMemHostAlloc", [&](Context& context) {
    require(bytes > 0);
    *memory = context.device.allocate_pinned(bytes);
  });
}

int cuMemFreeHost(void* memory) {
  return call_in_context("cuMemFreeHost", [&](Context& context) {
    context.device.free_pinned(static_cast<std::byte*>(memory));
  });
}

int cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned) {
  return call_in_context("cuMemHostRegister_v2", [&](Context& context) {
    require(memory != nullptr && bytes > 0);
    context.device.pin(memory, bytes);
  });
}

int cuMemHostUnregister(void* memory) {
  return call_in_context("cuMemHostUnregister",
                         [&](Context& context) { context.device.unpin(memory); });
}

// Copies that the host waits for are of the stream without a handle: nothing orders them behind the
// work of non-blocking streams.
int cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  return call_for("cuMemcpyHtoD_v2", bytes, [&](Context& context) {
    const auto stream = stream_number(context, nullptr);
    if (bytes > 0) context.device.upload_and_wait(stream, memory_at(to), from, bytes);
  });
}

int cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  return call_for("cuMemcpyDtoH_v2", bytes, [&](Context& context) {
    const auto stream = stream_number(context, nullptr);
    if (bytes > 0) context.device.download_and_wait(stream, to, memory_at(from), bytes);
  });
}

int cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return call_for("cuMemcpyDtoD_v2", bytes, [&](Context& context) {
    const auto stream = stream_number(context, nullptr);
    if (bytes > 0) context.device.copy(stream, memory_at(to), memory_at(from), bytes);
  });
}

int cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, Stream* handle) {
  return call_for("cuMemcpyHtoDAsync_v2", bytes, [&](Context& context) {
    const auto stream = stream_number(context, handle);
    if (bytes > 0) context.device.upload(stream, memory_at(to), from, bytes);
  });
}

int cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, Stream* handle) {
  return call_for("cuMemcpyDtoHAsync_v2", bytes, [&](Context& context) {
    const auto stream = stream_number(context, handle);
    if (bytes > 0) context.device.download(stream, to, memory_at(from), bytes);
  });
}

int cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, Stream* handle) {
  return call_for("cuMemcpyDtoDAsync_v2", bytes, [&](Context& context) {
    const auto stream = stream_number(context, handle);
    if (bytes > 0) context.device.copy(stream, memory_at(to), memory_at(from), bytes);
  });
}

int cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t bytes, Stream* handle) {
  return call_for("cuMemsetD8Async", bytes, [&](Context& context) {
    const auto stream = stream_number(context, handle);
    if (bytes > 0) context.device.fill(stream, memory_at(to), std::byte{value}, bytes);
  });
}
}
