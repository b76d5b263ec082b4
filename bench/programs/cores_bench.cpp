// SPDX-License-Identifier: BSD-3-Clause
// How far apart two cores are: how long a cache line takes from the first core of this process to
// the second one and back. About 100 ns and less where they share a cache. Virtual cores can be
// moved, and change it. One line of JSON.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <limits>
#include <thread>
#include <vector>

#include "stopwatch.hpp"

namespace {

constexpr int trips = 2000, rounds = 40;

/// Numbers of the cores that this process may use, ascending.
std::vector<int> own_cores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

void stay_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/// Waits for the values first, first + 2 ... and answers each with the next one.
void answer(std::atomic<int>& line, int first) {
  for (int value = first; value < 2 * trips; value += 2) {
    while (line.load(std::memory_order_acquire) != value) {
    }
    line.store(value + 1, std::memory_order_release);
  }
}

double nanoseconds_of_a_trip(int one, int other) {
  alignas(128) std::atomic<int> line{0};
  std::thread partner([&] {
    stay_on(other);
    answer(line, 1);
  });
  stay_on(one);
  const double time = bench::milliseconds([&] { answer(line, 0); });
  partner.join();
  return 1e6 * time / trips;
}

}  // namespace

int main() {
  const std::vector<int> cores = own_cores();
  if (cores.size() < 2) {
    std::fprintf(stderr, "cores_bench: this process may use %zu cores; it needs two\n",
                 cores.size());
    return 2;
  }
  double least = std::numeric_limits<double>::max();  // rounds may be interrupted
  for (int round = 0; round < rounds; ++round)
    least = std::min(least, nanoseconds_of_a_trip(cores[0], cores[1]));
  std::printf("{\"round_trip_ns\": %.0f}\n", least);
}
