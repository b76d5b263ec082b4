// SPDX-License-Identifier: BSD-3-Clause
// The tree of ranks through which a message reaches all of them in log2(ranks) steps.
#pragma once

#include <optional>
#include <vector>

namespace op2::comm {

/// The position of a rank in a binomial tree.
struct TreePosition {
  std::optional<int> parent;  ///< of all but the root
  std::vector<int> children;  ///< those with the largest subtrees first

  TreePosition(int rank, int root, int ranks) {
    const int mine = (rank - root + ranks) % ranks;
    int step = 1;
    while (step < ranks && mine % (2 * step) == 0) step *= 2;
    if (mine != 0) parent = (mine - step + root) % ranks;
    for (step /= 2; step > 0; step /= 2)
      if (mine + step < ranks) children.push_back((mine + step + root) % ranks);
  }
};

}  // namespace op2::comm
