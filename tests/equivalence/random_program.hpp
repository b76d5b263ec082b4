// SPDX-License-Identifier: BSD-3-Clause
// A random OP2 program: meshes, dats of all types, chains of loops. The same seed makes the same
// calls whatever runs them, so the outputs of two configurations can be compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace op2::test {

/// Environment variables for one run, e.g. {"OP2_TARGET", "reference"}.
struct Setting {
  std::string name, value;
};

/// Everything the program could observe, in order: fetched dats, raw reductions, fetched globals.
struct Observed {
  std::vector<std::vector<std::byte>> values;
  std::vector<std::string> what;  ///< parallel to `values`: chain and name
  int chains = 0;
};

/// Runs `meshes` random meshes with `chains` random chains each between op_init and op_exit.
Observed run_program(std::uint64_t seed, int meshes, int chains,
                     const std::vector<Setting>& settings);

}  // namespace op2::test
