// SPDX-License-Identifier: BSD-3-Clause
// When OP2_CHAIN=auto decides, and from what, on two ranks whose loops take what a test says.
#include <sched/policy/chain_policy.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <comm/messages/message_layer.hpp>
#include <support/fake_communicator.hpp>
#include <support/small_mesh.hpp>
#include <support/stderr_capture.hpp>
#include <support/temporary_directory.hpp>

namespace op2::sched {
namespace {

constexpr int cells_of_rank = 12;  ///< so that halos are much of them
constexpr int pairs = 4;           ///< of loops in a sequence

/// @param cache  a folder with costs of earlier sessions; empty: there is none
core::Options chosen(const std::string& cache) {
  core::Options options;
  options.chain = core::ChainMode::automatic;
  options.cache = cache.empty() ? core::CacheMode::off : core::CacheMode::read_only;
  options.cache_dir = cache;
  return options;
}

/// Cells in a row with edges between them, and a few elements of a set `border`.
struct Row {
  Row(comm::Communicator& communicator, int border_of_rank) : rows(mesh, communicator) {
    const int first = cells_of_rank * communicator.rank();
    const int all = cells_of_rank * communicator.size();
    const int last = std::min(first + cells_of_rank, all - 1);
    cells = &mesh.add_set(rows.block_of(cells_of_rank, "cells"), "cells");
    edges = &mesh.add_set(rows.block_of(last - first, "edges"), "edges");
    border = &mesh.add_set(rows.block_of(border_of_rank, "border"), "border");
    std::vector<int> entries, place;
    for (int e = first; e < last; ++e) entries.insert(entries.end(), {e, e + 1});
    for (int b = 0; b < border_of_rank; ++b) place.push_back(first + b);
    ends = &mesh.add_map(edges, cells, 2, entries.data(), "ends");
    at = &mesh.add_map(border, cells, 1, place.data(), "at");
    q = &mesh.add_dat(cells, 1, Type::f64, nullptr, "q", false);
    res = &mesh.add_dat(cells, 1, Type::f64, nullptr, "res", false);
    rows.ensure_rows(2);
  }

  /// Collective. The owners are the same.
  void distribute_anew() {
    rows.return_to_declared();
    std::vector<comm::Owners> owners;
    for (const auto& set : mesh.sets())
      owners.emplace_back(static_cast<std::size_t>(set->declared), rows.communicator().rank());
    rows.distribute(rows.declared_mesh(), std::move(owners));
    rows.ensure_rows(2);
  }

  core::Mesh mesh;
  comm::DistributedMesh rows;
  core::Set *cells, *edges, *border;
  core::Map *ends, *at;
  core::Dat *q, *res;
};

/// Flushes one sequence again and again.
struct Program {
  Program(comm::Communicator& communicator, int border_of_rank, const std::string& cache = "")
      : options(chosen(cache)),
        log(communicator.is_root() ? core::LogLevel::info : core::LogLevel::off),
        row(communicator, border_of_rank),
        policy({options, row.rows, table, log, caches, 1}, {12, false}) {
    for (int k = 0; k < pairs; ++k) {
      test::queue_loop(queue, *row.edges, op_arg_dat(row.q, 0, row.ends, OP_READ),
                       op_arg_dat(row.res, 0, row.ends, OP_INC),
                       op_arg_dat(row.res, 1, row.ends, OP_INC));
      test::queue_loop(queue, *row.cells, op_arg_dat(row.res, OP_RW), op_arg_dat(row.q, OP_RW));
    }
    if (border_of_rank >= 0)
      test::queue_loop(queue, *row.border, op_arg_dat(row.q, 0, row.at, OP_READ),
                       op_arg_dat(row.res, 0, row.at, OP_INC));
  }

