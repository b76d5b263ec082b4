// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/hdf5_image.hpp>

#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace {

using op2::comm::ByteOverlay;
using Bytes = std::vector<std::byte>;

Bytes bytes(std::size_t count, int value) {
  return Bytes(count, static_cast<std::byte>(value));
}

TEST(ByteOverlay, LaterChangesReplaceEarlierOnes) {
  ByteOverlay overlay;
  overlay.write(2, bytes(6, 1));
  overlay.write(4, bytes(2, 2));
  Bytes all = bytes(10, 0);
  overlay.apply(0, all);
  const Bytes expected{std::byte(0), std::byte(0), std::byte(1), std::byte(1), std::byte(2),
                       std::byte(2), std::byte(1), std::byte(1), std::byte(0), std::byte(0)};
  EXPECT_EQ(all, expected);
}

TEST(ByteOverlay, AgreesWithAnArrayForRandomChanges) {
  std::mt19937 random(7);
  ByteOverlay overlay;
  std::vector<int> model(100, 0);
  for (int round = 1; round <= 2000; ++round) {
    const auto from = random() % 90, count = random() % 11;
    const bool forget = random() % 3 == 0;
    const int value = forget ? 0 : 1 + round % 250;
    for (auto k = from; k < from + count; ++k) model[k] = value;
    if (forget)
      overlay.forget(static_cast<std::int64_t>(from), static_cast<std::int64_t>(count));
    else
      overlay.write(static_cast<std::int64_t>(from), bytes(count, value));
    const auto begin = random() % 90;
    Bytes seen = bytes(10, 0);
    overlay.apply(static_cast<std::int64_t>(begin), seen);
    for (std::size_t k = 0; k < 10; ++k) ASSERT_EQ(std::to_integer<int>(seen[k]), model[begin + k]);
  }
}

}  // namespace
