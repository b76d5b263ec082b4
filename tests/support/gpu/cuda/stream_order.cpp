// SPDX-License-Identifier: BSD-3-Clause
#include "stream_order.hpp"

namespace op2::test::gpu::cuda {
namespace {

void order(Device& device, Device::StreamNumber before, Device::StreamNumber after) {
  DeviceEvent event;
  device.record(before, event);
  device.wait_for(after, event);
}

}  // namespace

Device::StreamNumber stream_number(Context& context, Stream* handle) {
  if (handle != nullptr) {
    const Stream& stream = context.streams.at(handle);
    if (stream.blocking) order(context.device, context.null_stream, stream.number);
    return stream.number;
  }
  for (const auto& [other, stream] : context.streams)
    if (stream->blocking) order(context.device, stream->number, context.null_stream);
  return context.null_stream;
}

}  // namespace op2::test::gpu::cuda
