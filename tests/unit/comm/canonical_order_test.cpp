// SPDX-License-Identifier: BSD-3-Clause
// The canonical order of random meshes on any ranks, against its definition written down for one.
#include <comm/order/canonical_order.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include <gmock/gmock.h>

#include <support/block_meshes.hpp>
#include <support/fake_communicator.hpp>

namespace op2::comm {
namespace {

using Random = std::mt19937;
using Places = std::vector<std::int32_t>;

int pick(Random& random, int low, int high) {
  return std::uniform_int_distribution(low, high)(random);
}

/// A map of a whole mesh.
struct WholeMap {
  int from, to, arity;
  std::vector<std::int32_t> targets;
};

struct WholeMesh {
  std::vector<int> sizes;
  std::vector<WholeMap> maps;
  int ordered = 0;
  int coordinate_set = -1, dim = 0;
  std::vector<double> coordinates = {};
};

/// Random blocks, some of which are empty.
Blocks random_blocks(Random& random, GlobalId size, int ranks) {
  Blocks blocks{{0, size}};
  for (int rank = 1; rank < ranks; ++rank)
    blocks.begin.push_back(pick(random, 0, static_cast<int>(size)));
  std::ranges::sort(blocks.begin);
  return blocks;
}

template <class T>
std::span<const T> rows_of(const std::vector<T>& whole, const Blocks& blocks, int rank, int dim) {
  const auto r = static_cast<std::size_t>(rank);
  const auto width = static_cast<std::size_t>(dim);
  return std::span(whole).subspan(static_cast<std::size_t>(blocks.begin[r]) * width,
                                  static_cast<std::size_t>(blocks.count(rank)) * width);
}

/// All places, as the ranks find them; empty: the declared order.
Places places_on(const WholeMesh& mesh, const std::vector<Blocks>& blocks, int ranks) {
  Places all(static_cast<std::size_t>(mesh.sizes[static_cast<std::size_t>(mesh.ordered)]));
  std::vector<int> reordered(static_cast<std::size_t>(ranks));
  run_fake_ranks(ranks, [&](Communicator& communicator) {
    const int rank = communicator.rank();
    const auto blocks_of = [&](int set) -> const Blocks& {
      return blocks[static_cast<std::size_t>(set)];
    };
    DeclaredMaps declared{communicator, {}, {}, mesh.ordered};
    for (const Blocks& some : blocks) declared.sets.push_back(&some);
    for (const WholeMap& map : mesh.maps)
      declared.maps.push_back({map.from, map.to, map.arity,
                               rows_of(map.targets, blocks_of(map.from), rank, map.arity)});
    Coordinates coordinates;
    if (mesh.coordinate_set >= 0)
      coordinates = {mesh.coordinate_set, mesh.dim,
                     rows_of(mesh.coordinates, blocks_of(mesh.coordinate_set), rank, mesh.dim)};
    const auto places = choose_canonical_order(declared, coordinates);
    reordered[static_cast<std::size_t>(rank)] = places ? 1 : 0;
    if (places)
      std::ranges::copy(
          *places, all.begin() + blocks_of(mesh.ordered).begin[static_cast<std::size_t>(rank)]);
  });
  EXPECT_EQ(std::set(reordered.begin(), reordered.end()).size(), 1U);
  return reordered.front() != 0 ? all : Places();
}

Places places_on_one(const WholeMesh& mesh) {
  std::vector<Blocks> blocks;
  for (const int size : mesh.sizes) blocks.push_back({{0, size}});
  return places_on(mesh, blocks, 1);
}

/// The definition, for the whole mesh.
class Model {
 public:
  explicit Model(const WholeMesh& mesh) : mesh_(mesh), neighbours_(size()) {
    std::size_t entries = 0;
    for (const WholeMap& map : mesh.maps)
      if (map.to == mesh.ordered && (map.arity > 1 || map.from == mesh.ordered)) {
        entries += map.targets.size();
        add_pairs(map);
      }
    if (entries < size()) add_sharing();
  }

  std::size_t size() const {
    return static_cast<std::size_t>(mesh_.sizes[static_cast<std::size_t>(mesh_.ordered)]);
  }

  std::int64_t sum(const Places& places) const {
    std::int64_t sum = 0;
    for (const auto& [a, b] : pairs_) sum += std::abs(places[a] - places[b]);
    return sum;
  }

