// SPDX-License-Identifier: BSD-3-Clause
// What a GPU and its compiler do without the library's plans: the cost of compiling loops, the
// bandwidth of copies, the cost of launches, ways to add through maps. One line of JSON per figure.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

#include <gpu/driver_api.hpp>

#include "compile_figures.hpp"
#include "device_figures.hpp"
#include "scheme_figures.hpp"

namespace {

struct Settings {
  bool driver_version = false;
  std::string compile_for;
  std::size_t copy_megabytes = 1024;
  int launches = 200;
  int scheme_cells = 0;
  int rounds = 5;
  op2::gpu::LibraryPaths paths;
};

void describe(CLI::App& app, Settings& settings) {
  app.add_flag("--driver-version", settings.driver_version,
               "only print what the driver supports, e.g. CUDA 12.4; needs no device");
  app.add_option("--compile-for", settings.compile_for,
                 "an architecture, e.g. sm_90: only compile, for it; needs no device");
  app.add_option("--copy-mb", settings.copy_megabytes, "bytes of a copy, in 2^20")
      ->capture_default_str();
  app.add_option("--schemes", settings.scheme_cells,
                 "only measure ways to add through maps and to sum, on a grid of so many cells");
  app.add_option("--launches", settings.launches, "in one measurement")->capture_default_str();
  app.add_option("--rounds", settings.rounds, "measurements; the minimum counts")
      ->capture_default_str();
  app.add_option("--driver", settings.paths.driver)->envname("OP2_CUDA_DRIVER");
  app.add_option("--nvrtc", settings.paths.nvrtc)->envname("OP2_NVRTC");
}

/// Where nvidia-smi is missing, too.
void print_driver_version(const std::string& path) {
  int version = 0;
  const auto driver = op2::gpu::load_driver(path);
  if (const int result = driver->driver_version(&version); result != 0)
    throw std::runtime_error("cuDriverGetVersion returns " + std::to_string(result));
  std::printf("%s\n", op2::gpu::cuda_version(version).c_str());
}

void run(const Settings& settings) {
  if (settings.driver_version) return print_driver_version(settings.paths.driver);
  if (!settings.compile_for.empty())
    return bench::measure_compilation(settings.paths, settings.compile_for);
  const std::unique_ptr<op2::gpu::Device> device = op2::gpu::Device::open(settings.paths, 0);
  const auto nvrtc =
      op2::gpu::load_nvrtc(settings.paths, device->driver_version(), device->architecture());
  if (settings.scheme_cells > 0)
    return bench::measure_schemes(*device, *nvrtc, settings.scheme_cells, settings.rounds);
  bench::measure_copies(*device, settings.copy_megabytes << 20, settings.rounds);
  bench::measure_launches(*device, *nvrtc, settings.launches, settings.rounds);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures what a GPU and its compiler need");
  Settings settings;
  describe(app, settings);
  CLI11_PARSE(app, argc, argv);
  try {
    run(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "device_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
