// SPDX-License-Identifier: BSD-3-Clause
#include "compile_figures.hpp"

#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <jit/target/cuda/cuda_target.hpp>
#include <support/device_nests.hpp>

#include "stopwatch.hpp"

namespace bench {
namespace {

constexpr double limit_cpu_ms = 600;  ///< of all loops together

struct Cost {
  double cpu_ms = 0;  ///< of all threads of the process
  double wall_ms = 0;
};

Cost cost_of(const std::function<void()>& action) {
  const std::clock_t begin = std::clock();
  Cost cost;
  cost.wall_ms = milliseconds(action);
  cost.cpu_ms = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return cost;
}

op2::jit::CompileResult compile(op2::jit::Target& target, const op2::test::NamedNest& loop) {
  op2::jit::EmittedLoop emitted = target.emit(loop.nest);
  op2::jit::CompileResult result = target.compile({loop.nest, {}}, emitted);
  if (result.status != op2::jit::CompileStatus::ok)
    throw std::runtime_error("NVRTC rejects the loop '" + loop.name + "': " + result.message);
  return result;
}

}  // namespace

void measure_compilation(const op2::gpu::LibraryPaths& paths, const std::string& architecture) {
  std::shared_ptr<op2::jit::Target> target;
  const Cost load = cost_of([&] {
    op2::jit::JitOptions options;
    options.cpu = architecture;
    target = op2::jit::make_cuda_target(nullptr, op2::gpu::load_nvrtc(paths, 0), options);
  });
  std::printf("{\"figure\": \"load the compiler\", \"cpu_ms\": %.1f, \"wall_ms\": %.1f}\n",
              load.cpu_ms, load.wall_ms);
  Cost all;
  const std::vector<op2::test::NamedNest> loops = op2::test::airfoil_nests();
  for (const op2::test::NamedNest& loop : loops) {
    std::size_t bytes = 0;
    const Cost cost = cost_of([&] { bytes = compile(*target, loop).object.size(); });
    all.cpu_ms += cost.cpu_ms;
    all.wall_ms += cost.wall_ms;
    std::printf(
        "{\"figure\": \"compile\", \"loop\": \"%s\", \"cpu_ms\": %.1f, \"wall_ms\": %.1f, "
        "\"binary_bytes\": %zu}\n",
        loop.name.c_str(), cost.cpu_ms, cost.wall_ms, bytes);
  }
  std::printf(
      "{\"figure\": \"compile all\", \"compiler\": \"%s\", \"architecture\": \"%s\", \"loops\": "
      "%zu, \"cpu_ms\": %.1f, \"wall_ms\": %.1f, \"limit_cpu_ms\": %.0f, \"within_limit\": %s}\n",
      target->info().compiler.c_str(), target->info().cpu.c_str(), loops.size(), all.cpu_ms,
      all.wall_ms, limit_cpu_ms, all.cpu_ms <= limit_cpu_ms ? "true" : "false");
  std::fflush(stdout);
}

}  // namespace bench