  /// Empty: the declared order.
  Places places() const {
    Places declared(size());
    std::iota(declared.begin(), declared.end(), 0);
    const std::int64_t before = sum(declared);
    const double mean = static_cast<double>(before) / static_cast<double>(pairs_.size());
    if (pairs_.empty() || mean <= std::floor(2 * std::sqrt(static_cast<double>(size())))) return {};
    const Places levels = level_places();
    return 3 * sum(levels) < 2 * before ? levels : Places();
  }

  Places level_places() const {
    std::vector<std::tuple<int, int, int, std::size_t>> keys(size());  // part, level, second, index
    std::vector<char> placed(size(), 0);
    for (std::size_t v = 0; v < size(); ++v) keys[v] = {std::numeric_limits<int>::max(), 0, 0, v};
    int part = 0;
    for (std::size_t lowest = 0; lowest < size(); ++lowest) {
      if (placed[lowest] != 0 || neighbours_[lowest].empty()) continue;
      std::vector<int> far = distances(lowest);
      std::vector<std::vector<int>> from;
      std::vector<int> nearest(size(), std::numeric_limits<int>::max());
      for (int k = 0; k < 4; ++k) {
        from.push_back(distances(first_with_largest(k == 0 ? far : nearest, far)));
        for (std::size_t v = 0; v < size(); ++v) nearest[v] = std::min(nearest[v], from[k][v]);
      }
      for (std::size_t v = 0; v < size(); ++v)
        if (far[v] >= 0) {
          keys[v] = {part, from[0][v], from[3][v], v};
          placed[v] = 1;
        }
      ++part;
    }
    std::ranges::sort(keys);
    Places places(size());
    for (std::size_t place = 0; place < size(); ++place)
      places[std::get<3>(keys[place])] = static_cast<std::int32_t>(place);
    return places;
  }

 private:
  void join(std::size_t a, std::size_t b) {
    if (a == b) return;
    pairs_.emplace_back(a, b);
    neighbours_[a].push_back(b);
    neighbours_[b].push_back(a);
  }

  void add_pairs(const WholeMap& map) {
    const auto arity = static_cast<std::size_t>(map.arity);
    for (std::size_t k = 0; k < map.targets.size(); ++k) {
      const std::size_t row = k / arity, next = k + 1 == (row + 1) * arity ? row * arity : k + 1;
      const auto target = static_cast<std::size_t>(map.targets[k]);
      if (map.from == mesh_.ordered)
        join(row, target);
      else if (arity != 2 || k % 2 == 0)
        join(target, static_cast<std::size_t>(map.targets[next]));
    }
  }

  void add_sharing() {
    for (const WholeMap& map : mesh_.maps) {
      if (map.from != mesh_.ordered) continue;
      std::vector<std::vector<std::size_t>> sources(
          static_cast<std::size_t>(mesh_.sizes[static_cast<std::size_t>(map.to)]));
      for (std::size_t k = 0; k < map.targets.size(); ++k)
        sources[static_cast<std::size_t>(map.targets[k])].push_back(
            k / static_cast<std::size_t>(map.arity));
      for (const auto& some : sources)
        for (std::size_t k = 1; k < some.size(); ++k) join(some[k - 1], some[k]);
    }
  }

  std::vector<int> distances(std::size_t root) const {
    std::vector<int> distance(size(), -1);
    std::deque<std::size_t> next{root};
    distance[root] = 0;
    for (; !next.empty(); next.pop_front())
      for (const std::size_t neighbour : neighbours_[next.front()])
        if (distance[neighbour] < 0) {
          distance[neighbour] = distance[next.front()] + 1;
          next.push_back(neighbour);
        }
    return distance;
  }

  /// Of the elements whose distance in `part` is known.
  static std::size_t first_with_largest(const std::vector<int>& values,
                                        const std::vector<int>& part) {
    std::size_t best = part.size();
    for (std::size_t v = 0; v < part.size(); ++v)
      if (part[v] >= 0 && (best == part.size() || values[v] > values[best])) best = v;
    return best;
  }

