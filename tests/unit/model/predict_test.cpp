// SPDX-License-Identifier: BSD-3-Clause
// `op2-model predict`: costs, the machine file, and the figures of a small program.
#include <cmath>
#include <map>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include <comm/partition/partition.hpp>
#include <support/block_meshes.hpp>
#include <support/temporary_directory.hpp>
#include <unit/model/failure_of.hpp>

#include "commands.hpp"
#include "costs.hpp"
#include "cut.hpp"
#include "machine.hpp"

namespace op2::model {
namespace {

using core::Way;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double exact = 1e-12;

/// A line of cells: edge k joins the cells k and k + 1.
comm::BlockMesh line_of(std::int64_t cells) {
  comm::BlockMesh mesh{{{{0, cells}}, {{0, cells - 1}}}, {{1, 0, 2, {}}}};
  for (std::int64_t k = 0; k + 1 < cells; ++k)
    mesh.maps[0].targets.insert(mesh.maps[0].targets.end(), {k, k + 1});
  return mesh;
}

/// The step x -> flux -> x, ten times.
core::RunRecord record_of_steps(std::int64_t cells, int steps_in_flush) {
  core::RunRecord record;
  record.program = "line";
  record.sets = {{"cells", cells}, {"edges", cells - 1}};
  record.maps = {{"ends", 1, 0, 2}};
  record.dats = {{"x", 0, 8}, {"flux", 0, 8}};
  const core::RecordedLoop flow{"flow",
                                1,
                                0,
                                {{.dat = 0, .map = 0, .column = 0, .access = OP_READ},
                                 {.dat = 0, .map = 0, .column = 1, .access = OP_READ},
                                 {.dat = 1, .map = 0, .column = 0, .access = OP_INC},
                                 {.dat = 1, .map = 0, .column = 1, .access = OP_INC}}};
  const core::RecordedLoop update{
      "update", 0, 0, {{.dat = 0, .access = OP_RW}, {.dat = 1, .access = OP_RW}}};
  core::RecordedSequence& sequence = record.sequences.emplace_back();
  for (int k = 0; k < steps_in_flush; ++k) {
    sequence.push_back(flow);
    sequence.push_back(update);
  }
  record.events = {{{0}, 10}};
  record.costs = {{{"flow"}, Way::alone, 10, 1000, 3e-3}, {{"update"}, Way::alone, 10, 1000, 1e-3}};
  record.maps_hash = "0";
  return record;
}

Cut cut_of(const comm::BlockMesh& mesh, int parts) {
  const auto alone = comm::make_self_communicator();
  comm::Owners blocks;
  for (std::int64_t k = 0; k < mesh.sets[0].size(); ++k)
    blocks.push_back(static_cast<std::int32_t>(k * parts / mesh.sets[0].size()));
  Cut cut;
  cut.program = "line";
  cut.maps_hash = "0";
  cut.parts = parts;
  cut.level = 12;
  cut.sets = 2;
  const auto owners = comm::inherit_owners(*alone, mesh, 0, blocks);
  cut.local_maps = sets_with_local_map(mesh, owners);
  cut.ranks = halo_sizes(mesh, owners, parts, 12);
  return cut;
}

Machine machine_with(double latency) {
  Machine machine;
  machine.origin = "a test";
  machine.network.on_node = {latency, 0, 1e-12};
  return machine;
}

class PredictCommand : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  /// The rows of the table of values: seconds by "chain,kind,name".
  std::map<std::string, double> predicted(const core::RunRecord& record, const Cut& cut,
                                          const Machine& machine, PredictOptions options = {}) {
    write_file(path("run.json"), core::as_json(record));
    write_file(path("cut.json"), as_json(cut));
    write_file(path("machine.json"), as_json(machine));
    options.run = path("run.json");
    options.files = {path("cut.json"), path("machine.json")};
    options.csv = path("out.csv");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_EQ(predict(options), 0);
    output_ = testing::internal::GetCapturedStdout();
    warnings_ = testing::internal::GetCapturedStderr();
    std::map<std::string, double> rows;
    std::istringstream lines(text_of_file(options.csv));
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> fields;
      std::istringstream words(line);
      for (std::string word; std::getline(words, word, ',');) fields.push_back(word);
      if (fields.front() != "ranks")
        rows[fields[1] + "," + fields[2] + "," + fields[3]] = std::stod(fields[5]);
    }
    return rows;
  }

