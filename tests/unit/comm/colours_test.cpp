// SPDX-License-Identifier: BSD-3-Clause
#include <comm/partition/colours.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include <core/arithmetic.hpp>
#include <support/fake_communicator.hpp>

namespace op2::test {
namespace {

using comm::GlobalId;

/// Elements with `arity` targets each.
struct Conflicts {
  GlobalId elements, targets;
  int arity;
  std::vector<GlobalId> target;  ///< shape [elements x arity]
};

Conflicts random_conflicts(std::mt19937& random, GlobalId elements, GlobalId targets, int arity) {
  Conflicts made{elements, targets, arity, {}};
  std::uniform_int_distribution<GlobalId> any(0, targets - 1);
  for (GlobalId k = 0; k < elements * arity; ++k) made.target.push_back(any(random));
  return made;
}

/// One element after the other.
std::vector<int> greedy_colours(const Conflicts& conflicts) {
  std::vector<GlobalId> order(static_cast<std::size_t>(conflicts.elements));
  std::iota(order.begin(), order.end(), GlobalId{0});
  std::ranges::sort(order, std::greater{}, [](GlobalId id) { return core::splitmix64(id); });
  std::vector<std::vector<int>> taken(static_cast<std::size_t>(conflicts.targets));
  std::vector<int> colours(order.size());
  for (const GlobalId element : order) {
    const auto targets = std::span(conflicts.target)
                             .subspan(static_cast<std::size_t>(element * conflicts.arity),
                                      static_cast<std::size_t>(conflicts.arity));
    int colour = 0;
    const auto is_taken = [&](GlobalId target) {
      const auto& here = taken[static_cast<std::size_t>(target)];
      return std::ranges::find(here, colour) != here.end();
    };
    while (std::ranges::any_of(targets, is_taken)) ++colour;
    for (const GlobalId target : targets) taken[static_cast<std::size_t>(target)].push_back(colour);
    colours[static_cast<std::size_t>(element)] = colour;
  }
  return colours;
}

/// The lowest colours that are above those of all conflicting elements with a lower index.
std::vector<int> colours_in_order(const Conflicts& conflicts) {
  std::vector<int> next(static_cast<std::size_t>(conflicts.targets)), colours;
  for (GlobalId element = 0; element < conflicts.elements; ++element) {
    const auto targets = std::span(conflicts.target)
                             .subspan(static_cast<std::size_t>(element * conflicts.arity),
                                      static_cast<std::size_t>(conflicts.arity));
    int colour = 0;
    for (const GlobalId target : targets)
      colour = std::max(colour, next[static_cast<std::size_t>(target)]);
    for (const GlobalId target : targets) next[static_cast<std::size_t>(target)] = colour + 1;
    colours.push_back(colour);
  }
  return colours;
}

std::vector<int> expected_colours(const Conflicts& conflicts) {
  const std::vector<int> in_order = colours_in_order(conflicts);
  const bool is_short =
      in_order.empty() || std::ranges::max(in_order) < comm::most_colours_in_order;
  return is_short ? in_order : greedy_colours(conflicts);
}

/// On some ranks, where every element belongs to a random one; -1 everywhere: too few colours.
std::vector<int> colours_on_ranks(const Conflicts& conflicts, int ranks, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> owner;
  for (GlobalId k = 0; k < conflicts.elements; ++k)
    owner.push_back(std::uniform_int_distribution(0, ranks - 1)(random));
  std::vector<int> all(static_cast<std::size_t>(conflicts.elements), -1);
  const comm::Blocks blocks = comm::equal_blocks(conflicts.targets, ranks);
  comm::run_fake_ranks(ranks, [&](comm::Communicator& communicator) {
    std::vector<GlobalId> elements;
    comm::SharedTargets targets{&blocks, conflicts.arity, {}};
    for (GlobalId k = 0; k < conflicts.elements; ++k) {
      if (owner[static_cast<std::size_t>(k)] != communicator.rank()) continue;
      elements.push_back(k);
      for (int c = 0; c < conflicts.arity; ++c)
        targets.targets.push_back(
            conflicts.target[static_cast<std::size_t>(k * conflicts.arity + c)]);
    }
    const auto found = comm::colour_elements(communicator, elements, {&targets, 1});
    if (!found) return;
    for (std::size_t k = 0; k < elements.size(); ++k)
      all[static_cast<std::size_t>(elements[k])] = found->colour[k];
    const int most = std::ranges::max(expected_colours(conflicts));
    EXPECT_EQ(found->count, most + 1);
  });
  return all;
}

TEST(Colours, HaveTheDeclaredOrderIfItIsShortElseTheGreedyOneOnAnyNumberOfRanks) {
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    const GlobalId elements = std::uniform_int_distribution(1, 400)(random);
    const GlobalId targets = std::uniform_int_distribution(elements / 4 + 1, elements + 20)(random);
    const int arity = std::uniform_int_distribution(1, 4)(random);
    const Conflicts conflicts = random_conflicts(random, elements, targets, arity);
    const std::vector<int> right = expected_colours(conflicts);
    for (const int ranks : {1, 4})
      EXPECT_EQ(colours_on_ranks(conflicts, ranks, 7), right) << round << ", ranks " << ranks;
  }
}

TEST(Colours, WithoutConflictsThereIsOne) {
  Conflicts conflicts{50, 50, 1, {}};
  for (GlobalId k = 0; k < 50; ++k) conflicts.target.push_back(49 - k);
  EXPECT_EQ(colours_on_ranks(conflicts, 3, 1), std::vector<int>(50, 0));
}

TEST(Colours, RanksWithoutElementsTakePart) {
  const Conflicts conflicts{2, 1, 1, {0, 0}};
  EXPECT_EQ(colours_on_ranks(conflicts, 5, 1), expected_colours(conflicts));
}

TEST(Colours, MoreThanTheMostAreNoColours) {
  for (const int elements : {64, 65, 1025}) {
    const Conflicts conflicts{elements, 1, 1,
                              std::vector<GlobalId>(static_cast<std::size_t>(elements), 0)};
    const std::vector<int> found = colours_on_ranks(conflicts, 2, 1);
    if (elements <= comm::most_colours)
      EXPECT_EQ(found, greedy_colours(conflicts));
    else
      EXPECT_THAT(found, testing::Each(-1));
  }
}

TEST(Colours, AreTheGreedyOnesIfManyMeetInOneRow) {
  std::mt19937 random(2);
  Conflicts conflicts = random_conflicts(random, 500, 300, 2);
  for (std::size_t k = 0; k < 300; k += 2) conflicts.target[k] = 9;
  EXPECT_EQ(colours_on_ranks(conflicts, 3, 1), greedy_colours(conflicts));
}

}  // namespace
}  // namespace op2::test
