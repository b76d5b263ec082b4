// SPDX-License-Identifier: BSD-3-Clause
// Whatever the schedule, rows get the bits of adding in the canonical order. The loops are
// executed here as generated code executes them: random meshes, numbers, threads, tiles, phases.
#include <sched/executor/cpu/slots.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include <core/mesh.hpp>
#include <sched/analysis/fuse.hpp>
#include <sched/executor/cpu/tiles.hpp>
#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

using Random = std::mt19937_64;

int pick(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

/// What an element adds through a column, for component k: rounded when it is added.
double contribution(std::int64_t element, std::size_t column, int k) {
  return static_cast<double>((element * 37 + static_cast<std::int64_t>(column) * 11 + k * 5) %
                             101) /
             7 -
         3;
}

/// Edges that add to two dats on nodes: to both through two columns of one map, and to the second
/// through a third one.
struct AddingLoop {
  core::Mesh mesh;
  core::Queue queue;
  core::Set* nodes;
  core::Set* edges;
  core::Map* ends;
  core::Dat* sums[2];
  Step step;

  explicit AddingLoop(Random& random) {
    const int node_count = pick(random, 1, 60), edge_count = pick(random, 1, 300);
    nodes = &mesh.add_set({0, node_count, node_count}, "nodes");
    edges = &mesh.add_set({0, edge_count, edge_count}, "edges");
    std::vector<int> entries(static_cast<std::size_t>(edge_count) * 3);
    for (int& entry : entries) entry = pick(random, 0, node_count - 1);
    ends = &mesh.add_map(edges, nodes, 3, entries.data(), "ends");
    for (int d = 0; d < 2; ++d) {
      sums[d] = &mesh.add_dat(nodes, pick(random, 1, 3), Type::f64, nullptr, "sum", false);
      double* const values = reinterpret_cast<double*>(sums[d]->rows.host_write().get());
      for (int k = 0; k < node_count * sums[d]->dim; ++k) values[k] = pick(random, -50, 50) / 9.0;
    }
    if (random() % 4 != 0)
      shuffle_numbers(random);
    else
      sort_edges();
    test::queue_loop(queue, *edges, op_arg_dat(sums[0], 0, ends, OP_INC),
                     op_arg_dat(sums[0], 2, ends, OP_INC), op_arg_dat(sums[1], 1, ends, OP_INC));
    step = step_of(queue, 0);
    mesh.choose_ordering_set();
  }

  /// The global indices of the edges, and of the nodes; often other places of these.
  void shuffle_numbers(Random& random) {
    const auto shuffle = [&](const core::Set& set, std::vector<std::int32_t>& numbers) {
      numbers.resize(static_cast<std::size_t>(set.rows()));
      std::iota(numbers.begin(), numbers.end(), 0);
      std::ranges::shuffle(numbers, random);
    };
    shuffle(*edges, edges->global_indices);
    shuffle(*nodes, nodes->global_indices);
    if (random() % 2 == 0) shuffle(*nodes, nodes->canonical_positions);
  }

  std::int32_t place_of_node(int node) const {
    const auto& places =
        nodes->canonical_positions.empty() ? nodes->global_indices : nodes->canonical_positions;
    return places.empty() ? node : places[static_cast<std::size_t>(node)];
  }

  /// The canonical order of the edges, which follow the nodes: by their last node, then by number.
  std::pair<std::int32_t, std::int32_t> place_of(int edge) const {
    std::int32_t last = 0;
    for (int k = 0; k < 3; ++k) last = std::max(last, place_of_node(ends->map[edge * 3 + k]));
    return {last, number_of(edge)};
  }

  /// Into the canonical order.
  void sort_edges() {
    std::vector<std::array<int, 3>> rows(static_cast<std::size_t>(edges->rows()));
    std::memcpy(rows.data(), ends->map, rows.size() * sizeof rows[0]);
    std::ranges::stable_sort(rows, {}, [](const auto& row) { return std::ranges::max(row); });
    std::memcpy(ends->map, rows.data(), rows.size() * sizeof rows[0]);
  }

  std::int32_t number_of(std::int64_t edge) const {
    return edges->global_indices.empty() ? static_cast<std::int32_t>(edge)
                                         : edges->global_indices[static_cast<std::size_t>(edge)];
  }

  std::vector<double> values_of(int d) const {
    const double* const values = reinterpret_cast<const double*>(sums[d]->rows.host_read());
    return {values, values + sums[d]->dim * nodes->rows()};
  }

  /// The values after the loop, element by element in the canonical order.
  std::vector<double> expected(int d) const {
    std::vector<double> values = values_of(d);
    std::vector<int> order(static_cast<std::size_t>(edges->rows()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](int edge) { return place_of(edge); });
    for (const int edge : order)
      for (std::size_t a = 0; a < step.args.size(); ++a)
        if (step.args[a].dat == sums[d])
          for (int k = 0; k < sums[d]->dim; ++k)
            values[static_cast<std::size_t>(
                ends->map[edge * 3 + step.args[a].column] * sums[d]->dim + k)] +=
                contribution(number_of(edge), a, k);
    return values;
  }

  std::vector<RowAccess> accesses() const {
    std::vector<RowAccess> all;
    for (const core::LoopArg& arg : step.args) all.push_back(row_access(arg));
    return all;
  }

  LoopPart part(IndexRange rows, int threads) const {
    return {std::make_shared<const ThreadPlan>(plan_threads(rows, threads, accesses())), threads,
            true};
  }

  TilePlan tiles(IndexRange rows, Random& random) const {
    TileProblem problem{{nodes->rows(), edges->rows()},
                        {{1, rows, rows.end, accesses()}},
                        {{1, 0, ends->map, 3, edges->rows()}},
                        0,
                        nodes->rows()};
    return plan_tiles(problem, {pick(random, 1, 3), pick(random, 1, 6), random() | 1U});
  }
};

/// As generated code finds it.
std::int32_t target_of(const AddingLoop& loop, const core::ArgBinding& binding, std::int64_t edge,
                       std::int32_t column) {
  const int* const row = loop.ends->map + edge * loop.ends->dim;
  if (binding.index == nullptr) return row[column];
  const auto& some = reinterpret_cast<const core::SlottedElements*>(binding.index)[edge / 64];
  const std::uint64_t bit = std::uint64_t{1} << edge % 64;
  if ((some.which & bit) == 0) return row[column];
  return some.targets[std::popcount(some.which & (bit - 1)) * loop.ends->dim + column];
}

/// Executes edges as generated code does.
void run_range(const AddingLoop& loop, const std::vector<core::ArgBinding>& bindings,
               std::int64_t begin, std::int64_t end) {
  for (std::int64_t edge = begin; edge < end; ++edge)
    for (std::size_t a = 0; a < bindings.size(); ++a) {
      core::Dat& dat = *loop.step.args[a].dat;
      const std::int32_t target = target_of(loop, bindings[a], edge, loop.step.args[a].column);
      void* const origin = target >= 0 ? dat.rows.host_address() : bindings[a].base;
      double* const to = static_cast<double*>(origin) + target * dat.dim;
      for (int k = 0; k < dat.dim; ++k) to[k] += contribution(loop.number_of(edge), a, k);
    }
}

/// A way to execute a phase.
struct PhaseOfLoop {
  std::vector<LoopPart> parts;
  TilePlan tiles;
  StepSchedule schedule() const { return {&parts, tiles.stages.empty() ? nullptr : &tiles, 0}; }
};

PhaseOfLoop random_phase(const AddingLoop& loop, IndexRange rows, Random& random) {
  PhaseOfLoop phase;
  if (rows.empty()) return phase;
  const std::int64_t cut = rows.begin + pick(random, 0, static_cast<int>(rows.size()) - 1);
  for (const IndexRange part : {IndexRange{rows.begin, cut}, IndexRange{cut, rows.end}})
    if (part.begin < part.end) phase.parts.push_back(loop.part(part, pick(random, 1, 3)));
  if (random() % 2 == 0) phase.tiles = loop.tiles(rows, random);
  return phase;
}

void run_phase(const AddingLoop& loop, const StepSlots& slots, const PhaseOfLoop& how,
               Phase phase) {
  const std::vector<core::ArgBinding> bindings = bindings_of(loop.step, slots);
  if (!how.tiles.stages.empty()) {
    for (const auto& stage : how.tiles.stages)
      for (const auto& items : stage)
        for (const TileItem& item : items) {
          for (std::uint32_t r = item.first_run; r < item.first_run + item.runs; ++r)
            run_range(loop, bindings, how.tiles.runs[r].begin, how.tiles.runs[r].end);
          add_slots(loop.step, slots, phase, item.number);
        }
    return;
  }
  for (std::size_t p = 0; p < how.parts.size(); ++p) {
    for (const auto& stage : how.parts[p].plan->stages)
      for (std::size_t t = stage.size(); t-- > 0;)
        for (const IndexRange& rows : stage[t]) run_range(loop, bindings, rows.begin, rows.end);
    for (int t = 0; t < how.parts[p].threads; ++t)
      add_slots(loop.step, slots, phase, p, t, how.parts[p].threads);
  }
}

/// Rows whose bits differ from those of the canonical order, after two executions.
int wrong_rows(std::uint64_t seed, std::size_t& slotted) {
  Random random(seed);
  const AddingLoop loop(random);
  const std::int64_t rows = loop.edges->rows();
  const std::int64_t border = pick(random, 0, static_cast<int>(rows));
  const PhaseOfLoop interior = random_phase(loop, {0, border}, random);
  const PhaseOfLoop boundary = random_phase(loop, {border, rows}, random);
  const ScheduledStep scheduled[] = {{&loop.step, interior.schedule(), boundary.schedule()}};
  SlotTables known;
  const PlanSlots made = make_slots(loop.mesh, scheduled, known);
  const StepSlots& slots = made.steps[0];
  slotted += static_cast<std::size_t>(slots.slotted);
  int wrong = 0;
  for (int repeat = 0; repeat < 2; ++repeat) {
    const std::vector<double> expected[] = {loop.expected(0), loop.expected(1)};
    run_phase(loop, slots, interior, Phase::interior);
    run_phase(loop, slots, boundary, Phase::boundary);
    for (int d = 0; d < 2; ++d) {
      const std::vector<double> got = loop.values_of(d);
      for (std::size_t k = 0; k < got.size(); ++k)
        wrong +=
            std::bit_cast<std::uint64_t>(got[k]) != std::bit_cast<std::uint64_t>(expected[d][k]);
    }
  }
  return wrong;
}

TEST(Slots, GiveTheBitsOfTheCanonicalOrder) {
  constexpr int loops = 2000;
  int differ = 0;
  std::size_t slotted = 0;
  for (int seed = 1; seed <= loops; ++seed)
    differ += wrong_rows(static_cast<std::uint64_t>(seed), slotted) > 0;
  std::cout << differ << " of " << loops << " random meshes differ\n";
  EXPECT_EQ(differ, 0);
  EXPECT_GT(slotted, 10'000U);
}

TEST(Slots, AreNotNeededInTheCanonicalOrder) {
  Random random(5);
  AddingLoop loop(random);
  loop.edges->global_indices.clear();
  loop.nodes->global_indices.clear();
  loop.sort_edges();
  const std::vector<LoopPart> none, all{loop.part({0, loop.edges->rows()}, 1)};
  const ScheduledStep scheduled[] = {{&loop.step, {&none}, {&all}}};
  SlotTables known;
  const PlanSlots slots = make_slots(loop.mesh, scheduled, known);
  EXPECT_TRUE(slots.tables.empty());
  EXPECT_EQ(slots.steps[0].slotted, 0);
  EXPECT_EQ(slots.steps[0].added, 3 * loop.edges->rows());
  for (const core::ArgBinding& binding : bindings_of(loop.step, slots.steps[0])) {
    EXPECT_EQ(binding.base, nullptr);
    EXPECT_EQ(binding.index, nullptr);
    EXPECT_EQ(binding.index_stride, 3);
  }
}

/// The second execution of a loop in a plan, in tiles or not, has the slots of the first.
TEST(Slots, AreSharedByStepsThatAddThroughTheSameColumns) {
  Random random(11);
  const AddingLoop loop(random);
  const IndexRange all{0, loop.edges->rows()};
  const PhaseOfLoop none, first = random_phase(loop, all, random),
                          second = random_phase(loop, all, random);
  const ScheduledStep scheduled[] = {{&loop.step, none.schedule(), first.schedule()},
                                     {nullptr, none.schedule(), none.schedule()},
                                     {&loop.step, none.schedule(), second.schedule()}};
  SlotTables known;
  const PlanSlots slots = make_slots(loop.mesh, scheduled, known);
  ASSERT_EQ(slots.steps[0].uses.size(), slots.steps[2].uses.size());
  EXPECT_FALSE(slots.steps[0].uses.empty());
  EXPECT_TRUE(slots.steps[1].uses.empty());
  for (std::size_t k = 0; k < slots.steps[0].uses.size(); ++k)
    EXPECT_EQ(slots.steps[0].uses[k].table, slots.steps[2].uses[k].table);
  const std::vector<double> once = loop.expected(0);
  run_phase(loop, slots.steps[0], first, Phase::boundary);
  EXPECT_EQ(loop.values_of(0), once);
  const std::vector<double> twice = loop.expected(0);
  run_phase(loop, slots.steps[2], second, Phase::boundary);
  EXPECT_EQ(loop.values_of(0), twice);
}

/// Their steps run one after the other, and leave the slots empty.
TEST(Slots, AreSharedByPlansThatHaveTheSame) {
  Random random(11);
  const AddingLoop loop(random);
  const IndexRange all{0, loop.edges->rows()};
  const PhaseOfLoop none, some = random_phase(loop, all, random);
  const ScheduledStep scheduled[] = {{&loop.step, none.schedule(), some.schedule()}};
  SlotTables known;
  auto first = std::make_unique<PlanSlots>(make_slots(loop.mesh, scheduled, known));
  ASSERT_FALSE(first->tables.empty());
  EXPECT_EQ(first->shared_bytes, 0U);
  const PlanSlots second = make_slots(loop.mesh, scheduled, known);
  EXPECT_TRUE(second.tables == first->tables);
  EXPECT_GT(second.shared_bytes, 0U);
  EXPECT_LE(second.shared_bytes, second.bytes);
  first.reset();
  const std::vector<double> expected = loop.expected(0);
  run_phase(loop, second.steps[0], some, Phase::boundary);
  EXPECT_EQ(loop.values_of(0), expected);
  const PhaseOfLoop part = random_phase(loop, {0, all.end / 2}, random);
  const ScheduledStep shorter[] = {{&loop.step, none.schedule(), part.schedule()}};
  const PlanSlots other = make_slots(loop.mesh, shorter, known);
  EXPECT_EQ(other.shared_bytes, 0U);
}

}  // namespace
}  // namespace op2::sched
