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

/// Processors are the system's numbers.
struct Core {
  int processor;                ///< the first one that the process may use
  int cache = 0;                ///< a number of the largest cache above; equal for all processes
  std::vector<int> siblings{};  ///< the others
};

/// Processors' worth of time that the processes of a control group may take together.
struct Quota {
  int processors;       ///< at least 1
  std::uint64_t group;  ///< equal for all processes of the machine that share it
};

struct Topology {
  std::vector<Core> cores;      ///< at least one
  Caches caches{};              ///< usual sizes if the system does not tell
  std::vector<Quota> quotas{};  ///< that hold for the process
  int machine_cores = 0;        ///< whoever may use them; 0: not known
  int limit = 0;                ///< of threads, by quotas, if that is less than the cores; 0: none

  int threads() const;                  ///< one for each core, or as many as the limit
  int most_threads() const;             ///< that run at once: one for each processor, or the limit
  std::vector<int> processors() const;  ///< the first one of each core, then all siblings
};

/// What the binding of the calling thread allows (taskset, mpirun, cgroups). Where OpenMP's runtime
/// has bound it to one of its places, all places count. Local; costs milliseconds.
Topology topology_of_process();

/// What one of several processes of a machine takes of what they may use: an even part of the cores
/// that it shares with others, beside those that it alone may use; at least one. Processes that may
/// use the same cores get equally many. A quota limits only the threads: it is divided by the
/// processes that share it, and if that is less than the part, all cores are left to the process,
/// since the system moves its threads. The size of the shared cache is divided by the processes
/// that have cores below it. Pure, so that all processes agree.
/// @param all   what each process may use, in an order on which all agree
/// @param mine  which of them
Topology share_of(const std::vector<Topology>& all, std::size_t mine);

/// Those of the control groups (version 2 or 1) of this process, and of all above.
/// @param root  before /proc and /sys; empty but in tests
std::vector<Quota> quotas_of_process(const std::string& root = {});

/// The affinity mask of the calling thread, in ascending order; empty if the system does not tell.
std::vector<int> processors_of_thread();

/// The cores of some processors, as the system's files tell. Without these each is a core.
/// @param root  as above
std::vector<Core> cores_with(const std::vector<int>& processors, const std::string& root = {});

/// Processors of all places of the program's OpenMP runtime, if that has bound the calling thread
/// to one of them, and nobody has bound it since; otherwise nothing.
std::vector<int> processors_of_openmp();

/// "0-3,8": numbers in ascending order, as ranges.
std::string ranges_as_text(std::vector<int> numbers);

}  // namespace op2::core
