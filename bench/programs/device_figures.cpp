// SPDX-License-Identifier: BSD-3-Clause
#include "device_figures.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gpu/module.hpp>

#include "stopwatch.hpp"

namespace bench {
namespace {

using op2::gpu::Device;
using op2::gpu::Graph;

constexpr op2::gpu::LaunchShape one_warp{.blocks = 1, .threads = 32};

double best_milliseconds(int rounds, const std::function<void()>& action) {
  action();  // what happens only once
  double best = milliseconds(action);
  for (int round = 1; round < rounds; ++round) best = std::min(best, milliseconds(action));
  return best;
}

std::vector<std::byte> binary_of_empty_kernel(const Device& device, const op2::gpu::Nvrtc& nvrtc) {
  const op2::gpu::Architecture architecture = nvrtc.architecture_for(device.architecture());
  const op2::gpu::Compiled compiled =
      nvrtc.compile("extern \"C\" __global__ void op2_loop(long long) {}\n", "empty.cu", {},
                    {"--gpu-architecture=" + architecture.name()});
  if (!compiled.ok) throw std::runtime_error("an empty kernel is rejected: " + compiled.log);
  if (!architecture.is_virtual) return compiled.cubin;
  const auto* text = reinterpret_cast<const std::byte*>(compiled.ptx.c_str());
  return {text, text + compiled.ptx.size() + 1};
}

void print_launch(const char* how, double milliseconds_of_all, int kernels) {
  std::printf(
      "{\"figure\": \"launch\", \"by\": \"%s\", \"kernels\": %d, \"us_per_kernel\": %.3f}\n", how,
      kernels, 1e3 * milliseconds_of_all / kernels);
  std::fflush(stdout);
}

}  // namespace

void measure_copies(Device& device, std::size_t bytes, int rounds) {
  constexpr int copies = 5;
  op2::core::MemorySpace& space = device.space();
  op2::core::Stream& stream = space.main_stream();
  const op2::core::DeviceBuffer from = op2::core::allocate_on(space, bytes),
                                to = op2::core::allocate_on(space, bytes);
  stream.fill(from.get(), std::byte{1}, bytes);
  const double best = best_milliseconds(rounds, [&] {
    for (int copy = 0; copy < copies; ++copy) stream.copy(to.get(), from.get(), bytes);
    stream.wait();
  });
  std::printf("{\"figure\": \"copy\", \"device\": \"%s\", \"bytes\": %zu, \"gb_per_s\": %.1f}\n",
              device.name().c_str(), bytes, 2e-6 * copies * static_cast<double>(bytes) / best);
  std::fflush(stdout);
}

void measure_launches(Device& device, const op2::gpu::Nvrtc& nvrtc, int kernels, int rounds) {
  const op2::gpu::Module module(device, binary_of_empty_kernel(device, nvrtc));
  const op2::gpu::Function kernel = module.function("op2_loop");
  op2::core::Stream& stream = device.space().main_stream();
  long long value = 0;
  void* const parameters[] = {&value};
  const auto launch = [&] { op2::gpu::launch(stream, kernel, one_warp, parameters); };

  print_launch("stream",
               best_milliseconds(rounds,
                                 [&] {
                                   for (int k = 0; k < kernels; ++k) launch();
                                   stream.wait();
                                 }),
               kernels);
  print_launch("stream, each waited for",
               best_milliseconds(rounds,
                                 [&] {
                                   for (int k = 0; k < kernels; ++k) {
                                     launch();
                                     stream.wait();
                                   }
                                 }),
               kernels);
  Graph graph(device);
  std::vector<Graph::Node> before;
  for (int k = 0; k < kernels; ++k) before = {graph.add(kernel, one_warp, parameters, before)};
  graph.finish();
  print_launch("graph",
               best_milliseconds(rounds,
                                 [&] {
                                   graph.launch(stream);
                                   stream.wait();
                                 }),
               kernels);
}

}  // namespace bench
