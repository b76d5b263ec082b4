// SPDX-License-Identifier: BSD-3-Clause
// The processors that this process may use, and its part of them beside the others of its machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace op2::core {

/// Sizes of data caches in bytes.
struct Caches {
  std::int64_t own = std::int64_t{1} << 20;      ///< the largest private cache of a core
  std::int64_t shared = std::int64_t{32} << 20;  ///< the largest cache
};

/// Processors' worth of time that processes may take together, by their control group.
struct Quota {
  int processors = 0;       ///< at least 1; 0: there is no limit
  std::uint64_t group = 0;  ///< equal for processes that share it
};

struct Topology {
  std::vector<int>
      processors;   ///< the system's numbers: first one of each core, then their siblings
  int cores;        ///< how many of them are the first of their core; at least 1
  Caches caches{};  ///< usual sizes if the system does not tell
  std::vector<int> cache_of{};  ///< of each core: a number of its largest cache; empty: all one
  int machine_cores = 0;        ///< whoever may use them; 0: not known
  Quota quota{};
};

/// What the binding of the process allows (taskset, mpirun, cgroups). Where OpenMP's runtime has
/// bound the main thread to one of its places, all places count. Local; costs milliseconds.
Topology topology_of_process();

/// What one of several processes of a machine takes of what they may use: an even part of the cores
/// that it shares with others, beside those that it alone may use, within its quota; at least one
/// core. Processes that may use the same cores and share a quota get equally many. The size of the
/// shared cache is divided by the processes that have cores below it. Pure, so that all processes
/// agree.
/// @param all   what each process may use; not empty
/// @param mine  which of them
Topology share_of(const std::vector<Topology>& all, std::size_t mine);

/// Of the control group of this process (version 2 or 1) and those above it.
/// @param root  before /proc and /sys; empty but in tests
Quota quota_of_process(const std::string& root = {});

/// Processors of the places of the program's OpenMP runtime; empty: it has none, or no places.
std::vector<int> processors_of_openmp();

/// "0-3,8": numbers in ascending order, as ranges.
std::string ranges_as_text(std::vector<int> numbers);

}  // namespace op2::core
