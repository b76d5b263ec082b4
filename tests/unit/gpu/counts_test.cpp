// SPDX-License-Identifier: BSD-3-Clause
// What a program asks of a device: the counts that README.md of tests/support/gpu lists.
#include <string>

#include <fmt/format.h>

#include "small_program.hpp"

namespace op2::test::gpu {
namespace {

std::string counts(const Counters& c) {
  return fmt::format(
      "uploads {} ({} bytes), downloads {} ({} bytes), kernels {}, waits {}, allocations {}",
      c.uploads, c.uploaded_bytes, c.downloads, c.downloaded_bytes, c.launches, c.waits,
      c.allocations);
}

TEST(Counts, OfASmallProgramOnTwoRanksAreThoseThatItsChainsNeed) {
  const auto of = [](core::ChainMode chain) {
    return counts(try_small_program("lazy", chain, [](Device&) {}).counters);
  };
  EXPECT_EQ(of(core::ChainMode::on),
            "uploads 19 (1444 bytes), downloads 15 (1080 bytes), kernels 24, waits 41, "
            "allocations 10");
  EXPECT_EQ(of(core::ChainMode::off),
            "uploads 23 (1260 bytes), downloads 18 (936 bytes), kernels 30, waits 45, "
            "allocations 13");
}

}  // namespace
}  // namespace op2::test::gpu
