// SPDX-License-Identifier: BSD-3-Clause
// The canonical order in the local rows of ranks.
#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <span>

#include <gmock/gmock.h>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/partition/partition.hpp>
#include <core/mesh.hpp>
#include <support/block_meshes.hpp>
#include <support/fake_communicator.hpp>

namespace op2::comm {
namespace {

constexpr int width = 30, height = 24, cell_count = width * height;

/// The numbers of all elements of a set.
std::vector<std::int32_t> shuffled(std::int64_t count, unsigned seed) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::ranges::shuffle(numbers, std::mt19937(seed));
  return numbers;
}

/// What ranks declare of a grid whose elements are numbered at random: nodes, edges and cells.
struct Declared {
  Declared(Communicator& communicator, const RowOrder& order) : rows(mesh, communicator, order) {
    const BlockMesh grid = test::grid_mesh(width, height);
    nodes = &add_set(grid.sets[0].size(), "nodes");
    edges = &add_set(grid.sets[1].size(), "edges");
    cells = &add_set(grid.sets[3].size(), "cells");
    add_map(*edges, *cells, grid.maps[1].targets, 2, 2, 3, "edge_cells");
    add_map(*cells, *nodes, grid.maps[4].targets, 4, 3, 1, "cell_nodes");
    mesh.add_dat(cells, 4, Type::f64, nullptr, "q", false);
    x = &mesh.add_dat(nodes, 2, Type::f64, nullptr, "x", false);
    mesh.add_dat(edges, 1, Type::f64, nullptr, "flux", false);
  }

  core::Set& add_set(std::int64_t size, const char* name) {
    const Blocks blocks = test::even_blocks(size, rows.communicator().size());
    return mesh.add_set(rows.block_of(blocks.count(rows.communicator().rank()), name), name);
  }

  /// @param from_seed, to_seed  of the numbers
  void add_map(core::Set& from, core::Set& to, const std::vector<GlobalId>& targets, int arity,
               unsigned from_seed, unsigned to_seed, const char* name) {
    const auto from_number = shuffled(from.global_size, from_seed),
               to_number = shuffled(to.global_size, to_seed);
    std::vector<std::int32_t> moved(targets.size());
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const auto row = static_cast<std::size_t>(from_number[k / static_cast<std::size_t>(arity)]);
      moved[row * static_cast<std::size_t>(arity) + k % static_cast<std::size_t>(arity)] =
          to_number[static_cast<std::size_t>(targets[k])];
    }
    mesh.add_map(&from, &to, arity, moved.data() + from.first * arity, name);
  }

  core::Mesh mesh;
  DistributedMesh rows;
  core::Set *nodes, *edges, *cells;
  core::Dat* x;
};

/// Of all cells, as one rank finds them.
std::vector<std::int32_t> places_on_one() {
  const auto ranks = make_self_communicator();
  Declared declared(*ranks, {core::RenumberMode::off, true});
  declared.rows.ensure_rows(0);
  EXPECT_TRUE(declared.rows.as_declared());
  return declared.cells->canonical_positions;
}

void expect_places(const core::Set& set, const std::vector<std::int32_t>& all) {
  ASSERT_EQ(std::ssize(set.canonical_positions), set.rows());
  for (std::int32_t row = 0; row < set.rows(); ++row)
    EXPECT_EQ(set.canonical_position(row), all[static_cast<std::size_t>(set.global_index(row))])
        << row;
}

TEST(CanonicalRows, OfARandomNumberingAreInAnotherOrderOnOneRank) {
  const auto ranks = make_self_communicator();
  Declared declared(*ranks, {core::RenumberMode::canonical, true});
  declared.rows.ensure_rows(0);
  EXPECT_TRUE(std::ranges::is_sorted(declared.cells->canonical_positions));
  EXPECT_FALSE(std::ranges::is_sorted(declared.cells->global_indices));
  expect_places(*declared.cells, places_on_one());
  EXPECT_TRUE(declared.nodes->canonical_positions.empty());
}

TEST(CanonicalRows, WithoutTheModeThereAreNoPlaces) {
  const auto ranks = make_self_communicator();
  Declared declared(*ranks, {core::RenumberMode::off, false});
  declared.rows.decide_order(nullptr);
  declared.rows.ensure_rows(0);
  EXPECT_TRUE(declared.cells->canonical_positions.empty());
}

/// The rows of each owned level ascend in the order of their places.
void expect_sorted_levels(const core::Set& set) {
  std::int32_t begin = 0;
  for (core::Level level = core::deepest_tracked; level <= 0; ++level) {
    const std::int32_t end = set.within(level);
    EXPECT_TRUE(std::is_sorted(set.canonical_positions.begin() + begin,
                               set.canonical_positions.begin() + end))
        << level;
    begin = end;
  }
}