  test::TemporaryDirectory folder_;
  std::string output_, warnings_;
};

TEST_F(PredictCommand, OfOneRankIsTheSumOfItsLoops) {
  const auto rows = predicted(record_of_steps(1000, 3), cut_of(line_of(1000), 1), machine_with(0));
  const double seconds = 10 * 3 * (999 * 3e-6 + 1000 * 1e-6);
  EXPECT_NEAR(rows.at("off,total,\"run\""), seconds, exact);
  EXPECT_NEAR(rows.at("on,total,\"run\""), seconds, exact);
  EXPECT_NEAR(rows.at("off,loop,\"flow\""), 10 * 3 * 999 * 3e-6, exact);
  EXPECT_NEAR(rows.at("off,overhead,\"waits\""), 0, exact);
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_THAT(output_, HasSubstr("program 'line', machine: a test"));
}

/// On parts of two cells between others, only one step has iterations while messages are in flight.
TEST_F(PredictCommand, APhaseOfOneStepHasNoTiles) {
  const Cut cut = cut_of(line_of(8), 4);
  core::RunRecord record = record_of_steps(8, 1);
  record.all_in_tiles = true;
  record.costs.push_back({{"flow"}, Way::tiled, 10, 1000, 1e-3});
  double expected = 0;
  for (int rank = 0; rank < 4; ++rank) {
    const RankHalo& halo = cut.ranks[static_cast<std::size_t>(rank)];
    const bool is_at_end = rank == 0 || rank == 3;
    ASSERT_EQ(halo.rows(0, -2) > 0, is_at_end) << "interior of update";
    ASSERT_EQ(halo.rows(1, -1), 1) << "interior of flow";
    expected += 10 * ((is_at_end ? 1e-6 : 3e-6) + 1e-6 * (halo.rows(1, 1) - 1)) / 4;
  }
  EXPECT_NEAR(predicted(record, cut, machine_with(0)).at("off,loop,\"flow\""), expected, exact);
}

/// The library runs each colour as a call of its set, between which nothing is tiled.
TEST_F(PredictCommand, LoopsInColoursSeparateTiles) {
  core::RunRecord record = record_of_steps(1000, 2);
  record.all_in_tiles = true;
  record.costs.push_back({{"flow"}, Way::tiled, 10, 1000, 1e-3});
  const Cut cut = cut_of(line_of(1000), 1);
  const auto flow = [&] { return predicted(record, cut, machine_with(0)).at("off,loop,\"flow\""); };
  EXPECT_NEAR(flow(), 10 * 2 * 999 * 1e-6, exact);
  core::RecordedSequence& loops = record.sequences[0];  // flow, update, flow, update
  for (const std::size_t update : {3, 1}) {
    loops.insert(loops.begin() + static_cast<std::ptrdiff_t>(update) + 1, loops[update]);
    loops[update + 1].colour = 1;
  }
  EXPECT_NEAR(flow(), 10 * 2 * 999 * 3e-6, exact);
}

/// A step moves 64 bytes of a cell and an edge, of which tiles of n steps move 40 once: they save
/// 1 - 40 / (64 n). Recorded were six steps, as a chain of one rank.
TEST_F(PredictCommand, TilesGainLessInShorterChains) {
  core::RunRecord record = record_of_steps(1'000'000, 6);
  record.depth_max = 2;  // so two steps are a chain
  const Cut cut = cut_of(line_of(1'000'000), 2);
  const auto alone = predicted(record, cut, machine_with(0));
  record.costs.push_back({{"flow"}, Way::tiled, 10, 1000, 1e-3});
  const auto tiled = predicted(record, cut, machine_with(0));
  const auto saved = [](double steps) { return 1 - 40 / (64 * steps); };
  for (const auto& [way, steps] : {std::pair("off", 1), std::pair("on", 2)}) {
    const std::string flow = std::string(way) + ",loop,\"flow\"";
    const double expected = 3 - saved(steps) / saved(6) * (3 - 1);
    EXPECT_NEAR(tiled.at(flow) / alone.at(flow), expected / 3, 1e-5) << way;
  }
  const auto one = predicted(record, cut_of(line_of(1'000'000), 1), machine_with(0));
  EXPECT_NEAR(one.at("on,loop,\"flow\"") / alone.at("off,loop,\"flow\""), 2 * 1.0 / 3, 1e-5);
}