  /// @param seconds  of an iteration, by the schedule; negative: it is not measured
  /// @return the schedule
  std::size_t flush(const std::function<double(std::size_t schedule)>& seconds) {
    policy.begin(queue, hash_of(queue), valid, {});
    const std::size_t schedule = number_of(policy.schedule_for(queue));
    for (const core::LoopRecord& loop : queue.records())
      if (seconds(schedule) >= 0)
        policy.costs()
            .times_of(loop, queue.args_of(loop))
            .add(is_tiled(schedule) ? Way::tiled : Way::alone, loop.set->size,
                 loop.set->size * seconds(schedule));
    if (execution) times.execution = execution(schedule);
    policy.end(times);
    return schedule;
  }
  /// In the order in which they have run; off is 0.
  std::size_t number_of(const Schedule& schedule) {
    const auto known = std::ranges::find(schedules, schedule);
    const auto number = static_cast<std::size_t>(known - schedules.begin());
    if (known == schedules.end()) schedules.push_back(schedule);
    return number;
  }
  /// Another sequence, which writes q and leaves its halo valid up to a level.
  void write_q(core::Level level) {
    core::Queue other;
    test::queue_loop(other, *row.cells, op_arg_dat(row.q, OP_WRITE));
    policy.begin(other, hash_of(other), valid, {});
    policy.end({});
    valid[static_cast<std::size_t>(row.q->index)] = level;
  }
  bool is_decided() const {
    return std::ranges::any_of(table.notes, [](const auto& note) {
      return note.second.find("predicted ") != std::string::npos;
    });
  }
  bool is_tiled(std::size_t schedule) const { return schedule == 0 ? off_in_tiles : in_tiles; }

  std::vector<Schedule> schedules{{}};
  std::vector<core::Level> valid{0, 0};  ///< before each flush
  bool in_tiles = true;                  ///< other schedules than off
  bool off_in_tiles = false;             ///< off, now

