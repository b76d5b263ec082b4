// SPDX-License-Identifier: BSD-3-Clause
// What it costs to put a row of a dat into a message: copies of scattered rows of four doubles into
// a buffer, as halo exchanges make them, from arrays that fit into the cache. One line of JSON.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

#include "stopwatch.hpp"

namespace {

constexpr std::size_t row_bytes = 4 * sizeof(double);
constexpr std::int32_t all_rows = 3000, sent_rows = 200;
constexpr int copies = 5000;

/// Rows of a boundary: in order, but not all.
std::vector<std::int32_t> some_rows() {
  std::vector<std::int32_t> rows(all_rows);
  for (std::int32_t k = 0; k < all_rows; ++k) rows[k] = k;
  std::vector<std::int32_t> chosen;
  std::mt19937 random(1);
  std::sample(rows.begin(), rows.end(), std::back_inserter(chosen), sent_rows, random);
  return chosen;
}

double seconds_per_row() {
  const std::vector<std::int32_t> rows = some_rows();
  const std::vector<char> from(all_rows * row_bytes, 'x');
  std::vector<char> to(sent_rows * row_bytes);
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const double time = bench::milliseconds([&] {
      for (int copy = 0; copy < copies; ++copy) {
        for (std::int32_t k = 0; k < sent_rows; ++k)
          std::memcpy(&to[k * row_bytes], &from[rows[k] * row_bytes], row_bytes);
        asm volatile("" : : "r"(to.data()) : "memory");  // all copies are made
      }
    });
    best = std::min(best, time);
  }
  return 1e-3 * best / (static_cast<double>(copies) * sent_rows);
}

}  // namespace

int main() {
  const double seconds = seconds_per_row();
  std::printf("{\"packed_row\": %.4g, \"received_byte\": %.4g}\n", seconds, seconds / row_bytes);
}