TEST(CanonicalRows, AreTheSameOnAnyRanksAndPartition) {
  const std::vector<std::int32_t> all = places_on_one();
  ASSERT_EQ(all.size(), static_cast<std::size_t>(cell_count));
  for (const int ranks : {2, 3, 8})
    run_fake_ranks(ranks, [&](Communicator& communicator) {
      Declared declared(communicator, {core::RenumberMode::canonical, true});
      declared.rows.ensure_rows(2);
      expect_places(*declared.cells, all);
      expect_sorted_levels(*declared.cells);
      declared.rows.ensure_rows(4);
      expect_places(*declared.cells, all);
      declared.rows.return_to_declared();
      const BlockMesh blocks = declared.rows.declared_mesh();
      std::vector<Owners> owners;
      for (const Blocks& set : blocks.sets)
        owners.push_back(random_owners(set, communicator.rank(), ranks));
      declared.rows.distribute(blocks, std::move(owners));
      expect_places(*declared.cells, all);
      expect_sorted_levels(*declared.cells);
    });
}

/// With coordinates, and edges that make distances in the mesh of little use.
std::vector<std::int32_t> places_with_coordinates(bool after_a_loop) {
  const auto ranks = make_self_communicator();
  Declared declared(*ranks, {core::RenumberMode::off, true});
  const auto number = shuffled(declared.nodes->size, 1);
  auto* const values = reinterpret_cast<double*>(declared.x->rows.host_write().get());
  for (std::size_t node = 0; node < number.size(); ++node) {
    values[2 * number[node]] = static_cast<double>(node / (height + 1));
    values[2 * number[node] + 1] = static_cast<double>(node % (height + 1));
  }
  core::Set& pairs = declared.add_set(70, "pairs");
  const auto ends = shuffled(cell_count, 8);
  declared.mesh.add_map(&pairs, declared.cells, 2, ends.data(), "far");
  if (after_a_loop) declared.mesh.choose_ordering_set();  // as a loop does
  declared.rows.decide_order(declared.x);
  declared.rows.ensure_rows(0);
  return declared.cells->canonical_positions;
}

TEST(CanonicalRows, CoordinatesCountUntilALoopIsCalled) {
  EXPECT_NE(places_with_coordinates(false), places_with_coordinates(true));
}

TEST(CanonicalRows, AreDecidedAgainIfAMapIsDeclared) {
  const auto ranks = make_self_communicator();
  Declared declared(*ranks, {core::RenumberMode::off, true});
  declared.rows.ensure_rows(0);
  declared.rows.return_to_declared();
  // All cells are neighbours in the declared order now, often.
  std::vector<std::int32_t> rows;
  for (int k = 0; k < 40 * cell_count; ++k)
    rows.insert(rows.end(), {k % cell_count, (k + 1) % cell_count});
  core::Set& pairs =
      declared.mesh.add_set(declared.rows.block_of(40 * cell_count, "pairs"), "pairs");
  declared.mesh.add_map(&pairs, declared.cells, 2, rows.data(), "along");
  declared.rows.ensure_rows(0);
  EXPECT_TRUE(declared.cells->canonical_positions.empty());
}

/// The left and the right half of the grid.
void distribute_halves(Declared& declared) {
  const BlockMesh blocks = declared.rows.declared_mesh();
  const auto number = shuffled(cell_count, 3);
  Owners owners(static_cast<std::size_t>(declared.cells->declared));
  for (int cell = 0; cell < cell_count; ++cell) {
    const std::int64_t at = number[static_cast<std::size_t>(cell)] - declared.cells->first;
    if (at >= 0 && at < declared.cells->declared)
      owners[static_cast<std::size_t>(at)] = cell < cell_count / 2 ? 0 : 1;
  }
  declared.rows.distribute(blocks, inherit_owners(declared.rows.communicator(), blocks,
                                                  declared.cells->index, std::move(owners)));
}

TEST(CanonicalRows, LevelsAreDistinguishedAsDeepAsNeeded) {
  run_fake_ranks(2, [&](Communicator& communicator) {
    Declared declared(communicator,
                      {core::RenumberMode::canonical, true, core::shallowest_tracked});
    distribute_halves(declared);
    const core::Set& cells = *declared.cells;
    EXPECT_GT(cells.within(-2), 0);
    EXPECT_EQ(cells.within(-3), 0);
    EXPECT_FALSE(declared.rows.distinguish(-2));
    const int arrangement = declared.rows.arrangement();
    EXPECT_TRUE(declared.rows.distinguish(-3));
    EXPECT_NE(declared.rows.arrangement(), arrangement);
    EXPECT_GT(cells.within(-4), 0);
    EXPECT_LT(cells.within(-4), cells.within(-2));
    EXPECT_EQ(cells.within(-5), 0);
    EXPECT_TRUE(declared.rows.distinguish(-40));
    EXPECT_FALSE(declared.rows.distinguish(-40));
    expect_sorted_levels(cells);
  });
}

}  // namespace
}  // namespace op2::comm
