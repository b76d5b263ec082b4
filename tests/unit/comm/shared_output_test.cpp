// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/shared_output.hpp>

#include <new>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>

#include <support/expect_error.hpp>
#include <support/fake_communicator.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

using namespace op2::comm;

/// Bytes of rows that say where they are.
Bytes bytes_from(std::int64_t first, std::int64_t count) {
  Bytes bytes;
  for (std::int64_t at = first; at < first + count; ++at) bytes.push_back(std::byte(at % 251));
  return bytes;
}

/// @param together  ranks write themselves; otherwise the root for all
void expect_pieces_and_file(int count, bool together, std::int64_t row_bytes) {
  const TemporaryDirectory directory;
  const std::string path = directory / "a";
  constexpr std::int64_t offset = 4096, rows = 1000;
  run_fake_ranks(count, [&](Communicator& ranks) {
    const Blocks blocks = equal_blocks(rows, count);
    const std::int64_t begin = blocks.begin[ranks.rank()] * row_bytes,
                       end = blocks.begin[ranks.rank() + 1] * row_bytes;
    const Bytes mine = bytes_from(begin, end - begin);
    SharedOutput output(ranks, path, together, 10'000);
    Bytes seen;
    std::size_t given = 0;
    output.write(
        {blocks, static_cast<std::size_t>(row_bytes), offset},
        [&](std::int64_t number) {
          const std::size_t bytes = static_cast<std::size_t>(number * row_bytes);
          return std::span(mine).subspan(std::exchange(given, given + bytes), bytes);
        },
        [&](std::int64_t position, std::span<const std::byte> piece) {
          EXPECT_EQ(position, begin + std::ssize(seen));
          EXPECT_LE(piece.size(), std::size_t{1} << 20);
          seen.insert(seen.end(), piece.begin(), piece.end());
        });
    EXPECT_EQ(seen, mine);
    output.publish([] { return IfThere::replace; });
  });
  const std::string content = content_of(path);
  const Bytes all = bytes_from(0, rows * row_bytes);
  EXPECT_EQ(content.substr(offset),
            std::string(reinterpret_cast<const char*>(all.data()), all.size()));
}

TEST(SharedOutput, GivesEachRankItsPiecesInOrder) {
  for (const int ranks : {1, 2, 3})
    for (const bool together : {true, false})
      for (const std::int64_t row_bytes : {3, 24, 3000})
        expect_pieces_and_file(ranks, together, row_bytes);
}

/// In the second portion, while the others wait to send theirs.
TEST(SharedOutput, WhoseRowsAreAnErrorOfOneRankIsAnErrorOfAll) {
  for (const bool together : {true, false}) {
    const TemporaryDirectory directory;
    run_fake_ranks(3, [&](Communicator& ranks) {
      const Blocks blocks = equal_blocks(1000, 3);
      SharedOutput output(ranks, directory / "a", together, 4000);
      Bytes rows(8000);
      int left = 1;
      const std::string error = error_text(ErrorCode::out_of_memory, [&] {
        output.write({blocks, 8, 0}, [&](std::int64_t count) {
          if (ranks.rank() == 1 && (together || left-- == 0)) throw std::bad_alloc();
          return std::span<const std::byte>(rows).first(static_cast<std::size_t>(8 * count));
        });
      });
      EXPECT_EQ(error.find("rank 1: ") != error.npos, ranks.rank() != 1) << error;
    });
    EXPECT_EQ(directory.file_count(), 0U);
  }
}

}  // namespace
}  // namespace op2::test
