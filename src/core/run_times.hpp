// SPDX-License-Identifier: BSD-3-Clause
// The times of a run over its ranks, below the per-loop table: parts of the wall clock time,
// regions of the program, and its memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <core/profile.hpp>

namespace op2::core {

/// Over the ranks. One that does not know a region counts with 0.
struct Spread {
  double least = 0, mean = 0, most = 0;
};

struct PartRow {
  std::string part;
  std::int64_t entries = 0;  ///< the most of a rank
  Spread seconds;
};

struct RegionRow {
  std::string region;
  std::int64_t calls = 0, loops = 0;  ///< the most of a rank
  Spread seconds, executing, loop_seconds;
};

/// Of a rank.
struct MemoryUse {
  std::string what;
  double bytes = 0;
};

struct MemoryRow {
  std::string memory;
  Spread bytes;
};

/// Of a table that is not made by a session: empty.
struct RunTimes {
  bool compared = false;  ///< there are several ranks
  Spread wall;
  std::vector<PartRow> parts;  ///< those that any rank has entered; means add up to that of `wall`
  std::vector<RegionRow> regions;  ///< with the regions inside; the outer one first
  std::vector<MemoryRow> memory;
};

/// What a rank sends to the one that makes the table.
std::string times_of_rank(Profile& profile, std::span<const MemoryUse> memory);
/// @param texts  of all ranks
RunTimes times_of_run(std::span<const std::string> texts);

std::string times_as_text(const RunTimes& times);
/// Adds fields to the table.
void put_times(const RunTimes& times, nlohmann::json& table);

}  // namespace op2::core
