// SPDX-License-Identifier: BSD-3-Clause
// How blocks get to all ranks: by pairs, as short messages.
#include <comm/messages/reduction_blocks.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <deque>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <comm/messages/pair_turns.hpp>
#include <core/exact_sum.hpp>

namespace op2::comm {
namespace {

/// How often the value of each rank is in a fold.
using Counts = std::vector<int>;

/// Ranks that exchange messages turn by turn; each begins with its own value.
class Ranks {
 public:
  explicit Ranks(int ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      Counts own(static_cast<std::size_t>(ranks), 0);
      own[static_cast<std::size_t>(rank)] = 1;
      ranks_.push_back({pair_turns(rank, ranks), std::move(own), 0, false});
    }
  }

  /// False if some wait for messages that nobody sends.
  bool run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        moved = take_turn(static_cast<int>(rank)) || moved;
    }
    for (const Rank& one : ranks_)
      if (one.turn < one.turns.size()) return false;
    return true;
  }

  const Counts& folded(int rank) const { return ranks_[static_cast<std::size_t>(rank)].folded; }
  std::size_t turns(int rank) const { return ranks_[static_cast<std::size_t>(rank)].turns.size(); }

 private:
  struct Rank {
    std::vector<PairTurn> turns;
    Counts folded;
    std::size_t turn;
    bool has_sent;
  };

  bool take_turn(int rank) {
    Rank& one = ranks_[static_cast<std::size_t>(rank)];
    if (one.turn == one.turns.size()) return false;
    const PairTurn& turn = one.turns[one.turn];
    if (turn.sends() && !std::exchange(one.has_sent, true))
      mail_[{rank, turn.partner}].push_back(one.folded);
    if (turn.receives()) {
      std::deque<Counts>& box = mail_[{turn.partner, rank}];
      if (box.empty()) return false;
      if (turn.kind == PairTurn::Kind::takes) one.folded.assign(one.folded.size(), 0);
      for (std::size_t k = 0; k < one.folded.size(); ++k) one.folded[k] += box.front()[k];
      box.pop_front();
    }
    one.has_sent = false;
    ++one.turn;
    return true;
  }

  std::vector<Rank> ranks_;
  std::map<std::pair<int, int>, std::deque<Counts>> mail_;
};

TEST(PairTurns, EveryRankGetsEveryValueOnce) {
  for (int count = 1; count <= 40; ++count) {
    Ranks ranks(count);
    ASSERT_TRUE(ranks.run()) << count << " ranks";
    const auto most = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(count))) + 1;
    for (int rank = 0; rank < count; ++rank) {
      EXPECT_EQ(ranks.folded(rank), Counts(static_cast<std::size_t>(count), 1))
          << "rank " << rank << " of " << count;
      EXPECT_LE(ranks.turns(rank), most);
    }
  }
}

TEST(ShortBlock, HasTheWordsThatAreNotZero) {
  std::mt19937_64 random(7);
  for (int repeat = 0; repeat < 200; ++repeat) {
    ReductionBlock block(random());
    block.sums = random() % 62;
    std::size_t present = 0;
    for (std::int64_t& word : block.words)
      if (random() % 3 == 0) {
        word = static_cast<std::int64_t>(random() | 1U);
        ++present;
      }
    const ShortBlock sent(block);
    EXPECT_EQ(sent.length(), 4 + present);
    ShortBlock received;
    std::copy_n(reinterpret_cast<const std::int64_t*>(&sent), sent.length(),
                reinterpret_cast<std::int64_t*>(&received));
    const ReductionBlock again = received.block();
    EXPECT_EQ(again.words, block.words);
    EXPECT_EQ(again.greatest, block.greatest);
    EXPECT_EQ(again.greatest_complement, block.greatest_complement);
    EXPECT_EQ(again.sums, block.sums);
  }
}

/// Three limbs of 40 bits at most, and four words before them.
TEST(ShortBlock, OfASumIsShortWhateverItsSign) {
  for (const double term : {0.1, -0.1, -1e300, 5e-324, -5e-324}) {
    core::ExactSum<double> sum;
    sum.add(term);
    const auto words = sum.to_words();
    const std::vector<ReductionBlock> blocks = packed({{words.begin(), words.end()}, {}, {}}, 1);
    EXPECT_LE(ShortBlock(blocks.front()).length(), 4U + 3U) << term;
  }
}

}  // namespace
}  // namespace op2::comm
