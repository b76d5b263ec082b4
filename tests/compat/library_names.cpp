// SPDX-License-Identifier: BSD-3-Clause
// A kernel that uses the standard library beyond mathematics: its source is embedded and compiled,
// and gives the values of the function. They are exact.
#include "expect.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <numeric>
#include <utility>

namespace {

constexpr int width = 8;
using std::numbers::sqrt2;

inline void mix(const double* number, double* result) {
  double values[4] = {*number, 7, 3 - *number, 2};
  std::sort(values, values + 4, std::greater<double>());
  const std::pair<double, double> ends = std::minmax(*number, 20.0);
  std::array<double, 3> powers{*number, *number * *number, 1};
  std::reverse(powers.begin(), powers.end());
  const std::complex<double> z(*number, 2);
  auto [low, high] = std::make_pair(values[3], values[0]);
  result[0] = std::accumulate(values, values + 3, 0.0);
  result[1] = ends.first + std::get<1>(ends);
  result[2] = powers[0] + 2 * powers.back() + static_cast<double>(powers.size());
  result[3] = std::norm(z * z + std::conj(z)) - z.imag();
  result[4] = std::fpclassify(*number) == FP_ZERO ? 1 : std::ilogb(*number);
  result[5] = std::numbers::pi_v<double> + sqrt2;
  result[6] = high - low;
  result[7] = static_cast<double>(std::count(values, values + 4, 2.0) + std::gcd(12, 18));
}

}  // namespace

int main(int argc, char** argv) {
  op_init(argc, argv, 2);
  const int size = 50;
  const Ring ring(size);
  op_dat result = op_decl_dat_temp(ring.cells, width, "double", (double*)NULL, "result");
  op_par_loop(mix, "mix", ring.cells, op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_READ),
              op_arg_dat(result, -1, OP_ID, width, "double", OP_WRITE));
  double found[width * size] = {};
  op_fetch_data_idx(result, found, 0, size - 1);
  for (int cell = 0; cell < size; ++cell) {
    const double number = cell;
    double wanted[width];
    mix(&number, wanted);
    for (int k = 0; k < width; ++k) expect("result", found[width * cell + k], wanted[k]);
  }
  op_timing_output();
  op_exit();
  return faults == 0 ? 0 : 1;
}