/// On two ranks a part has 500 cells and 499 or 500 edges, of which one needs the other part.
TEST_F(PredictCommand, WaitsOncePerStepWithoutChainsAndOncePerFlushWithThem) {
  constexpr double latency = 1;  // far above the interior
  const auto rows =
      predicted(record_of_steps(1000, 3), cut_of(line_of(1000), 2), machine_with(latency));
  EXPECT_NEAR(rows.at("off,total,\"run\""), 10 * 3 * latency, 0.1);
  EXPECT_NEAR(rows.at("on,total,\"run\""), 10 * latency, 0.1);
  EXPECT_NEAR(rows.at("auto,total,\"run\""), rows.at("on,total,\"run\""), exact);
  EXPECT_GT(rows.at("on,loop,\"flow\""), rows.at("off,loop,\"flow\""));  // redundant iterations
}

TEST_F(PredictCommand, ChoosesNoChainsIfTheyOnlyCost) {
  const auto rows = predicted(record_of_steps(60, 3), cut_of(line_of(60), 4), machine_with(0));
  EXPECT_LT(rows.at("off,total,\"run\""), rows.at("on,total,\"run\""));
  EXPECT_NEAR(rows.at("auto,total,\"run\""), rows.at("off,total,\"run\""), exact);
}

TEST_F(PredictCommand, ScalesAllCosts) {
  PredictOptions twice;
  twice.scale = 2;
  const core::RunRecord record = record_of_steps(1000, 3);
  const Cut cut = cut_of(line_of(1000), 1);
  const double once = predicted(record, cut, machine_with(0)).at("off,total,\"run\"");
  EXPECT_NEAR(predicted(record, cut, machine_with(0), twice).at("off,total,\"run\""), 2 * once,
              exact);
}

TEST_F(PredictCommand, NamesLoopsWithoutTimes) {
  core::RunRecord record = record_of_steps(100, 1);
  record.costs.pop_back();
  predicted(record, cut_of(line_of(100), 2), machine_with(0));
  EXPECT_THAT(warnings_, HasSubstr("no time was recorded of update"));
}

TEST_F(PredictCommand, DividesTheTimeOfFusedLoopsAndSaysSo) {
  core::RunRecord record = record_of_steps(100, 1);
  record.costs = {{{"flow", "update"}, Way::alone, 10, 1000, 4e-3}};
  const auto rows = predicted(record, cut_of(line_of(100), 1), machine_with(0));
  EXPECT_THAT(warnings_, HasSubstr("divided by the bytes that they move: flow, update"));
  EXPECT_NEAR(rows.at("off,total,\"run\""), 10 * 100 * 4e-6, 10 * 4e-6);
}

TEST_F(PredictCommand, RefusesTheCutOfAnotherMesh) {
  Cut cut = cut_of(line_of(100), 2);
  cut.maps_hash = "1";
  EXPECT_THAT(failure_of([&] { predicted(record_of_steps(100, 1), cut, machine_with(0)); }),
              HasSubstr("the cut is that of another mesh"));
  testing::internal::GetCapturedStdout();
  testing::internal::GetCapturedStderr();
}

TEST_F(PredictCommand, SaysWhatTakesMostOfTheTime) {
  const core::RunRecord record = record_of_steps(1000, 3);
  const Cut cut = cut_of(line_of(1000), 2);
  predicted(record, cut, machine_with(0));
  EXPECT_THAT(output_, HasSubstr("  auto: most of it is computation, 100 %\n"));
  predicted(record, cut, machine_with(0.5));
  EXPECT_THAT(output_, HasSubstr("  auto: most of it is latency of messages and reductions, "));
  Machine narrow = machine_with(0);
  narrow.network.on_node.seconds_per_byte = 5e-7;
  PredictOptions fast_loops;
  fast_loops.scale = 1e-6;
  predicted(record, cut, narrow, fast_loops);
  EXPECT_THAT(output_, HasSubstr("  auto: most of it is bandwidth and packing, "));
  Machine disturbed = machine_with(0);
  disturbed.network.disturbance = 9;
  predicted(record, cut, disturbed);
  EXPECT_THAT(output_, HasSubstr("  auto: most of it is waiting for disturbed ranks, "));
}

