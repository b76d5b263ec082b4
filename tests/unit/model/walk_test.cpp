// SPDX-License-Identifier: BSD-3-Clause
// What the walk of op2-model counts is what ranks count that execute the same loops.
#include <array>

#include <gmock/gmock.h>

#include <support/fake_communicator.hpp>
#include <support/model_on_ranks.hpp>
#include <unit/model/block_mesh_of.hpp>

#include "files.hpp"
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
      chosen.slice = core::SliceMode::off;
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
    for (const core::RecordedEvents& block : record.events)
      for (std::int64_t k = 0; k < block.times; ++k)
        all.insert(all.end(), block.events.begin(), block.events.end());
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

}  // namespace
}  // namespace op2::model
