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

/// Sums over the ranks, as op_get_chain_statistics counts them.
struct Counts {
  std::int64_t messages = 0, bytes = 0, rows = 0;
  double iterations = 0, redundant = 0;
};

/// A random mesh with given owners and some random chains, executed by the engine on ranks.
struct Executed {
  ModelMesh mesh;
  core::Options options;
  core::RunRecord record;
  std::vector<op_chain_statistics> statistics;

  Executed(unsigned seed, int ranks) : statistics(static_cast<std::size_t>(ranks)) {
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
      statistics[static_cast<std::size_t>(communicator.rank())] = real.statistics();
      if (!communicator.is_root()) return;
      mesh = mine;
      options = chosen;
      record = real.record();
    });
  }

  Counts counts() const {
    Counts sums;
    for (const op_chain_statistics& mine : statistics) {
      sums.messages += mine.messages;
      sums.bytes += mine.bytes;
      sums.rows += mine.packed_rows;
      sums.iterations += static_cast<double>(mine.interior_iterations + mine.boundary_iterations);
      sums.redundant += static_cast<double>(mine.redundant_iterations);
    }
    return sums;
  }

  /// In which each iteration of each loop takes a second.
  core::RunRecord with_costs() const {
    core::RunRecord made = record;
    made.costs.clear();
    for (const core::RecordedSequence& sequence : record.sequences)
      for (const core::RecordedLoop& loop : sequence)
        made.costs.push_back({{loop.name}, core::Way::alone, 1, 1, 1.0});
    return made;
  }
};

Counts counted(const core::RunRecord& record, const Cut& cut, const Schedule& schedule) {
  const Program program(record, cut.local_maps, cut.deepest);
  Counts sums;
  std::vector<core::Level> valid(record.dats.size(), 0);
  for (const core::RecordedEvents& block : record.events)
    for (std::int64_t k = 0; k < block.times; ++k)
      for (const int sequence : block.events) {
        const sched::Analysis plan =
            program.plan(static_cast<std::size_t>(sequence), schedule, cut.parts, valid);
        valid = plan.valid_after;
        for (const sched::Chain& chain : plan.chains)
          for (const sched::Message& message : messages_of(cut, record, chain.exchanged)) {
            ++sums.messages;
            sums.bytes += static_cast<std::int64_t>(message.bytes);
            sums.rows += static_cast<std::int64_t>(message.rows);
          }
      }
  const Machine machine;
  const Costs costs(std::span(&record, 1), machine, 1);
  Walk walk(program, cut, machine, costs, 1);
  for (const auto& [name, loop] : walk.run(std::vector(record.sequences.size(), schedule)).loops) {
    sums.iterations += cut.parts * loop.seconds;
    sums.redundant += cut.parts * loop.redundant;
  }
  return sums;
}

TEST(Walk, CountsWhatTheLibraryCounts) {
  int with_messages = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const int ranks = std::array{1, 2, 3, 4, 5, 8}[seed % 6];
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", ranks " << ranks);
    const Executed run(seed, ranks);
    const comm::BlockMesh mesh = test::block_mesh_of(run.mesh);
    const Cut cut = cut_of(mesh, {run.mesh.owner.begin(), run.mesh.owner.end()}, ranks);
    const Schedule schedule{
        run.options.chain == core::ChainMode::on ? Schedule::Kind::on : Schedule::Kind::off, {}};
    const Counts found = counted(run.with_costs(), cut, schedule), real = run.counts();
    EXPECT_EQ(found.messages, real.messages);
    EXPECT_EQ(found.bytes, real.bytes);
    EXPECT_EQ(found.rows, real.rows);
    EXPECT_NEAR(found.iterations, real.iterations, 1e-6 * real.iterations);
    EXPECT_NEAR(found.redundant, real.redundant, 1e-6 * real.iterations);
    with_messages += real.messages > 0 ? 1 : 0;
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
  EXPECT_THROW(walk.run(std::vector(run.record.sequences.size(), Schedule{Schedule::Kind::on, {}})),
               Failure);
}

}  // namespace
}  // namespace op2::model
