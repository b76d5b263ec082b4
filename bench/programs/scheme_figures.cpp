// SPDX-License-Identifier: BSD-3-Clause
#include "scheme_figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gpu/module.hpp>
#include <jit/target/cuda/device_headers.hpp>

#include "stopwatch.hpp"

namespace bench {
namespace {

using op2::core::DeviceAddress;
using op2::core::DeviceBuffer;

/// Each edge has a row `flux`, which is added to row ends[edge] and subtracted from row
/// ends[edges + edge]. THREADS is replaced: those of a block.
const std::string source = R"(#include <op2_device>
typedef op2_device::Row<double, 4> op2_row;

extern "C" __global__ void __launch_bounds__(THREADS)
rows(int edges, int cells, const int* ends, const int*, const int*, const double* flux, double* sums) {
  __shared__ op2_device::Staging<double, 4> staging[THREADS / 32];
  const int edge = blockIdx.x * THREADS + threadIdx.x;
  const bool is_edge = edge < edges;
  op2_row row, minus;
  for (int k = 0; k < 4; ++k) row.values[k] = 0;
  if (is_edge) op2_device::load(row, flux + 4LL * edge);
  for (int k = 0; k < 4; ++k) minus.values[k] = -row.values[k];
  op2_device::add_rows(sums, is_edge ? ends[edge] : -1, row, staging[threadIdx.x / 32]);
  op2_device::add_rows(sums, is_edge ? ends[edges + edge] : -1, minus, staging[threadIdx.x / 32]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
components(int edges, int cells, const int* ends, const int*, const int*, const double* flux, double* sums) {
  const int edge = blockIdx.x * THREADS + threadIdx.x;
  if (edge >= edges) return;
  op2_row row;
  op2_device::load(row, flux + 4LL * edge);
  for (int k = 0; k < 4; ++k) op2_device::add(sums + 4LL * ends[edge] + k, row.values[k]);
  for (int k = 0; k < 4; ++k) op2_device::add(sums + 4LL * ends[edges + edge] + k, -row.values[k]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
pull(int edges, int cells, const int*, const int* begins, const int* entries, const double* flux, double* sums) {
  const int cell = blockIdx.x * THREADS + threadIdx.x;
  if (cell >= cells) return;
  op2_row sum, row;
  op2_device::load(sum, sums + 4LL * cell);
  for (int at = begins[cell]; at < begins[cell + 1]; ++at) {
    const int entry = entries[at];
    op2_device::load(row, flux + 4LL * (entry >> 1));
    for (int k = 0; k < 4; ++k) sum.values[k] += (entry & 1) != 0 ? -row.values[k] : row.values[k];
  }
  op2_device::store(sums + 4LL * cell, sum);
}

extern "C" __global__ void __launch_bounds__(THREADS)
chunks(int count, int chunk, const double* values, double* partials) {
  __shared__ double of_warps[8];
  const int begin = blockIdx.x * chunk, end = begin + chunk < count ? begin + chunk : count;
  double sum = 0;
  for (int k = begin + threadIdx.x; k < end; k += THREADS) sum += values[k];
  sum = op2_device::fold_block<op2_device::Sum>(sum, of_warps);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
)";

op2::gpu::Module module_for(const op2::gpu::Device& device, const op2::gpu::Nvrtc& nvrtc,
                            int threads) {
  std::string text = source;
  const std::string word = "THREADS", number = std::to_string(threads);
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;)
    text.replace(at, word.size(), number);
  std::vector<op2::gpu::SourceHeader> headers;
  for (const auto& header : op2::jit::device_headers())
    headers.push_back({header.name, header.text});
  const op2::gpu::Architecture architecture = nvrtc.architecture_for(device.architecture());
  const op2::gpu::Compiled compiled = nvrtc.compile(
      text, "schemes.cu", headers,
      {"--std=c++20", "-default-device", "--gpu-architecture=" + architecture.name()});
  if (!compiled.ok) throw std::runtime_error("kernels of schemes are rejected: " + compiled.log);
  if (!architecture.is_virtual) return op2::gpu::Module(device, compiled.cubin);
  const auto* ptx = reinterpret_cast<const std::byte*>(compiled.ptx.c_str());
  return op2::gpu::Module(device, {ptx, compiled.ptx.size() + 1});
}

/// A grid of cells, row by row, whose last cells have the first as neighbours.
struct Grid {
  int cells, edges;
  std::vector<int> ends, begins, entries;  // entries: 2 * edge, and 1 more for its second end
  std::vector<double> flux, expected;      // small integers, whose sums are exact

  explicit Grid(int count) : cells(count), edges(2 * count), begins(count + 1, 0) {
    const int width = std::max(1, static_cast<int>(std::sqrt(count)));
    for (int edge = 0; edge < edges; ++edge) ends.push_back(edge % cells);
    for (int edge = 0; edge < edges; ++edge)
      ends.push_back((edge % cells + (edge < cells ? 1 : width)) % cells);
    for (int k = 0; k < 4 * edges; ++k) flux.push_back(k % 13 - k % 7);
    for (const int end : ends) ++begins[end + 1];
    for (int cell = 0; cell < cells; ++cell) begins[cell + 1] += begins[cell];
    list_entries();
  }
  void list_entries() {
    std::vector<int> next(begins.begin(), begins.end() - 1);
    entries.resize(ends.size());
    expected.assign(4 * static_cast<std::size_t>(cells), 0);
    for (int edge = 0; edge < edges; ++edge)
      for (int side = 0; side < 2; ++side) {
        const int cell = ends[side * edges + edge];
        entries[next[cell]++] = 2 * edge + side;
        for (int k = 0; k < 4; ++k) expected[4 * cell + k] += (1 - 2 * side) * flux[4 * edge + k];
      }
  }
};

template <class T>
DeviceBuffer on_device(op2::gpu::Device& device, const std::vector<T>& values) {
  DeviceBuffer buffer = op2::core::allocate_on(device.space(), values.size() * sizeof(T));
  device.space().main_stream().upload_and_wait(
      buffer.get(), reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(T));
  return buffer;
}

std::vector<double> on_host(op2::gpu::Device& device, const DeviceBuffer& buffer,
                            std::size_t size) {
  std::vector<double> values(size);
  device.space().main_stream().download_and_wait(reinterpret_cast<std::byte*>(values.data()),
                                                 buffer.get(), size * sizeof(double));
  return values;
}

constexpr int launches_of_round = 5;

/// @return  milliseconds of a launch in the fastest round; the first only warms up
double time_of(op2::gpu::Device& device, const op2::gpu::Function& kernel,
               const op2::gpu::LaunchShape& shape, std::span<void* const> parameters, int rounds) {
  op2::core::Stream& stream = device.space().main_stream();
  double best = 1e300;
  for (int round = 0; round <= rounds; ++round) {
    const double time = milliseconds([&] {
      for (int k = 0; k < launches_of_round; ++k)
        op2::gpu::launch(stream, kernel, shape, parameters);
      stream.wait();
    });
    if (round > 0) best = std::min(best, time / launches_of_round);
  }
  return best;
}

unsigned blocks_for(int elements, int per_block) {
  return static_cast<unsigned>((elements + per_block - 1) / per_block);
}

/// Arrays of the grid, on the device.
struct Arrays {
  Arrays(op2::gpu::Device& device, const Grid& grid)
      : ends(on_device(device, grid.ends)),
        begins(on_device(device, grid.begins)),
        entries(on_device(device, grid.entries)),
        flux(on_device(device, grid.flux)) {}
  DeviceBuffer ends, begins, entries, flux;
};

void measure_increments(op2::gpu::Device& device, const op2::gpu::Function& kernel, const char* way,
                        int threads, const Grid& grid, const Arrays& arrays, int rounds) {
  const DeviceBuffer sums = on_device(device, std::vector<double>(grid.expected.size(), 0));
  int edges = grid.edges, cells = grid.cells;
  DeviceAddress at[] = {arrays.ends.get(), arrays.begins.get(), arrays.entries.get(),
                        arrays.flux.get(), sums.get()};
  void* const parameters[] = {&edges, &cells, &at[0], &at[1], &at[2], &at[3], &at[4]};
  const int elements = way == std::string("pull") ? cells : edges;
  const double best =
      time_of(device, kernel,
              {.blocks = blocks_for(elements, threads), .threads = static_cast<unsigned>(threads)},
              parameters, rounds);
  std::vector<double> expected = grid.expected;
  for (double& value : expected) value *= launches_of_round * (rounds + 1);
  if (on_host(device, sums, expected.size()) != expected)
    throw std::runtime_error(std::string("wrong sums by ") + way);
  const double bytes = 40.0 * edges + 64.0 * cells;  // fluxes and ends; rows, read and written
  std::printf(
      "{\"figure\": \"increments\", \"by\": \"%s\", \"threads\": %d, \"us\": %.2f, \"gb_per_s\": "
      "%.1f}\n",
      way, threads, 1e3 * best, 1e-6 * bytes / best);
  std::fflush(stdout);
}

/// The first of the two kernels of a sum, which reads everything.
void measure_sum(op2::gpu::Device& device, const op2::gpu::Function& kernel, int chunk,
                 const Grid& grid, const Arrays& arrays, int rounds) {
  int count = 4 * grid.edges;
  const unsigned blocks = blocks_for(count, chunk);
  const DeviceBuffer partials = on_device(device, std::vector<double>(blocks, 0));
  DeviceAddress at[] = {arrays.flux.get(), partials.get()};
  void* const parameters[] = {&count, &chunk, &at[0], &at[1]};
  const double best =
      time_of(device, kernel, {.blocks = blocks, .threads = 256}, parameters, rounds);
  double sum = 0, expected = 0;
  for (const double value : on_host(device, partials, blocks)) sum += value;
  for (const double value : grid.flux) expected += value;
  if (sum != expected) throw std::runtime_error("a wrong sum over chunks");
  std::printf(
      "{\"figure\": \"sum\", \"chunk\": %d, \"partials\": %u, \"us\": %.2f, \"gb_per_s\": %.1f}\n",
      chunk, blocks, 1e3 * best, 8e-6 * count / best);
  std::fflush(stdout);
}

}  // namespace

void measure_schemes(op2::gpu::Device& device, const op2::gpu::Nvrtc& nvrtc, int cells,
                     int rounds) {
  const Grid grid(cells);
  const Arrays arrays(device, grid);
  for (const int threads : {64, 128, 256, 512}) {
    const op2::gpu::Module module = module_for(device, nvrtc, threads);
    for (const char* way : {"rows", "components", "pull"})
      measure_increments(device, module.function(way), way, threads, grid, arrays, rounds);
    if (threads != 256) continue;
    for (const int chunk : {256, 512, 1024, 2048, 4096, 8192, 16384})
      measure_sum(device, module.function("chunks"), chunk, grid, arrays, rounds);
  }
}

}  // namespace bench
