// SPDX-License-Identifier: BSD-3-Clause
// With whom a rank exchanges messages so that all ranks get the fold of all values in about
// log2(ranks) turns: recursive doubling. Pure.
#pragma once

#include <bit>
#include <vector>

namespace op2::comm {

struct PairTurn {
  enum class Kind {
    gives,      ///< sends what it has folded
    folds,      ///< receives, and folds
    exchanges,  ///< both
    takes       ///< receives the result
  };
  int partner;
  Kind kind;

  bool sends() const { return kind == Kind::gives || kind == Kind::exchanges; }
  bool receives() const { return kind != Kind::gives; }
};

/// If the number of ranks is not a power of 2, so many first pairs of ranks begin as one that it
/// is.
inline std::vector<PairTurn> pair_turns(int rank, int ranks) {
  using Kind = PairTurn::Kind;
  const int places = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  const int pairs = ranks - places;
  const bool is_paired = rank < 2 * pairs;
  if (is_paired && rank % 2 == 0) return {{rank + 1, Kind::gives}, {rank + 1, Kind::takes}};
  std::vector<PairTurn> turns;
  if (is_paired) turns.push_back({rank - 1, Kind::folds});
  const int place = is_paired ? rank / 2 : rank - pairs;
  for (int step = 1; step < places; step *= 2) {
    const int other = place ^ step;
    turns.push_back({other < pairs ? 2 * other + 1 : other + pairs, Kind::exchanges});
  }
  if (is_paired) turns.push_back({rank - 1, Kind::gives});
  return turns;
}

}  // namespace op2::comm
