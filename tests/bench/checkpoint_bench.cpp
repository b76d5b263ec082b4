// SPDX-License-Identifier: BSD-3-Clause
// How fast a checkpoint is written and read, beside `dd conv=fdatasync` of the same bytes into the
// same folder, alternated. One line of JSON per round, and one with the medians.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <op2/checkpoint.hpp>
#include <op2/op2.hpp>

#include "stopwatch.hpp"

namespace bench {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// @param bytes  of all dats: four of four doubles, and one of one double, per element
void measure(const std::string& folder, std::int64_t bytes, int rounds) {
  const int size = static_cast<int>(bytes / (17 * sizeof(double)));
  const op_set cells = op_decl_set(size, "cells");
  for (int k = 0; k < 4; ++k)
    op_decl_dat(cells, 4, std::vector<double>(4 * static_cast<std::size_t>(size), 0.5 + k),
                fmt::format("q{}", k).c_str());
  op_decl_dat(cells, 1, std::vector<double>(static_cast<std::size_t>(size), 1.5), "p");
  const std::string file = folder + "/bench.ckpt", copy = folder + "/bench.dd";
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    const double ours = 1e-3 * milliseconds([&] { op_checkpoint(file.c_str()); });
    const std::uintmax_t size_of_file = std::filesystem::file_size(file);
    const std::string command =
        fmt::format("dd if='{}' of='{}' bs=1M conv=fdatasync 2>/dev/null", file, copy);
    const double theirs = 1e-3 * milliseconds([&] {
                            if (std::system(command.c_str()) != 0)
                              throw std::runtime_error("dd failed: " + command);
                          });
    const double read = 1e-3 * milliseconds([&] { op_restore(file.c_str()); });
    ratios.push_back(theirs / ours);
    fmt::print(
        "{{\"round\": {}, \"bytes\": {}, \"write_s\": {:.3f}, \"dd_s\": {:.3f}, "
        "\"speed_over_dd\": {:.3f}, \"read_s\": {:.3f}}}\n",
        round, size_of_file, ours, theirs, ratios.back(), read);
    std::filesystem::remove(copy);
  }
  std::filesystem::remove(file);
  fmt::print("{{\"median_speed_over_dd\": {:.3f}}}\n", median(ratios));
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("Checkpoints beside dd");
  std::string folder = ".";
  double megabytes = 512;
  int rounds = 5;
  app.add_option("--folder", folder, "on the disk to be measured");
  app.add_option("--megabytes", megabytes, "of the checkpoint");
  app.add_option("--rounds", rounds);
  CLI11_PARSE(app, argc, argv);
  try {
    op_init(0, nullptr);
    bench::measure(folder, static_cast<std::int64_t>(1e6 * megabytes), rounds);
    op_exit();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