TEST_F(PredictCommand, SaysThatRanksHaveUnequalWork) {
  Cut cut = cut_of(line_of(1000), 2);
  cut.ranks[0] = cut_of(line_of(100), 2).ranks[0];
  predicted(record_of_steps(1000, 3), cut, machine_with(0));
  EXPECT_THAT(output_, HasSubstr("waiting for ranks with more work "));
}

TEST(MachineFile, ADisturbedMeasurementIsSaid) {
  Machine machine;
  machine.network.disturbance = 0.2;
  EXPECT_THAT(warning_of(machine), IsEmpty());
  machine.network.disturbance = 0.31;
  EXPECT_THAT(warning_of(machine),
              HasSubstr("longer by 31 % of the work before them, more than 25 %"));
}

TEST_F(PredictCommand, RefusesASecondCutIntoAsManyParts) {
  write_file(path("run.json"), core::as_json(record_of_steps(8, 1)));
  write_file(path("cut.json"), as_json(cut_of(line_of(8), 2)));
  write_file(path("machine.json"), as_json(machine_with(0)));
  PredictOptions options;
  options.run = path("run.json");
  options.files = {path("cut.json"), path("cut.json"), path("machine.json")};
  EXPECT_THAT(failure_of([&] { predict(options); }),
              HasSubstr("cut.json' is a second cut into 2 parts"));
}

TEST_F(PredictCommand, RefusesAMachineWithMissingOrAbsurdValues) {
  const std::string good = as_json(machine_with(1e-6));
  const auto refusal = [&](const std::string& old, const std::string& now) {
    std::string text = good;
    const std::size_t at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    write_file(path("machine.json"), text.replace(at, old.size(), now));
    return failure_of([&] { read_machine(path("machine.json")); });
  };
  EXPECT_THAT(refusal("form", "form"), IsEmpty());
  EXPECT_THAT(refusal("\"latency_us\": 1.0,", ""), HasSubstr("on_node: 'latency_us' is missing"));
  EXPECT_THAT(
      refusal("\"latency_us\"", "\"latency_ms\""),
      HasSubstr("on_node: 'latency_ms' is not known here; there are latency_us, overhead_us"));
  EXPECT_THAT(refusal("\"disturbance\": 0.0", "\"disturbance\": -1"),
              HasSubstr("'disturbance' is -1, which is not in 0 .. 100"));
  EXPECT_THAT(refusal("\"form\"", "\"caches\": [7], \"form\""),
              HasSubstr("caches: 7 is not an object with bytes, GBs"));
  EXPECT_THAT(refusal("\"version\"", "\"ranks\": 4, \"version\""),
              HasSubstr("'ranks' is not known here"));
  EXPECT_THAT(refusal("\"overhead_us\": 0.0", "\"overhead_us\": -1"),
              HasSubstr("'overhead_us' is -1, which is not in 0 .. 1000000"));
  EXPECT_THAT(refusal("\"bandwidth_GBs\": 1000", "\"bandwidth_GBs\": 0"),
              HasSubstr("bandwidth_GBs"));
  EXPECT_THAT(refusal("\"pack_ns_per_row\": 0.0", "\"pack_ns_per_row\": \"fast\""),
              HasSubstr("'pack_ns_per_row' is \"fast\""));
  EXPECT_THAT(refusal("\"ranks_per_node\": 0", "\"ranks_per_node\": 16"),
              HasSubstr("'across' is missing"));
  EXPECT_THAT(refusal("\"messages_per_neighbour\": 1", "\"messages_per_neighbour\": 0.5"),
              HasSubstr("messages_per_neighbour"));
  EXPECT_THAT(refusal("\"version\": 1", "\"version\": 2"), HasSubstr("version 1"));
  EXPECT_THAT(refusal("libop2 machine", "shopping list"), HasSubstr("'op2-model machine'"));
  EXPECT_THAT(refusal("\"disturbance\": 0.0", "\"disturbance\": NaN"),
              HasSubstr("damaged after 'disturbance'"));
  EXPECT_THAT(refusal("\"latency_us\": 1.0", "\"latency_us\": -Infinity"),
              HasSubstr("damaged after 'latency_us'"));
  EXPECT_THAT(refusal("\"disturbance\": 0.0", "\"disturbance\": null"),
              HasSubstr("'disturbance' is null"));
  write_file(path("machine.json"), good.substr(0, 40));
  EXPECT_THAT(failure_of([&] { read_machine(path("machine.json")); }), HasSubstr("damaged"));
}

