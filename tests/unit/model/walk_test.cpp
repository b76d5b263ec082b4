// SPDX-License-Identifier: BSD-3-Clause
// What the walk of op2-model counts is what ranks count that execute the same loops, and its clocks
// follow the formulas of docs/model.md.
#include <array>

#include <gmock/gmock.h>

#include <support/fake_communicator.hpp>
#include <support/model_on_ranks.hpp>
#include <unit/model/block_mesh_of.hpp>

#include "failure.hpp"
#include "walk.hpp"

namespace op2::model {
namespace {

using test::ModelMesh;

Cut cut_of(const comm::BlockMesh& mesh, const std::vector<comm::Owners>& owners, int ranks) {
  constexpr core::Level deep = 64;
  Cut cut;
  cut.parts = ranks;
  cut.level = deep;
  cut.sets = mesh.sets.size();
  cut.local_maps = sets_with_local_map(mesh, owners);
  cut.ranks = halo_sizes(mesh, owners, ranks, deep);
  cut.deepest = level_limit(mesh, owners, ranks);
  return cut;
}

RankCounts counts_of(const op_chain_statistics& s) {
  return {s.messages,
          s.bytes,
          s.packed_rows,
          s.interior_iterations,
          s.boundary_iterations,
          s.redundant_iterations};
}

/// A random mesh with given owners and some random chains, executed by the engine on ranks.
struct Executed {
  ModelMesh mesh;
  core::Options options;
  core::RunRecord record;
  std::vector<RankCounts> counts;

  Executed(unsigned seed, int ranks) : counts(static_cast<std::size_t>(ranks)) {
    comm::run_fake_ranks(ranks, [&](comm::Communicator& communicator) {
      test::Random random(seed);
      ModelMesh mine = test::random_mesh(random);
      mine.ranks = ranks;
      test::choose_owners(random, mine);
      core::Options chosen = test::options_for(random);
      chosen.exchange = core::Grouping::grouped;
      chosen.slice = false;
      const test::Values values = test::random_values(random, mine);
      test::ModelOnRanks real(communicator, mine, values, chosen, 1, random);
      real.distribute(mine.owner);
      for (int left = test::pick(random, 1, 4); left > 0; --left) {
        const test::ModelChain chain = test::random_chain(random, mine);
        for (int k = test::pick(random, 1, 3); k > 0; --k) real.run(chain);
      }
      counts[static_cast<std::size_t>(communicator.rank())] = counts_of(real.statistics());
      if (!communicator.is_root()) return;
      mesh = mine;
      options = chosen;
      record = real.record();
    });
  }

