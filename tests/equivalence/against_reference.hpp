// SPDX-License-Identifier: BSD-3-Clause
// What the tests with random programs share: how the reference runs, and comparing with it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <equivalence/random_program.hpp>

namespace op2::test {

inline std::uint64_t from_environment(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

/// A program that has no more meshes than the chains need that are wanted.
/// @param wanted    number of chains; at least one is made, and whole meshes are
/// @param per_mesh  number of chains, if more are wanted
inline ProgramShape shape_for(std::uint64_t seed, int wanted,
                              int per_mesh = ProgramShape{}.chains) {
  const int chains = std::clamp(wanted, 1, per_mesh);
  const int meshes = std::min(ProgramShape{}.meshes, (wanted + chains - 1) / chains);
  return {.seed = seed, .meshes = meshes, .chains = chains};
}

/// The first program of a test on ranks: with op_partition, and fewer chains of each mesh.
inline ProgramShape first_on_ranks(int wanted, OrderedLoops ordered) {
  ProgramShape shape = shape_for(from_environment("TEST_SEED", 1), wanted, 15);
  shape.ordered = ordered;
  shape.partitioned = true;
  return shape;
}

/// Loop by loop, through host functions, on one thread.
inline const std::vector<Setting> settings_of_reference = {{"OP2_TARGET", "reference"},
                                                           {"OP2_DEBUG", "queue_max=1,keep_dead"}};

/// Where the programs are tested: TEST_TARGET, or the CPU.
inline Setting tested_target() {
  const char* target = std::getenv("TEST_TARGET");
  return {"OP2_TARGET", target == nullptr ? "cpu" : target};
}

/// Then not all programs report what was fused.
inline bool is_on_device() {
  return tested_target().value == "cuda";
}

/// Whether a kernel that cannot be compiled is an error: TEST_JIT, or require. Without LLVM the
/// host calls what the device cannot run as functions, which is OP2_JIT=on.
inline std::string jit_of_tests() {
  const char* jit = std::getenv("TEST_JIT");
  return jit == nullptr ? "require" : jit;
}

/// Bit by bit.
inline void expect_equal(const Observed& expected, const Observed& got, const std::string& place) {
  ASSERT_EQ(expected.values.size(), got.values.size()) << place;
  for (std::size_t k = 0; k < expected.values.size(); ++k)
    ASSERT_EQ(expected.values[k], got.values[k]) << place << ", " << got.what[k];
}

}  // namespace op2::test
