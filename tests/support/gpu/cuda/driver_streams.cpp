// SPDX-License-Identifier: BSD-3-Clause
// The driver's functions for streams and events.
#include "calls.hpp"
#include "stream_order.hpp"

using namespace op2::test::gpu::cuda;

namespace {

void require_reached(Context& context, const op2::test::gpu::DeviceEvent& event) {
  if (!context.device.reached(event)) throw DriverError{Code::not_ready};
}

}  // namespace

extern "C" {

int cuStreamCreate(Stream** handle, unsigned flags) {
  return call_in_context("cuStreamCreate", [&](Context& context) {
    if (flags > 1) throw DriverError{Code::invalid_value};
    *handle = context.streams.add(context.device.create_stream(), flags == 0);
  });
}

int cuStreamDestroy_v2(Stream* handle) {
  return call_in_context("cuStreamDestroy_v2", [&](Context& context) {
    context.device.close(context.streams.at(handle).number);
    context.streams.remove(handle);
  });
}

int cuStreamSynchronize(Stream* handle) {
  return call_in_context("cuStreamSynchronize", [&](Context& context) {
    context.device.wait(stream_number(context, handle));
  });
}

int cuStreamQuery(Stream* handle) {
  return call_in_context("cuStreamQuery", [&](Context& context) {
    op2::test::gpu::DeviceEvent now;
    context.device.record(stream_number(context, handle), now);
    require_reached(context, now);
  });
}

int cuStreamWaitEvent(Stream* handle, Event* event, unsigned) {
  return call_in_context("cuStreamWaitEvent", [&](Context& context) {
    context.device.wait_for(stream_number(context, handle), context.events.at(event).position);
  });
}

int cuEventCreate(Event** event, unsigned) {
  return call_in_context("cuEventCreate", [&](Context& context) { *event = context.events.add(); });
}

int cuEventDestroy_v2(Event* event) {
  return call_in_context("cuEventDestroy_v2",
                         [&](Context& context) { context.events.remove(event); });
}

int cuEventRecord(Event* event, Stream* handle) {
  return call_in_context("cuEventRecord", [&](Context& context) {
    context.device.record(stream_number(context, handle), context.events.at(event).position);
  });
}

int cuEventSynchronize(Event* event) {
  return call_in_context("cuEventSynchronize", [&](Context& context) {
    context.device.wait(context.events.at(event).position);
  });
}

int cuEventQuery(Event* event) {
  return call_in_context("cuEventQuery", [&](Context& context) {
    require_reached(context, context.events.at(event).position);
  });
}

int cuEventElapsedTime(float* milliseconds, Event* from, Event* to) {
  return call_in_context("cuEventElapsedTime", [&](Context& context) {
    require_reached(context, context.events.at(from).position);
    require_reached(context, context.events.at(to).position);
    *milliseconds = 1;
  });
}
}