  ChainPolicy::FlushTimes times{1e-4, 0, 0, false};
  std::function<double(std::size_t schedule)> execution;  ///< seconds of a flush, if set
  core::Options options;
  core::Caches caches;
  core::LoopTable table;
  core::Log log;
  Row row;
  core::Queue queue;
  ChainPolicy policy;
};

double cheap(std::size_t /*schedule*/) {
  return 1e-12;
}
double unmeasured(std::size_t /*schedule*/) {
  return -1;
}

void on_two_ranks(int border_of_rank, const std::function<void(Program&)>& run) {
  comm::run_fake_ranks(2, [&](comm::Communicator& ranks) {
    Program program(ranks, border_of_rank);
    run(program);
  });
}

TEST(ChainPolicy, DecidesWhenASequenceRunsTheThirdTime) {
  on_two_ranks(12, [](Program& program) {
    program.flush(cheap);
    program.flush(cheap);
    EXPECT_FALSE(program.is_decided());
    EXPECT_GT(program.flush(cheap), 0u);  // iterations cost nothing, messages do
    EXPECT_TRUE(program.is_decided());
  });
}

/// A few elements on every rank, as of a boundary, need not be as many as measure a cost exactly.
TEST(ChainPolicy, ALoopOfAFewIterationsDoesNotKeepASequenceFromChains) {
  for (const int border : {10, 1, 0})
    on_two_ranks(border, [](Program& program) {
      for (int k = 0; k < 3; ++k) program.flush(cheap);
      EXPECT_TRUE(program.is_decided());
    });
}

TEST(ChainPolicy, AsksAgainForCostsThatWereNotKnown) {
  on_two_ranks(12, [](Program& program) {
    for (int k = 0; k < 7; ++k) program.flush(unmeasured);
    program.flush(cheap);
    EXPECT_FALSE(program.is_decided());
    program.flush(cheap);
    EXPECT_TRUE(program.is_decided());
  });
}

TEST(ChainPolicy, IsOffAsLongAsNothingIsKnownOfCosts) {
  on_two_ranks(12, [](Program& program) {
    for (int k = 0; k < 40; ++k) EXPECT_EQ(program.flush(unmeasured), 0u);
    EXPECT_FALSE(program.is_decided());
  });
}

TEST(ChainPolicy, SaysOnceThatItIsOffBecauseNothingIsKnown) {
  test::StderrCapture log;
  on_two_ranks(12, [](Program& program) {
    for (int k = 0; k < 40; ++k) program.flush(unmeasured);
  });
  const std::string text = log.news();
  const std::string said = "9 loops run as with OP2_CHAIN=off, because no cost of loop 'loop'";
  EXPECT_NE(text.find(said), std::string::npos) << text;
  EXPECT_EQ(text.find(said, text.find(said) + 1), std::string::npos) << text;
}

TEST(ChainPolicy, SaysInTheTableThatItIsOffBecauseNothingIsKnown) {
  on_two_ranks(12, [](Program& program) {
    for (int k = 0; k < 40; ++k) program.flush(unmeasured);
    ASSERT_EQ(program.table.notes.size(), 1u);
    EXPECT_EQ(program.table.notes.begin()->second.find(
                  "as with OP2_CHAIN=off, because no cost of loop 'loop'"),
              0u);
  });
}

/// A second to compile code that is kept, beside a plan of a millisecond.
TEST(ChainPolicy, CodeThatWasMadeDoesNotDelayComparisons) {
  const auto dear = [](std::size_t) { return 1e-3; };  // so that redundant iterations do not pay
  on_two_ranks(12, [&](Program& program) {
    program.times = {1e-2, 1 + 1e-3, 1, true};
    std::size_t others = 0;
    for (int k = 0; k < 400; ++k) {
      others += program.flush(dear) > 0 ? 1 : 0;
      program.times = {1e-2, 0, 0, false};
    }
    EXPECT_GT(others, 0u);
  });
}

/// By its costs redundant iterations do not pay, but whole flushes with them take half the time.
TEST(ChainPolicy, SaysWhatComparisonsHaveCorrected) {
  on_two_ranks(12, [](Program& program) {
    program.execution = [](std::size_t schedule) { return schedule == 0 ? 1e-2 : 5e-3; };
    for (int k = 0; k < 400; ++k) program.flush([](std::size_t) { return 1e-3; });
    ASSERT_TRUE(program.is_decided());
    EXPECT_THAT(
        program.table.notes.begin()->second,
        testing::ContainsRegex("chained: saves [0-9]+ exchanges.*; predicted 1\\.[0-9]+ of off, "
                               "measured 0\\.50 \\(by comparison, since flush [0-9]+\\)$"));
  });
}

/// Loops take longer than they cost, in all schedules. When only one has been measured, this is due
/// to its exchanges, of which others have fewer.
TEST(ChainPolicy, LearnsFromASecondScheduleWhatIsNotDueToExchanges) {
  on_two_ranks(12, [](Program& program) {
    program.execution = [](std::size_t schedule) { return schedule == 0 ? 1.32e-3 : 1.3e-3; };
    for (int k = 0; k < 400; ++k) program.flush([](std::size_t) { return 1e-5; });
    ASSERT_TRUE(program.is_decided());
    EXPECT_THAT(program.table.notes.begin()->second,
                testing::ContainsRegex("predicted 0\\.9[6-9] of off, measured 0\\.98"));
  });
}

/// Where others leave deep halos, chains have nothing to exchange.
TEST(ChainPolicy, AsksTheModelAgainWhenOthersLeaveOtherHalos) {
  on_two_ranks(12, [](Program& program) {
    const auto explained = [&](core::Level level, int flushes) {
      for (int k = 0; k < flushes; ++k) {
        program.write_q(level);
        program.flush(cheap);
      }
      return program.table.notes.begin()->second;
    };
    const std::string shallow = explained(0, 20), deep = explained(12, 60);
    EXPECT_NE(shallow.substr(0, shallow.find(';')), deep.substr(0, deep.find(';')));
    EXPECT_EQ(explained(12, 200), deep);
  });
}

TEST(ChainPolicy, RunsAnyNumberOfSequences) {
  comm::run_fake_ranks(2, [&](comm::Communicator& ranks) {
    Program program(ranks, 12);
    for (int number = 0; number < 1200; ++number) {
      core::Queue other;
      for (int k = 0; k < 11; ++k)
        test::queue_loop(
            other, *program.row.cells,
            op_arg_dat((number >> k) % 2 == 0 ? program.row.q : program.row.res, OP_RW));
      EXPECT_EQ(program.policy.begin(other, hash_of(other), {0, 0}, {}).schedule, Schedule{});
      program.policy.end({});
    }
  });
}

TEST(ChainPolicy, RevisesItsChoiceOnceItHasRunInTiles) {
  const auto dear_in_tiles = [](std::size_t schedule) { return schedule == 0 ? 1e-12 : 1e-3; };
  on_two_ranks(12, [&](Program& program) {
    program.options.tile = {core::TileMode::fixed, 1};
    std::vector<std::size_t> schedules;
    for (int k = 0; k < 10; ++k) schedules.push_back(program.flush(dear_in_tiles));
    EXPECT_EQ(schedules[1], 0u);
    EXPECT_NE(schedules[2], 0u);
    EXPECT_EQ(schedules[6], schedules[2]);  // five executions
    EXPECT_NE(schedules[7], schedules[2]);  // off, or one in which fewer loops are tiled
    EXPECT_EQ(schedules[9], schedules[7]);
  });
}

/// Chains cost more iterations here, and should gain by tiles.
TEST(ChainPolicy, ForgetsTheTilesThatAScheduleHasNotHad) {
  on_two_ranks(12, [&](Program& program) {
    program.options.tile = {core::TileMode::fixed, 1};
    program.in_tiles = false;
    std::vector<std::size_t> schedules;
    for (int k = 0; k < 10; ++k)
      schedules.push_back(program.flush([](std::size_t) { return 1e-3; }));
    EXPECT_NE(schedules[2], 0u);
    EXPECT_EQ(schedules[8], 0u);
    EXPECT_EQ(schedules[9], 0u);
  });
}

/// Although those of long chains would spare more: without chains there are fewer iterations.
TEST(ChainPolicy, StaysWithTheTilesThatLoopsHaveWithoutChains) {
  on_two_ranks(12, [&](Program& program) {
    program.options.tile = {core::TileMode::fixed, 1};
    program.flush([](std::size_t) { return 1e-3; });  // alone, in cold caches
    program.off_in_tiles = true;
    program.flush([](std::size_t) { return 1e-4; });
    EXPECT_EQ(program.flush([](std::size_t) { return 1e-4; }), 0u);
  });
}

/// Loops take as long as the ranks have agreed on, as long as a rank has seen only their first
/// flush.
TEST(ChainPolicy, ColdTimesDoNotReplaceKeptCosts) {
  const test::TemporaryDirectory folder;
  comm::run_fake_ranks(2, [&](comm::Communicator& ranks) {
    CostTable kept;
    {
      const Program other(ranks, 12);
      for (const core::LoopRecord& loop : other.queue.records())
        kept.loops[identity_of(loop, other.queue.args_of(loop), {1, false})] = {{1e-5, 1e-7, -1}};
    }
    kept.networks[{2, ranks.on_node().count}].on_node = {1e-6, 1e-8, 0};
    EXPECT_EQ(ranks.is_root() ? write_costs(folder.path(), kept) : "", "");
    ranks.barrier();
    Program program(ranks, 12, folder.path());
    program.options.tile = {core::TileMode::fixed, 1};
    program.flush([](std::size_t) { return 1e-3; });  // in cold caches
    std::vector<std::size_t> schedules;
    for (int k = 0; k < 8; ++k)
      schedules.push_back(program.flush([](std::size_t) { return 2e-5; }));
    EXPECT_NE(schedules.front(), 0u);                // as tiles were kept to gain much
    EXPECT_NE(schedules.back(), schedules.front());  // off, or one in which fewer loops are tiled
  });
}

/// Those of shorter chains would spare less, although it is not known what they cost.
TEST(ChainPolicy, StaysWithLongChainsThatGainByTheirTiles) {
  on_two_ranks(12, [&](Program& program) {
    program.options.tile = {core::TileMode::fixed, 1};
    std::vector<std::size_t> schedules;
    for (int k = 0; k < 12; ++k)
      schedules.push_back(
          program.flush([](std::size_t schedule) { return schedule == 0 ? 1e-3 : 5e-5; }));
    EXPECT_THAT(std::span(schedules).subspan(2), testing::Each(testing::Ne(0u)));
  });
}

/// Sizes of halos travel once, and again when the mesh is distributed anew.
TEST(ChainPolicy, AgreesOnSizesOncePerDistribution) {
  constexpr auto block = static_cast<std::int64_t>(sizeof(comm::ReductionBlock));
  std::vector<std::int64_t> bytes;
  const auto run = [&](comm::Communicator& ranks) {
    Program program(ranks, 12);
    const auto decide = [&]() -> std::int64_t {
      const std::int64_t before = ranks.is_root() ? 0 : bytes[1];
      for (int k = 0; k < 3; ++k) program.flush(cheap);
      return ranks.is_root() ? 0 : bytes[1] - before;
    };
    const auto forget = [&] { program.policy.forget(); };
    decide();  // also measures messages
    forget();
    const std::int64_t known = decide();
    forget();
    program.row.distribute_anew();
    const std::int64_t anew = decide();
    if (ranks.is_root()) return;
    EXPECT_EQ(known, block);
    EXPECT_EQ(anew, 3 * block);
  };
  comm::run_fake_ranks(2, run, {.reduced_bytes = &bytes});
}

/// Page faults and cold caches are no cost of an iteration.
TEST(ChainPolicy, TheFirstFlushDoesNotCount) {
  on_two_ranks(12, [](Program& program) {
    program.flush([](std::size_t) { return 1e-3; });
    program.flush(cheap);
    for (const LoopCost& cost :
         program.policy.costs().costs_of(program.queue, CostHistory::Sessions::all))
      EXPECT_LT(cost.in(Way::alone), 1e-9);
  });
}

}  // namespace
}  // namespace op2::sched
