// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include <comm/halo/row_copy.hpp>
#include <comm/messages/records.hpp>

namespace op2::model {
namespace {

constexpr int rounds = 200;  // of messages, after which the median is taken
constexpr int several = 8;   // messages at once
constexpr std::size_t small = 64, large = std::size_t{1} << 20;  // bytes

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// The rank with the largest value decides.
double most(comm::Communicator& ranks, double mine) {
  return std::ranges::max(comm::gather_records(ranks, mine));
}

/// Seconds from the start of `count` messages each way until those of the partner have arrived.
double exchange_seconds(comm::Communicator& ranks, int partner, int count, std::size_t bytes) {
  const bool paired = partner < ranks.size();
  const std::vector<comm::Peer> peers(paired ? static_cast<std::size_t>(count) : 0,
                                      {partner, bytes});
  const auto channel = ranks.open_channel(peers, peers);
  const int repeats = bytes > small ? rounds / 10 : rounds;
  std::vector<double> times;
  ranks.barrier();
  for (int k = 0; k < repeats; ++k) {
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

/// Seconds to gather one row of `bytes`, out of order as halo rows are.
double gather_seconds(comm::Communicator& ranks, std::size_t bytes) {
  constexpr std::size_t all = 20'000, taken = 2'000, stride = 7;
  std::vector<std::byte> from(all * bytes), to(taken * bytes);
  std::vector<std::int32_t> rows(taken);
  for (std::size_t k = 0; k < taken; ++k) rows[k] = static_cast<std::int32_t>(k * stride % all);
  return best_seconds(ranks, [&] { comm::gather_rows(to.data(), from.data(), rows, bytes); }) /
         static_cast<double>(taken);
}

}  // namespace

/// One message takes L + 2 o, each further one 2 o more (work at both ends, which is not hidden), a
/// large one its bytes in addition.
Link measure_messages(comm::Communicator& ranks) {
  const int partner = ranks.rank() ^ 1;
  const double one = exchange_seconds(ranks, partner, 1, small);
  const double some = exchange_seconds(ranks, partner, several, small);
  const double big = exchange_seconds(ranks, partner, 1, large);
  const double overhead = std::clamp((some - one) / (2 * (several - 1)), 0.0, one / 2);
  return {std::max(0.0, one - 2 * overhead), overhead,
          std::max(big - one, 1e-9) / static_cast<double>(large)};
}

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

std::vector<double> measure_memory(comm::Communicator& ranks) {
  constexpr std::size_t doubles = 6'000'000;  // three arrays of 48 MB, beyond the caches
  constexpr double moved = 3.0 * sizeof(double) * doubles;
  std::vector<double> a(doubles, 1.0), b(doubles, 2.0), c(doubles, 0.5), rates;
  for (int busy = 1; busy <= ranks.size(); ++busy) {
    ranks.barrier();
    double seconds = 0;
    if (ranks.rank() < busy)
      seconds = best_seconds(ranks, [&] {
        for (std::size_t k = 0; k < doubles; ++k) a[k] = b[k] + 3.0 * c[k];
        std::swap(a, b);
      });
    rates.push_back(moved / most(ranks, seconds));
  }
  return rates;
}

}  // namespace op2::model
