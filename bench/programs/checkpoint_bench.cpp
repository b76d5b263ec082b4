// SPDX-License-Identifier: BSD-3-Clause
// Writes one checkpoint, on any number of ranks: for bench_checkpoint.py. Prints a line of JSON.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <op2/checkpoint.hpp>
#include <op2/op2.hpp>

#include "stopwatch.hpp"

OP_KERNEL(flow, (const double* left, const double* right, double* into_left, double* into_right), {
  const double heat = 0.25 * (*right - *left);
  *into_left += heat;
  *into_right -= heat;
});

namespace bench {
namespace {

/// Edge e of a ring is between the cells e and e + 1.
std::vector<int> ends_of(std::int64_t all, std::int64_t first, int count) {
  std::vector<int> ends;
  for (std::int64_t edge = first; edge < first + count; ++edge)
    ends.insert(ends.end(), {static_cast<int>(edge), static_cast<int>((edge + 1) % all)});
  return ends;
}

/// Four dats of four doubles, and two of one, per cell. After a loop, ranks have rows as loops need
/// them, with halos.
void declare_and_run(std::int64_t cells_of_all) {
  const std::int64_t first = cells_of_all * op_rank() / op_ranks(),
                     end = cells_of_all * (op_rank() + 1) / op_ranks();
  const int count = static_cast<int>(end - first);
  const op_set cells = op_decl_set(count, "cells"), edges = op_decl_set(count, "edges");
  const op_map sides = op_decl_map(edges, cells, 2, ends_of(cells_of_all, first, count), "sides");
  for (int k = 0; k < 4; ++k)
    op_decl_dat(cells, 4, std::vector<double>(4 * static_cast<std::size_t>(count), 0.5 + k),
                fmt::format("q{}", k).c_str());
  const op_dat warm = op_decl_dat(cells, 1, std::vector<double>(count, 1.5), "temperature");
  const op_dat flux = op_decl_dat(cells, 1, std::vector<double>(count, 0.0), "flux");
  op_par_loop(flow, "flow", edges, op_arg_dat(warm, 0, sides, OP_READ),
              op_arg_dat(warm, 1, sides, OP_READ), op_arg_dat(flux, 0, sides, OP_INC),
              op_arg_dat(flux, 1, sides, OP_INC));
  op_flush();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("Writes a checkpoint, and reads it");
  std::string file;
  double megabytes = 512;
  app.add_option("file", file)->required();
  app.add_option("--megabytes", megabytes, "of the checkpoint");
  CLI11_PARSE(app, argc, argv);
  try {
    op_init(0, nullptr);
    bench::declare_and_run(static_cast<std::int64_t>(1e6 * megabytes / (18 * sizeof(double))));
    const double written = 1e-3 * bench::milliseconds([&] { op_checkpoint(file.c_str()); });
    const double read = 1e-3 * bench::milliseconds([&] { op_restore(file.c_str()); });
    op_printf("{\"bytes\": %ju, \"write_s\": %.4f, \"read_s\": %.4f}\n",
              std::filesystem::file_size(file), written, read);
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
