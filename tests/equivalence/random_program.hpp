// SPDX-License-Identifier: BSD-3-Clause
// A random OP2 program: meshes, dats of all types, chains of loops. The same seed makes the same
// calls whatever runs them, so the outputs of two configurations can be compared; on several ranks
// each declares its block, and sees whole sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <op2/op2.hpp>

namespace op2::test {

/// Environment variables for one run, e.g. {"OP2_TARGET", "reference"}.
struct Setting {
  std::string name, value;
};

/// Everything the program could observe, in order: fetched dats, raw reductions, fetched globals.
struct Observed {
  std::vector<std::vector<std::byte>> values;
  std::vector<std::string> what;  ///< parallel to `values`: chain and name
  std::vector<Type> types;        ///< parallel to `values`
  /// Parallel to `values`: the number of an element that the last bits of others decide.
  std::vector<char> is_chosen;
  int chains = 0;
  /// Of this rank, after each mesh: exchanges, messages and bytes so far.
  std::vector<std::int64_t> sent;
  // Of programs with reports:
  int tilings = 0;  ///< groups of loops that were executed tile by tile, on all ranks together
  int fusions = 0;  ///< different loops that became part of others
  int gathers = 0;  ///< programs in which rows gathered what loops added that became part of others
};

/// Loops whose result depends on the order of their elements.
enum class OrderedLoops {
  none,
  payloads,    ///< payloads of the last element, in the declared order
  in_colours,  ///< those whose elements read what others modify, which run in colours on ranks
  all          ///< both; ranks have no common order for the former
};

/// Which program.
struct ProgramShape {
  std::uint64_t seed = 1;
  int meshes = 5;
  int chains = 25;  ///< of each mesh
  OrderedLoops ordered = OrderedLoops::all;
  bool partitioned = false;  ///< op_partition is called
};

/// Runs random meshes with random chains between op_init and op_exit.
/// @param start  in the place of op_init, on all ranks of a job or on one alone
Observed run_program(
    const ProgramShape& shape, const std::vector<Setting>& settings,
    const std::function<void()>& start = [] { op_init(0, nullptr, 1); });

}  // namespace op2::test
