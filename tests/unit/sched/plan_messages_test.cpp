// SPDX-License-Identifier: BSD-3-Clause
// What ranks tell each other when they make a plan.
#include <gtest/gtest.h>

#include <support/fake_communicator.hpp>
#include <support/model_on_ranks.hpp>

namespace op2::test {
namespace {

/// A ring: 12 edges join 12 cells. Dats: two on cells, one on edges.
ModelMesh small_mesh() {
  ModelMesh mesh{{12, 12}, {{1, 0, {}, false}}, {0, 0, 1}, {}, 2};
  for (int edge = 0; edge < 12; ++edge) mesh.maps[0].targets.push_back({edge, (edge + 1) % 12});
  mesh.owner.assign(2, {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  return mesh;
}

/// A flux with a sum, an update, and a loop that reads what both have done.
ModelChain small_chain() {
  return {
      {1, {{0, 0, 0, OP_READ}, {0, 0, 1, OP_READ}, {1, 0, 0, OP_INC}, {1, 0, 1, OP_INC}}, 1, true},
      {0, {{1, -1, 0, OP_READ}, {0, -1, 0, OP_RW}}, 2, false},
      {1, {{0, 0, 0, OP_READ}, {0, 0, 1, OP_READ}, {2, -1, 0, OP_INC}}, 3, false}};
}

/// Of a flush on rank 1.
struct Flush {
  core::Level valid;    ///< of the dat that is updated, before
  std::int64_t bytes;   ///< sent to reduce something
  std::int64_t others;  ///< calls of other collectives
};

std::vector<Flush> flushes_of(const ModelChain& chain, int count) {
  std::vector<std::int64_t> bytes, others;
  std::vector<Flush> flushes;
  const auto run = [&](comm::Communicator& ranks) {
    Random random(7);
    const ModelMesh mesh = small_mesh();
    core::Options options;
    options.jit = core::JitMode::off;
    options.chain = core::ChainMode::on;
    ModelOnRanks program(ranks, mesh, random_values(random, mesh), options, 1, random);
    program.distribute(mesh.owner);
    for (int k = 0; k < count; ++k) {
      if (ranks.is_root()) {
        program.run(chain);
        continue;
      }
      const Flush before{program.validity(0), bytes[1], others[1]};
      program.run(chain);
      flushes.push_back({before.valid, bytes[1] - before.bytes, others[1] - before.others});
    }
  };
  comm::run_fake_ranks(2, run, {.reduced_bytes = &bytes, .other_collectives = &others});
  return flushes;
}

TEST(MessagesOfPlans, OnlyTheFirstOfASequenceComparesTheCallsOfRanks) {
  ModelChain without_sum = small_chain();
  for (ModelLoop& loop : without_sum) loop.reduction = false;
  const std::vector<Flush> flushes = flushes_of(without_sum, 2);
  EXPECT_NE(flushes[0].valid, flushes[1].valid) << "one plan does for both";
  EXPECT_GT(flushes[0].bytes, 0);
  EXPECT_EQ(flushes[1].bytes, 0);
  EXPECT_GT(flushes[0].others, 0);  // also facts of kernels
  EXPECT_EQ(flushes[1].others, 0);
}

}  // namespace
}  // namespace op2::test
