// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/placement.hpp>

#include <cstring>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <comm/messages/records.hpp>

namespace op2::test {
namespace {

using namespace op2::comm;
using Rows = std::vector<std::int32_t>;

constexpr std::int32_t count = 100;

/// The values of all pieces, of random sizes, one after the other.
Rows values_of(DeclaredPieces pieces, unsigned seed) {
  std::mt19937 random(seed);
  Rows values;
  for (std::int32_t done = 0; done < count;) {
    const auto size = static_cast<std::int32_t>(
        std::min<std::size_t>(static_cast<std::size_t>(count - done), random() % 30));
    Bytes storage;
    const Rows piece = from_bytes<std::int32_t>(pieces.next(size, storage));
    EXPECT_EQ(std::ssize(piece), size);
    values.insert(values.end(), piece.begin(), piece.end());
    done += size;
  }
  return values;
}

/// The value at each position is that position.
Rows expected() {
  Rows values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

const std::byte* bytes_in(const Rows& rows) {
  return std::as_bytes(std::span(rows)).data();
}

TEST(DeclaredPieces, AreViewsOfRowsInTheDeclaredOrder) {
  const Rows rows = expected();
  DeclaredPieces pieces(bytes_in(rows), {}, sizeof rows[0]);
  Bytes storage;
  EXPECT_EQ(pieces.next(40, storage).data(), bytes_in(rows));
  EXPECT_EQ(pieces.next(60, storage).data(), bytes_in(rows) + 40 * sizeof rows[0]);
  EXPECT_TRUE(storage.empty());
  EXPECT_EQ(values_of(DeclaredPieces(bytes_in(rows), {}, sizeof rows[0]), 1), expected());
}

TEST(DeclaredPieces, AreInTheDeclaredOrderIfRowsAreNot) {
  Rows row_of(count), rows(count);
  for (std::int32_t k = 0; k < count; ++k) {
    row_of[static_cast<std::size_t>(k)] = k * 37 % count;
    rows[static_cast<std::size_t>(k * 37 % count)] = k;
  }
  for (unsigned seed = 0; seed < 20; ++seed)
    EXPECT_EQ(values_of({bytes_in(rows), row_of, sizeof rows[0]}, seed), expected());
}

/// The first part is of the own rank, whose rows are in the opposite order; two others were sent.
TEST(DeclaredPieces, JoinTheRowsOfSeveralOwners) {
  std::vector<Rows> positions(3);
  for (std::int32_t k = 0; k < count; ++k)
    positions[static_cast<std::size_t>(k < 20 ? 1 : k * k % 3)].push_back(k);
  Rows own(positions[0].rbegin(), positions[0].rend()), row_of(own.size());
  for (std::size_t k = 0; k < own.size(); ++k)
    row_of[k] = static_cast<std::int32_t>(own.size() - 1 - k);
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::vector<RowsOfOwner> parts{{positions[0], bytes_in(own), row_of}};
    for (const std::size_t part : {1, 2})
      parts.push_back({positions[part], nullptr, {}, to_bytes<std::int32_t>(positions[part])});
    EXPECT_EQ(values_of({std::move(parts), sizeof own[0]}, seed), expected());
  }
}

/// Numbers as partitions have them: runs, gaps and strays.
std::vector<GlobalId> some_ids(std::mt19937& random) {
  std::set<GlobalId> ids;
  const GlobalId range = GlobalId{1} << std::uniform_int_distribution(0, 31)(random);
  std::uniform_int_distribution<GlobalId> anywhere(0, range);
  const int runs = std::uniform_int_distribution(0, 5)(random);
  for (int run = 0; run < runs; ++run) {
    const GlobalId first = anywhere(random);
    const int length = std::uniform_int_distribution(1, 200)(random);
    for (GlobalId id = first; id < first + length; ++id) ids.insert(id);
  }
  return {ids.begin(), ids.end()};
}

TEST(SortedIds, FindsWhatIsThereAndNothingElse) {
  std::mt19937 random(1);
  for (int k = 0; k < 300; ++k) {
    const std::vector<GlobalId> ids = some_ids(random);
    const std::set<GlobalId> there(ids.begin(), ids.end());
    const SortedIds sorted(ids);
    ASSERT_EQ(sorted.ids(), ids);
    for (std::size_t position = 0; position < ids.size(); ++position) {
      ASSERT_EQ(sorted.find(ids[position]), static_cast<std::int32_t>(position));
      for (const GlobalId near : {ids[position] - 1, ids[position] + 1})
        if (!there.contains(near)) {
          ASSERT_EQ(sorted.find(near), SortedIds::none);
        }
    }
  }
}

TEST(SortedIds, NothingIsInAnEmptyList) {
  EXPECT_EQ(SortedIds().find(0), SortedIds::none);
  EXPECT_EQ(SortedIds(std::vector<GlobalId>()).find(-1), SortedIds::none);
}

}  // namespace
}  // namespace op2::test
