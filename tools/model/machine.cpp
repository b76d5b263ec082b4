// SPDX-License-Identifier: BSD-3-Clause
// `op2-model machine`: times of messages, packing and memory, on the ranks of mpirun.
#include "machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/core.h>
#include <fmt/format.h>

#include <comm/halo/row_copy.hpp>
#include <comm/messages/communicator.hpp>
#include <comm/messages/launcher.hpp>
#include <comm/messages/mpi_communicator.hpp>
#include <comm/messages/records.hpp>
#include <comm/messages/reduce_values.hpp>
#include <core/log.hpp>
#include <core/topology.hpp>

#include "commands.hpp"
#include "files.hpp"

namespace op2::model {
namespace {

constexpr int repetitions = 200;  // of messages, after which the median is taken
constexpr int several = 8;        // messages at once
constexpr std::size_t small = 64, medium = std::size_t{32} << 10,
                      large = std::size_t{1} << 20;  // bytes
constexpr double least_of_memory = 144e6;            // bytes of a rank, where each has a cache

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// The rank with the largest value decides.
double most(comm::Communicator& ranks, double mine) {
  return std::ranges::max(comm::gather_records(ranks, mine));
}

/// Over the ranks. Collective.
double mean(comm::Communicator& ranks, double mine) {
  const std::vector<double> all = comm::gather_records(ranks, mine);
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

/// Seconds from the start of `count` messages each way, which have just been written as packed rows
/// are, until those of the partner have arrived.
double exchange_seconds(comm::Communicator& ranks, int partner, int count, std::size_t bytes) {
  const bool paired = partner < ranks.size();
  const std::vector<comm::Peer> peers(paired ? static_cast<std::size_t>(count) : 0,
                                      {partner, bytes});
  const auto channel = ranks.open_channel(peers, peers);
  const int repeats = bytes > medium ? repetitions / 10 : repetitions;
  std::vector<double> times;
  ranks.barrier();
  for (int k = 0; k < repeats; ++k) {
    for (std::size_t m = 0; m < peers.size(); ++m)
      std::ranges::fill(channel->outgoing(m), static_cast<std::byte>(k));
    const double begin = ranks.seconds();
    channel->start();
    channel->wait();
    times.push_back(ranks.seconds() - begin);
  }
  return most(ranks, paired ? median(times) : 0);
}

/// The best of several runs.
double best_seconds(comm::Communicator& ranks, const std::function<void()>& action) {
  constexpr int runs = 9;
  double best = 1e300;
  for (int k = 0; k < runs; ++k) {
    const double begin = ranks.seconds();
    action();
    best = std::min(best, ranks.seconds() - begin);
  }
  return best;
}

/// All ranks begin together; of the slowest rank, the median of several runs.
double seconds_at_once(comm::Communicator& ranks, const std::function<void()>& action) {
  constexpr int runs = 9;
  std::vector<double> times;
  for (int k = 0; k < runs; ++k) {
    ranks.barrier();
    const double begin = ranks.seconds();
    action();
    times.push_back(most(ranks, ranks.seconds() - begin));
  }
  return median(times);
}

/// Seconds to gather one row of `bytes`, out of order as halo rows are.
double gather_seconds(comm::Communicator& ranks, std::size_t bytes) {
  constexpr std::size_t all = 20'000, taken = 2'000, stride = 7;
  std::vector<std::byte> from(all * bytes), to(taken * bytes);
  std::vector<std::int32_t> rows(taken);
  for (std::size_t k = 0; k < taken; ++k) rows[k] = static_cast<std::int32_t>(k * stride % all);
  return best_seconds(ranks, [&] { comm::gather_rows(to.data(), from.data(), rows, bytes); }) /
         static_cast<double>(taken);
}

/// Four times the largest cache: what does not fit into it, nor into those of a few sockets.
double bytes_beyond_caches(comm::Communicator& ranks) {
  constexpr double times = 4;
  return times * most(ranks, static_cast<double>(core::topology_of_process().caches.shared));
}

/// Three arrays of about so many bytes in all, which a[k] = b[k] + 3 c[k] goes through.
class Arrays {
 public:
  explicit Arrays(double bytes) : Arrays(static_cast<std::size_t>(bytes / row_bytes)) {}

  double bytes() const { return row_bytes * static_cast<double>(a_.size()); }
  /// The same code wherever it is measured: clones of it differed by a third.
  [[gnu::noinline]] void add() {
    for (std::size_t k = 0; k < a_.size(); ++k) a_[k] = b_[k] + 3.0 * c_[k];
    std::swap(a_, b_);
  }

 private:
  static constexpr double row_bytes = 3 * sizeof(double);
  explicit Arrays(std::size_t size) : a_(size, 1.0), b_(size, 2.0), c_(size, 0.5) {}
  std::vector<double> a_, b_, c_;
};

/// A sum over the ranks, of a number that nobody needs. Collective.
void add_over(comm::Communicator& ranks) {
  double sum = 1;
  const comm::FoldedValues values{Type::f64, comm::Fold::sum, 1, &sum};
  comm::reduce_values(ranks, std::span(&values, 1));
}

/// Latency, overhead and bandwidth between ranks in pairs, all pairs at once, for sizes of 64 bytes
/// to 1 MB: of the slowest. A rank without a partner only waits. One message takes L + 2 o, each
/// further one 2 o more: work at both ends, which is not hidden. Needs two ranks. Collective.
Link measure_messages(comm::Communicator& ranks) {
  const int partner = ranks.rank() ^ 1;
  Link link;
  double first = 0, last = 0;  // seconds of a small and of a large message
  const auto measure = [&](std::size_t bytes) {
    const double one = exchange_seconds(ranks, partner, 1, bytes);
    const double some = exchange_seconds(ranks, partner, several, bytes);
    const double overhead = std::clamp((some - one) / (2 * (several - 1)), 0.0, one / 2);
    link.sizes.push_back({static_cast<double>(bytes), one - 2 * overhead, overhead});
    (bytes == small ? first : last) = one;
  };
  for (std::size_t bytes = small; bytes < large; bytes *= 2) {
    measure(bytes);
    measure(bytes / 2 * 3);
  }
  measure(large);
  link.latency = link.sizes.front().latency;
  link.overhead = link.sizes.front().overhead;
  link.seconds_per_byte = std::max(last - first, 1e-9) / static_cast<double>(large);
  return link;
}

/// Seconds of a round of a reduction over all ranks, which have rounds(ranks) of them. Collective.
double measure_reduction(comm::Communicator& ranks) {
  std::vector<double> times;
  ranks.barrier();
  for (int k = 0; k < repetitions; ++k) {
    const double begin = ranks.seconds();
    add_over(ranks);
    times.push_back(ranks.seconds() - begin);
  }
  return most(ranks, median(times)) / sched::rounds(ranks.size());
}

/// By which share of the work ranks wait longer that add a number over all after 10 us to 3 ms of
/// work in a small array, again and again: than the work, in the mean of the ranks, and the sum
/// take by themselves. A mean over five seconds, because a core can be slow for one; on an
/// overloaded machine after ten of them no further turn begins. Collective.
double measure_disturbance(comm::Communicator& ranks) {
  constexpr double small_array = 24 << 10, run = 10e-3, enough = 10;  // bytes, seconds, seconds
  constexpr int turns = 40;
  Arrays arrays(small_array);
  const auto seconds_of = [&](int passes, int steps, bool waits) {
    ranks.barrier();
    const double begin = ranks.seconds();
    for (int k = 0; k < steps; ++k) {
      for (int pass = 0; pass < passes; ++pass) arrays.add();
      if (waits) add_over(ranks);
    }
    return mean(ranks, ranks.seconds() - begin);
  };
  constexpr int many = 1000;
  const double pass = seconds_of(1, many, false) / many;
  double alone = 0, sums = 0, both = 0;  // seconds, interruptions included: no medians
  for (int turn = 0; turn < turns && alone + sums + both < enough; ++turn)
    for (const double wanted : {10e-6, 30e-6, 100e-6, 300e-6, 1e-3, 3e-3}) {
      const int passes = std::max(1, static_cast<int>(wanted / pass));
      const int steps = std::max(3, static_cast<int>(run / wanted));
      alone += seconds_of(passes, steps, false);
      sums += seconds_of(0, steps, true);
      both += seconds_of(passes, steps, true);
    }
  return std::max(0.0, (both - sums) / alone - 1);
}

struct Packing {
  double row, byte, received_byte;  ///< seconds
};

/// As halo exchanges pack and unpack, of the slowest rank. Collective.
Packing measure_packing(comm::Communicator& ranks) {
  constexpr std::size_t narrow = 8, wide = 32;
  const double a = gather_seconds(ranks, narrow), b = gather_seconds(ranks, wide);
  const double byte = std::max(0.0, (b - a) / static_cast<double>(wide - narrow));
  const double row = std::max(0.0, a - byte * static_cast<double>(narrow));
  constexpr std::size_t block = 64 * 1024;
  std::vector<std::byte> from(block), to(block);
  const double copy = best_seconds(ranks, [&] { std::memcpy(to.data(), from.data(), block); });
  return {most(ranks, row), most(ranks, byte), most(ranks, copy / static_cast<double>(block))};
}

/// Bytes per second of each of k + 1 ranks that add arrays at once, which have together four times
/// the bytes of the largest cache, and at least 144 MB each. Measured with 1, 2, 4 ... ranks and
/// with all, linear between. Collective.
std::vector<double> measure_memory(comm::Communicator& ranks) {
  const double beyond = bytes_beyond_caches(ranks);
  const auto rate_of = [&](int busy) {
    Arrays arrays(ranks.rank() < busy ? std::max(least_of_memory, beyond / busy) : 0);
    return most(ranks, arrays.bytes()) / seconds_at_once(ranks, [&] { arrays.add(); });
  };
  std::vector<double> rates{rate_of(1)};
  while (std::ssize(rates) < ranks.size()) {
    const int from = static_cast<int>(rates.size()), to = std::min(2 * from, ranks.size());
    const double first = rates.back(), last = rate_of(to);
    for (int busy = from + 1; busy <= to; ++busy)
      rates.push_back(std::lerp(first, last, static_cast<double>(busy - from) / (to - from)));
  }
  return rates;
}

/// Bytes per second of each of all ranks that add arrays at once, by the bytes of the arrays of a
/// rank: from 128 KB to 128 MB, or more if the largest cache is larger. Collective.
std::vector<CacheRate> measure_caches(comm::Communicator& ranks) {
  constexpr double least = 128 << 10, step = std::numbers::sqrt2;
  const double most_bytes = std::max<double>(128 << 20, bytes_beyond_caches(ranks) / ranks.size());
  constexpr double at_once = 4 << 20;  // bytes between two readings of the clock, or all
  std::vector<CacheRate> rates;
  for (double bytes = least; bytes < most_bytes * 1.01; bytes *= step) {
    Arrays arrays(bytes);
    const int passes = static_cast<int>(std::ceil(at_once / bytes));
    const double seconds = seconds_at_once(ranks, [&] {
      for (int k = 0; k < passes; ++k) arrays.add();
    });
    rates.push_back({arrays.bytes(), passes * arrays.bytes() / seconds});
  }
  return rates;
}

void print(const char* where, const Link& link) {
  fmt::print("{:<8} latency {:.3f} us, overhead {:.3f} us, {:.2f} GB/s\n", where,
             1e6 * link.latency, 1e6 * link.overhead, 1e-9 / link.seconds_per_byte);
}

Machine measured(comm::Communicator& ranks, const MachineOptions& options) {
  Machine machine;
  sched::Network& network = machine.network;
  machine.origin = fmt::format("measured on-node with {} ranks", ranks.size());
  network.on_node = measure_messages(ranks);
  const Packing packing = measure_packing(ranks);
  network.pack_row = packing.row;
  network.pack_byte = packing.byte;
  network.unpack_byte = packing.received_byte;
  machine.memory = measure_memory(ranks);
  network.reduction = measure_reduction(ranks);
  machine.caches = measure_caches(ranks);
  network.disturbance = measure_disturbance(ranks);
  if (options.ranks_per_node == 0) return machine;
  network.ranks_per_node = options.ranks_per_node;
  network.across = {1e-6 * options.latency_us, 1e-6 * options.overhead_us,
                    1e-9 / options.bandwidth_gbs};
  machine.origin += "; across nodes as given";
  return machine;
}

}  // namespace

std::string warning_of(const Machine& measured) {
  constexpr double most = 0.25;
  if (measured.network.disturbance <= most) return "";
  return fmt::format(
      "op2-model: the measurement was disturbed: waits are longer by {:.0f} % of the work before "
      "them, more than {:.0f} %; stop what else runs on the cores, give each rank one, and measure "
      "again\n",
      100 * measured.network.disturbance, 100 * most);
}

constexpr const char* one_rank =
    "messages need two ranks: 1 was started; use mpirun -n 2 or more, one for each core";

int machine(const MachineOptions& options) {
  const comm::Launch launch = comm::this_launch();
  const std::array given{options.ranks_per_node > 0, options.latency_us >= 0,
                         options.overhead_us >= 0, options.bandwidth_gbs >= 0};
  if (const auto count = std::ranges::count(given, true);
      count != 0 && count != std::ssize(given)) {
    if (launch.rank != 0) return 2;  // one message is enough
    throw Failure(
        "figures across nodes are incomplete: give --ranks-per-node, --latency-us, --overhead-us "
        "and --bandwidth-gbs together, or none of them");
  }
  if (!launch.may_have_others) throw Failure(one_rank);
  const auto session = comm::start_mpi({});
  comm::Communicator& ranks = *session->communicator;
  if (ranks.size() < 2) throw Failure(one_rank);
  if (ranks.on_node().count != ranks.size()) {
    if (!ranks.is_root()) return 2;  // one message is enough
    throw Failure(
        "the ranks are on several nodes: start all on one, and give what messages between nodes "
        "take by --latency-us, --overhead-us and --bandwidth-gbs");
  }
  core::Log log = core::tool_log("op2-model", ranks.is_root());
  const core::Progress progress(log, "measuring messages and memory");
  const Machine made = measured(ranks, options);
  if (!ranks.is_root()) return 0;
  write_file(options.out, as_json(made));
  print("on node", made.network.on_node);
  if (made.network.ranks_per_node > 0) print("across", made.network.across);
  fmt::print("packing {:.3f} ns per row and {:.4f} ns per byte, unpacking {:.4f} ns per byte\n",
             1e9 * made.network.pack_row, 1e9 * made.network.pack_byte,
             1e9 * made.network.unpack_byte);
  fmt::print("memory  {:.2f} GB/s for one rank, {:.2f} for each of {}\n",
             1e-9 * made.memory.front(), 1e-9 * made.memory.back(), made.memory.size());
  fmt::print("waits   longer by {:.1f} % of the work before them, because ranks are disturbed\n",
             100 * made.network.disturbance);
  fmt::print(stderr, "{}", warning_of(made));
  return 0;
}

}  // namespace op2::model