TEST(MachineFile, KeepsAllOfAMachine) {
  const test::TemporaryDirectory folder;
  Machine machine;
  machine.origin = "a test";
  machine.network = {{1e-6, 2e-7, 1e-10}, {2e-6, 3e-7, 5e-10}, 24, 4, 1e-9, 2e-11, 3e-11};
  machine.memory = {2e10, 1.5e10};
  machine.network.on_node.sizes = {{64, 1e-6, 2e-7}, {4096, 3e-6, 1e-6}};
  machine.network.reduction = 2e-6;
  machine.network.disturbance = 0.05;
  machine.caches = {{1e5, 1e11}, {1e7, 2e10}};
  write_file((folder.path() / "machine.json").string(), as_json(machine));
  const Machine read = read_machine((folder.path() / "machine.json").string());
  EXPECT_EQ(as_json(read), as_json(machine));
  EXPECT_NEAR(read.network.across.latency, 2e-6, 1e-18);
  EXPECT_NEAR(read.slowdown(1, 2), 2 / 1.5, exact);
}

core::RunRecord with_costs(std::vector<core::RecordedCost> costs) {
  core::RunRecord record = record_of_steps(100, 1);
  record.costs = std::move(costs);
  return record;
}

TEST(Costs, AreInterpolatedInTheLogarithmOfTheSize) {
  CostCurve curve;
  curve.add(100, 4);
  curve.add(10'000, 9);
  const Machine machine;
  EXPECT_NEAR(curve.at(1, machine), 4, exact);
  EXPECT_NEAR(curve.at(1000, machine), 6.5, exact);
  EXPECT_NEAR(curve.at(1e6, machine), 9, exact);
}

TEST(Costs, OfSeveralRecordsOfOneSizeAreTheirMean) {
  CostCurve curve;
  for (const double seconds : {9, 30, 6}) curve.add(100, seconds);
  EXPECT_NEAR(curve.at(100, Machine()), 15, exact);
}

/// A byte takes 2, 2, 3.6, 4 and 5 units of 1e-10 s: in a cache up to 1000 bytes, then longer and
/// longer.
Machine with_caches() {
  Machine machine;
  machine.caches = {
      {100, 1e10 / 2}, {1000, 1e10 / 2}, {1e4, 1e10 / 3.6}, {1e5, 1e10 / 4}, {1e6, 1e10 / 5}};
  return machine;
}

CostCurve curve_of(double small, double large) {
  CostCurve curve;
  curve.add(100, small);
  curve.add(100'000, large);
  return curve;
}

TEST(Costs, OfLoopsThatGrowMoreThanTheTimeOfAByteAreLinearInIt) {
  const CostCurve curve = curve_of(4, 9);
  EXPECT_NEAR(curve.at(1000, with_caches()), 4, exact);
  EXPECT_NEAR(curve.at(1e4, with_caches()), 4 + 0.8 * 5, exact);
  EXPECT_NEAR(curve.at(std::sqrt(1000.0 * 1e4), with_caches()), 4 + 0.4 * 5, exact);
  EXPECT_NEAR(curve.at(1e5, with_caches()), 9, exact);
  EXPECT_NEAR(curve.at(1e7, with_caches()), 9, exact);
}

TEST(Costs, AreTheWorkOrTheBytesWhicheverIsMore) {
  const CostCurve curve = curve_of(6, 9);
  EXPECT_NEAR(curve.at(2000, with_caches()), 6, exact);
  EXPECT_NEAR(curve.at(std::sqrt(1000.0 * 1e4), with_caches()), 9 * 2.8 / 4, exact);
  EXPECT_NEAR(curve.at(1e4, with_caches()), 9 * 3.6 / 4, exact);
  EXPECT_NEAR(curve.at(1e7, with_caches()), 9, exact);
}

/// Between them the time of a byte can be less than at the smaller size, or more than at the
/// larger.
TEST(Costs, AreThoseOfTheRecordedSizesAtMostAndAtLeast) {
  Machine machine = with_caches();
  machine.caches[1].rate = 1e10;
  machine.caches[2].rate = 1e10 / 6;
  for (const double small : {4, 6, 12}) {
    EXPECT_NEAR(curve_of(small, 9).at(1000, machine), small, exact);
    EXPECT_NEAR(curve_of(small, 9).at(1e4, machine), 9, exact);
  }
}

/// Just as much as the time of a byte: both rules say the same.
TEST(Costs, GrowWithoutAJumpBetweenBothRules) {
  for (const double small : {4.4999999, 4.5, 4.5000001})
    EXPECT_NEAR(curve_of(small, 9).at(1e4, with_caches()), 9 * 3.6 / 4, 1e-6);
}

/// As a loop may that waits for something else in small parts.
TEST(Costs, OfLoopsThatTakeLessInLargePartsAreLinear) {
  EXPECT_NEAR(curve_of(9, 6).at(1e4, with_caches()), 9 - 0.8 * 3, exact);
}

TEST(Costs, BetweenSizesOfOneTimeOfAByteGrowInTheLogarithm) {
  Machine machine;
  machine.caches = {{100, 1.0}};
  EXPECT_NEAR(curve_of(4, 9).at(std::sqrt(100.0 * 100'000), machine), 6.5, exact);
}

/// Where all three points count, the two nearest decide.
TEST(Costs, BetweenThreeSizesFollowTheNearestTwo) {
  CostCurve curve = curve_of(6, 9);
  curve.add(1e4, 7);
  EXPECT_NEAR(curve.at(std::sqrt(1e4 * 1e5), with_caches()), (7 + 9) / 2., exact);
  EXPECT_NEAR(curve.at(std::sqrt(1000.0 * 1e4), with_caches()), 6, exact);
}

TEST(Costs, AreAGuessWhereTheTimeOfAByteChanges) {
  core::RunRecord record = with_costs({{{"flow"}, Way::alone, 1, 100, 1.0}});
  const double size = mean_working_bytes(record, 1);
  Machine machine;
  machine.caches = {{size / 10, 1.0}, {2 * size, 1.0}, {8 * size, 0.25}, {100 * size, 0.25}};
  const Costs costs(std::vector{record}, machine, 1);
  EXPECT_EQ(costs.steepness(2 * size), 1);
  EXPECT_NEAR(costs.steepness(8 * size), 4, exact);
  EXPECT_NEAR(costs.steepness(80 * size), 4, exact);
  EXPECT_NEAR(costs.steepness(4 * size), 2.5, exact);
  machine.caches = {{size / 10, 1.0}, {size / 2, 1.0}, {size, 0.25}};
  EXPECT_NEAR(Costs(std::vector{record}, machine, 1).steepness(size / 2), 4, exact);
  EXPECT_EQ(Costs(std::vector{record}, machine, 1).steepness(size / 1.2), 1);
  EXPECT_EQ(Costs(std::vector{record}, Machine{}, 1).steepness(8 * size), 1);
}

TEST(Costs, AreAGuessBetweenRecordsOnlyAtTheBorderOfACache) {
  std::vector<core::RunRecord> records(2, with_costs({{{"flow"}, Way::alone, 1, 100, 1.0}}));
  const double small = mean_working_bytes(records[0], 1);
  for (core::RecordedSet& set : records[1].sets) set.size *= 64;
  Machine machine;  // slowly up to 16 times the smaller size, then at once
  machine.caches = {{small, 1.0}, {16 * small, 0.5}, {32 * small, 0.125}, {1000 * small, 0.125}};
  const Costs costs(records, machine, 1);
  EXPECT_NEAR(costs.steepness(4 * small), std::sqrt(2.0), 0.05);
  EXPECT_GT(costs.steepness(16 * small), 4);
  EXPECT_EQ(costs.steepness(60 * small), 1);
}

TEST(Costs, DependOnTheBytesThatAreUsedAgainAndAgain) {
  core::RunRecord record = record_of_steps(1000, 1);
  const std::vector<double> elements{500, 499};
  EXPECT_NEAR(working_bytes(record, elements), 500 * (8 + 8) + 499 * 2 * 4, exact);
  record.dats.push_back({"setup", 0, 800});
  record.sequences.push_back({{"begin", 0, 0, {{.dat = 2, .access = OP_WRITE}}}});
  record.events.insert(record.events.begin(), {{1}, 1});
  EXPECT_NEAR(working_bytes(record, elements), 500 * (8 + 8) + 499 * 2 * 4, exact);
}

TEST(Costs, OfTheProgramAreThoseOfItsSequenceOrOfAsManyLoops) {
  std::vector<core::RunRecord> records{with_costs({}), with_costs({}), with_costs({})};
  records[1].host = {{10, 10 * 3.0}};
  records[2].host = {{30, 30 * 5.0}};
  const Costs costs(records, {}, 2);
  EXPECT_NEAR(costs.host(records[0].sequences[0]), 2 * (10 * 3.0 + 30 * 5.0) / 40, exact);
  const core::RunRecord longer = record_of_steps(100, 2);  // four loops instead of two
  EXPECT_NEAR(costs.host(longer.sequences[0]), 2 * 2 * (10 * 3.0 + 30 * 5.0) / 40, exact);
  EXPECT_NEAR(Costs(std::span(records).first(1), {}, 1).host(longer.sequences[0]), 0, exact);
  records[1].ranks = 2;  // which wait for each other
  EXPECT_NEAR(Costs(records, {}, 1).host(records[0].sequences[0]), 5, exact);
}

TEST(Costs, AreThoseOfTilesWhereARunOfSuchASizeHadThem) {
  std::vector<core::RunRecord> records{record_of_steps(101, 1), record_of_steps(10'001, 1)};
  records[0].costs = {{{"flow"}, Way::alone, 1, 100, 100 * 3.0}};
  records[1].costs = {{{"flow"}, Way::alone, 1, 10'000, 10'000 * 5.0},
                      {{"flow"}, Way::tiled, 1, 10'000, 10'000 * 2.0}};
  const Costs costs(records, {}, 1);
  const auto bytes = [](double cells) { return cells * (8 + 8) + (cells - 1) * 2 * 4; };
  const sched::LoopCost large = costs.loop_cost("flow", bytes(10'001));
  EXPECT_NEAR(large.in(Way::tiled), 2, exact);
  EXPECT_NEAR(large.in(Way::alone), 5, exact);
  EXPECT_FALSE(costs.loop_cost("flow", bytes(101)).is_known(Way::tiled));
  const double between = std::sqrt(bytes(101) * bytes(10'001));
  EXPECT_NEAR(costs.loop_cost("flow", between).in(Way::alone), 4, exact);
}

/// By what they take alone, as far as that is known.
TEST(Costs, OfAFusedStepAreDividedAmongItsLoops) {
  core::RunRecord record = record_of_steps(100, 1);
  record.costs.push_back({{"flow", "update"}, Way::fused, 10, 1000, 2e-3});
  const Costs costs(std::span(&record, 1), {}, 1);
  EXPECT_NEAR(costs.loop_cost("flow", 1000).in(Way::fused), 0.75 * 2e-6, exact);
  EXPECT_NEAR(costs.loop_cost("update", 1000).in(Way::fused), 0.25 * 2e-6, exact);
  EXPECT_THAT(costs.divided(), IsEmpty());
}

TEST(Costs, OfAnotherProgramAreRefused) {
  std::vector<core::RunRecord> records{with_costs({}), with_costs({})};
  records[1].program = "other";
  EXPECT_THAT(failure_of([&] { Costs(records, {}, 1); }),
              AllOf(HasSubstr("costs of another program: 'other'"), HasSubstr("'line'")));
}

TEST(Costs, CountTheBytesThatALoopMoves) {
  const core::RunRecord record = record_of_steps(1001, 1);
  EXPECT_NEAR(traffic_of(record, "update"), 1 + 16 + 16, exact);
  EXPECT_NEAR(traffic_of(record, "flow"), 1 + 8 + 16 + 8, 0.1);
}

}  // namespace
}  // namespace op2::model
