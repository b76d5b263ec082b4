// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <new>
#include <optional>

#include <gpu/module.hpp>
#include <op2/error.hpp>

#include "stub_device.hpp"

namespace op2::gpu {
namespace {

constexpr std::array sent{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};

/// Launches a kernel alone and in a graph.
void launch_all(Device& device, core::Stream& stream) {
  const Module module(device, sent);
  const Function kernel = module.function("op2_loop");
  module.symbol("gam");
  int value = 1;
  const std::array<void*, 1> parameters{&value};
  launch(stream, kernel, {.blocks = 1, .threads = 32}, parameters);
  Graph graph(device);
  graph.add(kernel, {.blocks = 1, .threads = 32}, parameters, {});
  graph.finish();
  graph.launch(stream);
}

/// Uses everything that a device has. @return what comes back of the bytes that were sent
std::array<std::byte, 4> run_program() {
  const auto device = Device::open(stub_paths, 0);
  core::MemorySpace& space = device->space();
  const auto a = core::allocate_on(space, 4), b = core::allocate_on(space, 4);
  const auto pinned = core::allocate_pinned_for(space, 4);
  const auto stream = space.make_stream();
  const auto event = space.make_event();
  space.room();
  space.main_stream().upload_and_wait(a.get(), sent.data(), 4);
  space.main_stream().record(*event);
  stream->wait_for(*event);
  stream->fill(b.get(), std::byte{0}, 4);
  stream->copy(b.get(), a.get(), 4);
  stream->download(pinned.get(), b.get(), 4);
  stream->wait();
  stream->upload(a.get(), pinned.get(), 4);
  launch_all(*device, *stream);
  event->wait();
  event->reached();
  std::array<std::byte, 4> back{};
  stream->download_and_wait(back.data(), a.get(), 4);
  return back;
}

/// Runs the program with a call that fails. @return how many calls it made; none: it threw
std::optional<int> calls_without_error(int failing_call, int result) {
  auto& stub = fresh_stub();
  stub.failing_call = failing_call;
  stub.failing_result = result;
  try {
    EXPECT_EQ(run_program(), sent) << "call " << failing_call << " returned " << result;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(" returned " + std::to_string(result)));
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    EXPECT_EQ(result, DriverResult::out_of_memory);
    return std::nullopt;
  }
  return static_cast<int>(stub.calls.size());
}

class FailingCalls : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Results, FailingCalls, ::testing::Values(1, 2, 700, 999));

TEST_P(FailingCalls, AreErrorsOrLeaveTheResultRight) {
  int errors = 0;
  for (int k = 1;; ++k) {
    const auto calls = calls_without_error(k, GetParam());
    if (!calls) ++errors;
    if (calls.value_or(k) < k) break;
  }
  EXPECT_GT(errors, 40);
}

}  // namespace
}  // namespace op2::gpu
