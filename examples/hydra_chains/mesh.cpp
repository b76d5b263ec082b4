// SPDX-License-Identifier: BSD-3-Clause
#include "mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace hydra_chains {

namespace {

using Position = std::array<int, 3>;  ///< of a node along x, y and z

/// Pseudo-random bits (SplitMix64).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t bits = state += 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

/// Where node numbers are in the cube, and back.
class Numbers {
 public:
  explicit Numbers(const Cube& cube) : width_(cube.width) {
    if (cube.numbering == Numbering::planes) return;
    cells_.resize(static_cast<std::size_t>(cube.nodes()));
    std::iota(cells_.begin(), cells_.end(), 0);
    std::uint64_t state = 1;
    for (std::size_t left = cells_.size(); left > 1; --left)
      std::swap(cells_[left - 1], cells_[next_random(state) % left]);
    numbers_.resize(cells_.size());
    for (std::size_t k = 0; k < cells_.size(); ++k)
      numbers_[static_cast<std::size_t>(cells_[k])] = static_cast<int>(k);
  }

  Position position_of(std::int64_t node) const {
    int cell = static_cast<int>(node);
    if (!cells_.empty()) cell = cells_[static_cast<std::size_t>(node)];
    return {cell % width_, cell / width_ % width_, cell / width_ / width_};
  }
  int number_of(const Position& at) const {
    const int cell = (at[2] * width_ + at[1]) * width_ + at[0];
    return numbers_.empty() ? cell : numbers_[static_cast<std::size_t>(cell)];
  }

 private:
  int width_;
  std::vector<int> cells_, numbers_;  ///< empty: the planes' order
};

/// Collects what begins at the nodes of a block.
class BlockMaker {
 public:
  BlockMaker(const Cube& cube, int ranks)
      : cube_(cube), numbers_(cube), boxes_(boxes_for(ranks)), last_(cube.width - 1) {}

  void add(std::int64_t node) {
    const Position at = numbers_.position_of(node);
    for (const int index : at) block_.x.push_back(static_cast<double>(index) / last_);
    block_.box.push_back(box_of(at));
    for (int d = 0; d < 3; ++d)
      if (at[d] < last_) add_edge(static_cast<int>(node), at, d);
    if (at[0] == 0) add_pair(static_cast<int>(node), at);
    const bool on_wall = at[1] == 0 || at[1] == last_ || at[2] == 0 || at[2] == last_;
    if (on_wall) {
      block_.wall_node.push_back(static_cast<int>(node));
      block_.kind.push_back(at[1] == 0 || at[1] == last_ ? 1 : 2);
    }
    if (at[1] == 0 && at[2] == 0) block_.axis_node.push_back(static_cast<int>(node));
  }

  Block take() { return std::move(block_); }

 private:
  int box_of(const Position& at) const {
    const auto along = [&](int d) { return at[d] * boxes_[d] / cube_.width; };
    return (along(2) * boxes_[1] + along(1)) * boxes_[0] + along(0);
  }

  void add_edge(int node, const Position& at, int d) {
    Position other = at;
    ++other[d];
    block_.edge_nodes.insert(block_.edge_nodes.end(), {node, numbers_.number_of(other)});
    for (int c = 0; c < 3; ++c) {
      const double bent = 0.1 * std::sin(at[0] + 2.0 * at[1] + 3.0 * at[2] + c);
      block_.area.push_back((c == d ? 1 : 0) + bent);
    }
  }

  void add_pair(int node, const Position& at) {
    Position other = at;
    other[0] = last_;
    block_.pair_nodes.insert(block_.pair_nodes.end(), {node, numbers_.number_of(other)});
    block_.weight.push_back(0.5 + 0.25 * std::cos(at[1] + 2.0 * at[2]));
  }

  const Cube cube_;
  const Numbers numbers_;
  const std::array<int, 3> boxes_;
  const int last_;
  Block block_;
};

}  // namespace

Block make_block(const Cube& cube, int rank, int ranks) {
  BlockMaker maker(cube, ranks);
  const std::int64_t end = cube.nodes() * (rank + 1) / ranks;
  for (std::int64_t node = cube.nodes() * rank / ranks; node < end; ++node) maker.add(node);
  return maker.take();
}

std::array<int, 3> boxes_for(int ranks) {
  std::vector<int> factors;
  for (int factor = 2; ranks > 1; ++factor)
    for (; ranks % factor == 0; ranks /= factor) factors.push_back(factor);
  std::array<int, 3> boxes{1, 1, 1};
  while (!factors.empty()) {
    *std::min_element(boxes.begin(), boxes.end()) *= factors.back();
    factors.pop_back();
  }
  return boxes;
}

}  // namespace hydra_chains