  std::vector<std::size_t> sequences() const {
    std::vector<std::size_t> all;
    for (const core::RecordedEvents& some : record.events)
      for (std::int64_t k = 0; k < some.times; ++k)
        all.insert(all.end(), some.events.begin(), some.events.end());
    return all;
  }
};

TEST(Walk, CountsWhatTheLibraryCounts) {
  int with_messages = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const int ranks = std::array{1, 2, 3, 4, 5, 8}[seed % 6];
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", ranks " << ranks);
    const Executed run(seed, ranks);
    const comm::BlockMesh mesh = test::block_mesh_of(run.mesh);
    const Cut cut = cut_of(mesh, {run.mesh.owner.begin(), run.mesh.owner.end()}, ranks);
    const Program program(run.record, cut.local_maps, cut.deepest);
    const Machine machine;
    const Costs costs(std::span(&run.record, 1), machine, 1);
    const Schedule schedule{
        run.options.chain == core::ChainMode::on ? Schedule::Kind::on : Schedule::Kind::off, {}};
    Walk walk(program, cut, machine, costs, 1);
    const std::vector<RankCounts> counts = walk.count(run.sequences(), schedule);
    for (int rank = 0; rank < ranks; ++rank) {
      const RankCounts &found = counts[static_cast<std::size_t>(rank)],
                       &real = run.counts[static_cast<std::size_t>(rank)];
      EXPECT_EQ(found.messages, real.messages);
      EXPECT_EQ(found.bytes, real.bytes);
      EXPECT_EQ(found.rows, real.rows);
      EXPECT_EQ(found.interior, real.interior);
      EXPECT_EQ(found.boundary, real.boundary);
      EXPECT_EQ(found.redundant, real.redundant);
      with_messages += real.messages > 0 ? 1 : 0;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(with_messages, 30);
}

/// A loop over ten cells.
core::RunRecord in_three_colours() {
  core::RunRecord record;
  record.sets = {{"cells", 10}};
  record.dats = {{"x", 0, 8}};
  core::RecordedLoop loop{"double", 0, 0, {{.dat = 0, .access = OP_RW}}};
  core::RecordedSequence& sequence = record.sequences.emplace_back();
  for (loop.colour = 0; loop.colour < 3; ++loop.colour) sequence.push_back(loop);
  record.events = {{{0}, 1}};
  return record;
}

TEST(Walk, CountsTheIterationsOfALoopInColoursOnce) {
  const core::RunRecord record = in_three_colours();
  const comm::BlockMesh mesh{{{{0, 10}}}, {}};
  const Cut cut = cut_of(mesh, {comm::Owners{0, 0, 0, 0, 0, 0, 0, 1, 1, 1}}, 2);
  const Program program(record, cut.local_maps);
  const Machine machine;
  const Costs costs(std::span(&record, 1), machine, 1);
  const auto counts = Walk(program, cut, machine, costs, 1).count({0}, {Schedule::Kind::on, {}});
  EXPECT_EQ(counts[0].interior + counts[0].boundary, 7);
  EXPECT_EQ(counts[1].interior + counts[1].boundary, 3);
}

/// Each of ten cells takes a second, in all colours together.
TEST(Walk, DividesTheTimeOfALoopAmongItsColours) {
  core::RunRecord record = in_three_colours();
  record.costs = {{{"double"}, core::Way::alone, 1, 10, 10.0}};
  const comm::BlockMesh mesh{{{{0, 10}}}, {}};
  const Cut cut = cut_of(mesh, {comm::Owners(10, 0)}, 1);
  const Program program(record, cut.local_maps);
  const Machine machine;
  const Costs costs(std::span(&record, 1), machine, 1);
  EXPECT_NEAR(Walk(program, cut, machine, costs, 1).run({{Schedule::Kind::off, {}}}).seconds, 10,
              1e-9);
}

TEST(Walk, RefusesACutWithTooFewLayers) {
  const Executed run(3, 2);
  Cut cut =
      cut_of(test::block_mesh_of(run.mesh), {run.mesh.owner.begin(), run.mesh.owner.end()}, 2);
  cut.level = 0;
  const Program program(run.record, cut.local_maps);
  const Machine machine;
  const Costs costs(std::span(&run.record, 1), machine, 1);
  Walk walk(program, cut, machine, costs, 1);
  EXPECT_THROW(walk.count(run.sequences(), {Schedule::Kind::on, {}}), Failure);
}

Machine machine_with(Link on_node, Link across = {}, int ranks_per_node = 0) {
  Machine machine;
  machine.on_node = on_node;
  machine.across = across;
  machine.ranks_per_node = ranks_per_node;
  return machine;
}

PhaseTimes phases(std::vector<double> interior, std::vector<double> boundary) {
  return {std::move(interior), std::move(boundary)};
}

constexpr double exact = 1e-12;

TEST(Clocks, WaitForMessagesOnlyAsLongAsTheInteriorTakesLess) {
  const Machine machine = machine_with({10, 1, 0.5});
  const std::vector<PairMessage> message{{0, 1, 8, 1}};
  // Rank 0 sends for 1 s; the line is busy for 4 s, and the message there at 15 s.
  Clocks hidden(2, machine);
  hidden.run(message, phases({0, 20}, {2, 2}));
  EXPECT_NEAR(hidden.slowest(), 20 + 1 + 2, exact);
  EXPECT_NEAR(hidden.overheads().waits, 0, exact);
  Clocks waiting(2, machine);
  waiting.run(message, phases({0, 3}, {2, 2}));
  EXPECT_NEAR(waiting.slowest(), 15 + 1 + 2, exact);
  EXPECT_NEAR(waiting.overheads().waits, 12, exact);
  EXPECT_NEAR(waiting.overheads().messages, 2, exact);
}

TEST(Clocks, PackBeforeTheySendAndUnpackAfterwards) {
  Machine machine = machine_with({10, 1, 0});
  machine.pack_row = 3;
  machine.pack_byte = 0.25;
  machine.unpack_byte = 0.5;
  Clocks clocks(2, machine);
  clocks.run(std::vector<PairMessage>{{0, 1, 8, 2}}, phases({0, 0}, {0, 0}));
  EXPECT_NEAR(clocks.slowest(), (2 * 3 + 8 * 0.25) + 1 + 10 + 1 + 8 * 0.5, exact);
}

/// Up to 100 bytes a copy is cheap; the message of 300 bytes is between two sizes, that of 1000
/// beyond the last.
TEST(Clocks, LetProcessorsCopyMessagesWhoseCostDependsOnTheirSize) {
  Link link{1, 1, 1, {{100, 10, 1}, {200, 20, 2}, {400, 40, 4}}};
  for (const auto& [bytes, factor] : {std::pair(50, 1.0), {300, 3.0}, {1000, 10.0}}) {
    Clocks clocks(2, machine_with(link));
    clocks.run(std::vector<PairMessage>{{0, 1, bytes, 1}}, phases({0, 0}, {0, 0}));
    EXPECT_NEAR(clocks.slowest(), factor * (1 + 10 + 1), exact);
  }
  Clocks two(3, machine_with(link));  // of which none waits for a line
  two.run(std::vector<PairMessage>{{0, 1, 400, 1}, {0, 2, 400, 1}}, phases({0, 0, 0}, {0, 0, 0}));
  EXPECT_NEAR(two.slowest(), 2 * 4 + 40 + 4, exact);
}

/// Each tenth of the work since a rank waited last, beside iterations too.
TEST(Clocks, OfDisturbedRanksWaitLongerAfterMoreWork) {
  Machine machine = machine_with({10, 0, 0});
  machine.disturbance = 0.1;
  Clocks clocks(2, machine);
  clocks.run({}, phases({1, 1}, {2, 2}));
  clocks.work(4);
  EXPECT_NEAR(clocks.slowest(), 7, exact);  // nobody has waited
  const std::vector<PairMessage> message{{0, 1, 8, 1}};
  clocks.run(message, phases({3, 3}, {2, 2}));  // rank 1 waits
  EXPECT_NEAR(clocks.slowest(), 7 + 10 + 0.1 * 10 + 2, exact);
  EXPECT_NEAR(clocks.overheads().waits, 7 + 0.1 * 10, exact);
  clocks.run(message, phases({20, 20}, {0, 0}));  // for no message, but as long
  EXPECT_NEAR(clocks.slowest(), 20 + 20 + 0.1 * 22, exact);
  clocks.reduce(8);  // rank 0, which has worked since the begin
  EXPECT_NEAR(clocks.slowest(), 42.2 + 10, exact);
  Clocks alone(1, machine);
  alone.run({}, phases({1}, {2}));
  alone.reduce(8);
  EXPECT_NEAR(alone.slowest(), 3, exact);
}

TEST(Clocks, ReduceInMeasuredRounds) {
  Machine machine = machine_with({1, 0, 0}, {10, 0, 0}, 4);
  machine.reduction = 3;
  Clocks clocks(8, machine);
  clocks.reduce(8);
  EXPECT_NEAR(clocks.slowest(), 2 * 3 + 1 * 10, exact);
}

TEST(Clocks, LetEveryRankWorkBesideItsIterations) {
  Clocks clocks(2, machine_with({0, 0, 0}));
  clocks.run({}, phases({0, 0}, {1, 2}));
  clocks.work(5, 3);
  EXPECT_NEAR(clocks.slowest(), 7, exact);
  EXPECT_NEAR(clocks.overheads().host, 3 * 5 * 2, exact);
}

TEST(Clocks, LetMessagesToOneRankQueueOnTheLineOfTheirSender) {
  Clocks clocks(3, machine_with({0, 0, 1}));
  clocks.run(std::vector<PairMessage>{{0, 1, 5, 1}, {0, 2, 5, 1}}, phases({0, 0, 0}, {0, 0, 0}));
  EXPECT_NEAR(clocks.slowest(), 10, exact);
  Clocks apart(3, machine_with({0, 0, 1}));
  apart.run(std::vector<PairMessage>{{0, 2, 5, 1}, {1, 2, 5, 1}}, phases({0, 0, 0}, {0, 0, 0}));
  EXPECT_NEAR(apart.slowest(), 5, exact);
}

TEST(Clocks, LetTheRanksOfANodeShareItsAdapter) {
  const std::vector<PairMessage> both{{0, 2, 5, 1}, {1, 3, 5, 1}};
  Clocks one_adapter(4, machine_with({0, 0, 0}, {2, 0, 1}, 2));
  one_adapter.run(both, phases({0, 0, 0, 0}, {0, 0, 0, 0}));
  EXPECT_NEAR(one_adapter.slowest(), 10 + 2, exact);
  Clocks two_adapters(4, machine_with({0, 0, 0}, {2, 0, 1}, 1));
  two_adapters.run(both, phases({0, 0, 0, 0}, {0, 0, 0, 0}));
  EXPECT_NEAR(two_adapters.slowest(), 5 + 2, exact);
}

TEST(Clocks, ReduceNodeByNode) {
  Clocks clocks(8, machine_with({1, 0, 0}, {10, 0, 0}, 4));
  clocks.run({}, phases({0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 7}));
  clocks.reduce(8);
  EXPECT_NEAR(clocks.slowest(), 7 + 2 * 1 + 1 * 10, exact);
  EXPECT_NEAR(clocks.overheads().reductions, 7 * 19 + 12, exact);
}

TEST(Clocks, SendSeveralMessagesIfTheyAreNotGrouped) {
  Machine machine = machine_with({10, 1, 0});
  machine.messages_per_neighbour = 4;
  Clocks clocks(2, machine);
  clocks.run(std::vector<PairMessage>{{0, 1, 8, 1}}, phases({0, 0}, {0, 0}));
  EXPECT_NEAR(clocks.slowest(), 4 + 10 + 4, exact);
}

}  // namespace
}  // namespace op2::model