  const WholeMesh& mesh_;
  std::vector<std::vector<std::size_t>> neighbours_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

std::vector<std::int32_t> shuffled_numbers(Random& random, int count) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::ranges::shuffle(numbers, random);
  return numbers;
}

/// Cells of a grid without some of its edges: several parts and lone cells; numbered at random.
WholeMesh torn_grid(Random& random, int width, int height, int percent_of_edges) {
  const std::vector<std::int32_t> number = shuffled_numbers(random, width * height);
  const auto cell = [&](int i, int j) { return number[static_cast<std::size_t>(j * width + i)]; };
  std::vector<std::int32_t> ends;
  const auto join = [&](std::int32_t a, std::int32_t b) {
    if (pick(random, 1, 100) <= percent_of_edges) ends.insert(ends.end(), {a, b});
  };
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      if (i + 1 < width) join(cell(i, j), cell(i + 1, j));
      if (j + 1 < height) join(cell(i, j), cell(i, j + 1));
    }
  const int edges = static_cast<int>(ends.size() / 2);
  return {{width * height, edges}, {{1, 0, 2, ends}}};
}

/// The same neighbours by other maps.
WholeMesh with_other_maps(Random& random, WholeMesh mesh) {
  WholeMap& ends = mesh.maps.front();
  const int cells = mesh.sizes[0], edges = mesh.sizes[1];
  switch (pick(random, 0, 3)) {
    case 0:  // edges with three targets
      for (int e = edges; e > 0; --e)
        ends.targets.insert(ends.targets.begin() + 2 * e, pick(random, 0, cells - 1) / 9 * 9);
      ends.arity = 3;
      break;
    case 1: {  // a map of cells to cells
      WholeMap self{0, 0, 1, shuffled_numbers(random, cells)};
      for (int e = 0; e < edges; ++e)
        self.targets[static_cast<std::size_t>(ends.targets[static_cast<std::size_t>(2 * e)])] =
            ends.targets[static_cast<std::size_t>(2 * e + 1)];
      mesh.maps = {self};
      break;
    }
    case 2: {  // cells that share edges
      WholeMap of_cells{0, 1, 4, {}};
      std::vector<std::vector<std::int32_t>> edges_of(static_cast<std::size_t>(cells));
      for (std::size_t k = 0; k < ends.targets.size(); ++k)
        edges_of[static_cast<std::size_t>(ends.targets[k])].push_back(
            static_cast<std::int32_t>(k / 2));
      for (auto& some : edges_of) {
        some.resize(4, some.empty() ? 0 : some.front());
        of_cells.targets.insert(of_cells.targets.end(), some.begin(), some.end());
      }
      if (edges > 0) mesh.maps = {of_cells};
      break;
    }
    default:
      break;
  }
  return mesh;
}

void expect_on_all_ranks(Random& random, const WholeMesh& mesh, const Places& expected,
                         const std::string& what) {
  EXPECT_EQ(places_on_one(mesh), expected) << what;
  for (const int ranks : {2, 3, 4, 7, 8}) {
    std::vector<Blocks> blocks;
    for (const int size : mesh.sizes) blocks.push_back(random_blocks(random, size, ranks));
    EXPECT_EQ(places_on(mesh, blocks, ranks), expected) << what << ", ranks " << ranks;
  }
}

TEST(CanonicalPlaces, AreThoseOfTheDefinitionOnAnyRanksAndBlocks) {
  Random random(11);
  int reordered = 0;
  for (int round = 0; round < 16; ++round) {
    const WholeMesh mesh = with_other_maps(
        random, torn_grid(random, pick(random, 1, 24), pick(random, 1, 12), pick(random, 40, 130)));
    const Places expected = Model(mesh).places();
    reordered += expected.empty() ? 0 : 1;
    expect_on_all_ranks(random, mesh, expected, "round " + std::to_string(round));
  }
  EXPECT_GT(reordered, 5);
}

TEST(CanonicalPlaces, AGoodDeclaredOrderStays) {
  const BlockMesh grid = test::grid_mesh(40, 30);
  WholeMesh mesh{{}, {}, 3};
  for (const Blocks& set : grid.sets) mesh.sizes.push_back(static_cast<int>(set.size()));
  for (const BlockMap& map : grid.maps)
    mesh.maps.push_back({map.from, map.to, map.arity, {map.targets.begin(), map.targets.end()}});
  EXPECT_EQ(places_on_one(mesh), Places());
}

TEST(CanonicalPlaces, WithoutElementsOrNeighboursTheDeclaredOrderStays) {
  Random random(3);
  for (const WholeMesh& mesh :
       {WholeMesh{{0, 0}, {{1, 0, 2, {}}}}, WholeMesh{{5, 0}, {{1, 0, 2, {}}}},
        WholeMesh{{5, 3}, {{1, 0, 1, {4, 0, 2}}}}, WholeMesh{{3, 2}, {{1, 0, 2, {1, 1, 2, 2}}}}})
    expect_on_all_ranks(random, mesh, {}, "small");
}

/// Mean distance of neighbours.
double mean_distance(const WholeMesh& mesh, const Places& places) {
  const auto& ends = mesh.maps.front().targets;
  double sum = 0;
  for (std::size_t k = 0; k < ends.size(); k += 2)
    sum += std::abs(places[static_cast<std::size_t>(ends[k])] -
                    places[static_cast<std::size_t>(ends[k + 1])]);
  return sum / (static_cast<double>(ends.size()) / 2);
}

TEST(CanonicalPlaces, OfARandomlyNumberedGridAreNearlyAsGoodAsRowByRow) {
  Random random(5);
  const WholeMesh mesh = torn_grid(random, 60, 50, 100);  // row by row: 30
  EXPECT_LT(mean_distance(mesh, places_on_one(mesh)), 40);
}

TEST(CanonicalPlaces, OfALongStripAreThoseAlongIt) {
  Random random(5);
  const WholeMesh mesh = torn_grid(random, 600, 5, 100);
  EXPECT_LT(mean_distance(mesh, places_on_one(mesh)), 6);
}

/// A grid with a position of each cell. Some long edges make distances in the graph of little use.
WholeMesh grid_in_space(Random& random, int width, int height) {
  WholeMesh mesh = torn_grid(random, width, height, 100);
  for (int k = 0; k < 2 * (width * height / 10); ++k)
    mesh.maps.front().targets.push_back(pick(random, 0, width * height - 1));
  mesh.sizes[1] = static_cast<int>(mesh.maps.front().targets.size() / 2);
  mesh.coordinate_set = 0;
  mesh.dim = 2;
  mesh.coordinates.resize(static_cast<std::size_t>(2 * width * height));
  random.seed(5);  // the numbers again
  const auto number = shuffled_numbers(random, width * height);
  for (int k = 0; k < width * height; ++k) {
    const auto at = static_cast<std::size_t>(2 * number[static_cast<std::size_t>(k)]);
    mesh.coordinates[at] = 0.1 * (k % width) - 1;
    mesh.coordinates[at + 1] = 0.1 * (k / width) + 7;
  }
  return mesh;
}

TEST(CanonicalPlaces, FollowCoordinatesIfThatIsBetter) {
  Random random(5);
  const WholeMesh mesh = grid_in_space(random, 32, 32);
  const Places places = places_on_one(mesh);
  EXPECT_LT(mean_distance(mesh, places), mean_distance(mesh, Model(mesh).level_places()));
  expect_on_all_ranks(random, mesh, places, "coordinates");
}

TEST(CanonicalPlaces, FollowDistancesIfThatIsGood) {
  Random random(5);
  WholeMesh mesh = torn_grid(random, 32, 32, 100);
  const Places levels = places_on_one(mesh);
  mesh.coordinate_set = 0;
  mesh.dim = 1;
  mesh.coordinates.assign(levels.rbegin(), levels.rend());
  EXPECT_EQ(places_on_one(mesh), levels);
}

TEST(CanonicalPlaces, FollowCoordinatesOfTheFirstTarget) {
  Random random(5);
  const WholeMesh direct = grid_in_space(random, 32, 32);
  WholeMesh behind = direct;  // the coordinates are those of set 2, in another order
  const auto number = shuffled_numbers(random, 1024);
  behind.sizes.push_back(1024);
  behind.maps.push_back({0, 2, 2, {}});
  behind.coordinate_set = 2;
  for (std::size_t cell = 0; cell < 1024; ++cell) {
    behind.maps.back().targets.insert(behind.maps.back().targets.end(), {number[cell], 0});
    for (std::size_t d = 0; d < 2; ++d)
      behind.coordinates[static_cast<std::size_t>(2 * number[cell]) + d] =
          direct.coordinates[2 * cell + d];
  }
  expect_on_all_ranks(random, behind, places_on_one(direct), "behind a map");
}

TEST(CanonicalPlaces, CoordinatesThatAreNotFiniteAreHandled) {
  Random random(5);
  WholeMesh mesh = grid_in_space(random, 32, 32);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  mesh.coordinates[20] = std::numeric_limits<double>::quiet_NaN();
  mesh.coordinates[41] = infinity;
  mesh.coordinates[60] = -infinity;
  mesh.coordinates[80] = -0.0;
  const Places places = places_on_one(mesh);
  ASSERT_FALSE(places.empty());
  EXPECT_EQ(places[10], 1023);
  expect_on_all_ranks(random, mesh, places, "not finite");
}

TEST(CanonicalPlaces, CoordinatesThatSayNothingAreIgnored) {
  Random random(5);
  WholeMesh mesh = grid_in_space(random, 32, 32);
  for (const double value :
       {0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::ranges::fill(mesh.coordinates, value);
    EXPECT_EQ(places_on_one(mesh), Model(mesh).places()) << value;
  }
}

TEST(CanonicalPlaces, HugeCoordinatesDoNotOverflow) {
  Random random(5);
  WholeMesh mesh = grid_in_space(random, 32, 32);
  for (double& value : mesh.coordinates) value = (value - 2) * 2.5e307;
  EXPECT_LT(mean_distance(mesh, places_on_one(mesh)),
            mean_distance(mesh, Model(mesh).level_places()));
}

TEST(DensePlaces, EqualKeysAreInTheOrderOfGlobalIndices) {
  const Blocks blocks{{0, 3, 3, 7, 9}};
  const std::vector<std::int64_t> keys = {5, last_key, 1, 5, 0, 5, 1, -3, last_key};
  Places all(9);
  run_fake_ranks(4, [&](Communicator& communicator) {
    const int rank = communicator.rank();
    std::ranges::copy(positions_by_key(communicator, blocks, rows_of(keys, blocks, rank, 1)),
                      all.begin() + blocks.begin[static_cast<std::size_t>(rank)]);
  });
  EXPECT_EQ(all, (Places{4, 7, 2, 5, 1, 6, 3, 0, 8}));
}

TEST(Hilbert, SuccessivePositionsAreNeighbours) {
  for (const int dim : {1, 2, 3}) {
    const int side = dim == 3 ? 8 : 32;
    std::vector<std::pair<std::int64_t, std::array<std::uint32_t, 3>>> points;
    for (int k = 0; k < (dim == 1 ? side : dim == 2 ? side * side : side * side * side); ++k) {
      std::array<std::uint32_t, 3> point{static_cast<std::uint32_t>(k % side),
                                         static_cast<std::uint32_t>(k / side % side),
                                         static_cast<std::uint32_t>(k / side / side)};
      points.emplace_back(hilbert_position(point, dim), point);
    }
    std::ranges::sort(points);
    for (std::size_t k = 1; k < points.size(); ++k) {
      std::int64_t steps = 0;
      for (std::size_t d = 0; d < 3; ++d)
        steps += std::abs(static_cast<std::int64_t>(points[k].second[d]) - points[k - 1].second[d]);
      EXPECT_EQ(steps, 1) << "dim " << dim << ", position " << points[k].first;
      EXPECT_EQ(points[k].first, points[k - 1].first + 1);
    }
  }
}

/// Distances that three ranks add.
DistanceSum sum_of(const std::vector<std::int64_t>& distances) {
  DistanceSum all;
  run_fake_ranks(3, [&](Communicator& communicator) {
    DistanceSum sum;
    for (std::size_t k = static_cast<std::size_t>(communicator.rank()); k < distances.size();
         k += 3)
      sum.add(0, distances[k]);
    sum.combine(communicator);
    if (communicator.is_root()) all = sum;
  });
  return all;
}

TEST(DistanceSum, IsExact) {
  constexpr std::int64_t large = std::int64_t{1} << 61;
  const DistanceSum other = sum_of({large, large});
  EXPECT_FALSE(sum_of({large, large, large}).is_much_worse_than(other));
  EXPECT_TRUE(sum_of({large, large, large, 1}).is_much_worse_than(other));
}

TEST(DistanceSum, IsGoodUpToTwiceTheRoot) {
  EXPECT_TRUE(sum_of({20, 19, 21}).is_good(100));
  EXPECT_FALSE(sum_of({20, 20, 21}).is_good(100));
  EXPECT_TRUE(sum_of({19}).is_good(99));
  EXPECT_FALSE(sum_of({20}).is_good(99));
  EXPECT_TRUE(sum_of({}).is_good(0));
}

}  // namespace
}  // namespace op2::comm
