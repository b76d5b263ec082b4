// SPDX-License-Identifier: BSD-3-Clause
// OP2_MODEL: what is recorded of a run, and that a damaged record is refused.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <core/hash.hpp>
#include <core/measurements/run_record.hpp>
#include <core/text.hpp>
#include <op2/op2.hpp>
#include <support/expect_error.hpp>
#include <support/graph_on_ranks.hpp>
#include <support/temporary_directory.hpp>

namespace op2 {
namespace {

using core::RunRecord;
using test::error_text;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

OP_KERNEL(add_up, (const double* x, double* sum), { *sum += *x; });

class ModelLog : public testing::Test {
 protected:
  /// What OP2_MODEL has written after a session that runs `program`.
  RunRecord record_of(const std::function<void()>& program) const {
    setenv("OP2_MODEL", path_.c_str(), 1);
    setenv("OP2_DEBUG", "no_fuse", 1);
    op_init(0, nullptr, 0);
    program();
    op_exit();
    unsetenv("OP2_MODEL");
    unsetenv("OP2_DEBUG");
    return core::record_from_json(core::read_file(path_.c_str()).value());
  }

  test::TemporaryDirectory folder_;
  const std::string path_ = (folder_.path() / "run.json").string();
};

/// Two steps in a flush, then one with a sum whose value the program fetches, four times.
void small_program() {
  const test::DeclaredGraph graph = test::declare(test::ring(12));
  op_partition("ptscotch", "kway", graph.cells, graph.ends, nullptr);
  double sum = 0;
  const op_global total = op_decl_global(1, &sum, "total");
  test::run_steps(graph, 2);
  op_flush();
  for (int k = 0; k < 4; ++k) {
    test::run_steps(graph, 1);
    sum = 0;
    op_set_global(total, &sum);
    op_par_loop(add_up, "add_up", graph.cells, op_arg_dat(graph.state, OP_READ),
                op_arg_gbl(total, OP_INC));
    op_fetch_global(total, &sum);
  }
}

TEST_F(ModelLog, HasTheMeshAndThePartition) {
  const RunRecord record = record_of(small_program);
  EXPECT_EQ(record.program, "model_log_test");
  EXPECT_THAT(record.sets,
              ElementsAre(core::RecordedSet{"cells", 12}, core::RecordedSet{"edges", 12}));
  EXPECT_THAT(record.maps, ElementsAre(core::RecordedMap{"ends", 1, 0, 2}));
  EXPECT_THAT(record.dats,
              ElementsAre(core::RecordedDat{"state", 0, 8}, core::RecordedDat{"flux", 0, 8}));
  EXPECT_EQ(record.partition.partitioner, "ptscotch");
  EXPECT_EQ(record.partition.set, 0);
  EXPECT_EQ(record.partition.map, 0);
}

TEST_F(ModelLog, HasTheMapsAsDeclared) {
  setenv("OP2_RENUMBER", "on", 1);
  const RunRecord record = record_of(small_program);
  unsetenv("OP2_RENUMBER");
  EXPECT_EQ(record.maps_file, "run.maps");
  const std::string maps = core::read_file((folder_.path() / "run.maps").c_str()).value();
  const std::vector<int> ends = test::ring(12).ends;
  EXPECT_EQ(maps,
            std::string(reinterpret_cast<const char*>(ends.data()), ends.size() * sizeof(int)));
  EXPECT_EQ(static_cast<std::int64_t>(maps.size()), core::bytes_of_maps(record));
  core::Hasher hash;
  hash.bytes(std::as_bytes(std::span(ends)));
  EXPECT_EQ(record.maps_hash, core::to_hex(hash.finish()));
}

TEST_F(ModelLog, HasTheSequencesInTheirOrder) {
  const RunRecord record = record_of(small_program);
  ASSERT_EQ(record.sequences.size(), 2u);
  const auto name = [](const core::RecordedLoop& loop) { return loop.name; };
  std::vector<std::string> first, second;
  std::ranges::transform(record.sequences[0], std::back_inserter(first), name);
  std::ranges::transform(record.sequences[1], std::back_inserter(second), name);
  EXPECT_THAT(first, ElementsAre("flow", "update", "flow", "update"));
  EXPECT_THAT(second, ElementsAre("flow", "update", "", "add_up"));
  EXPECT_EQ(record.sequences[0][0].args[2],
            (core::RecordedArg{.dat = 1, .map = 0, .column = 0, .access = OP_INC}));
  EXPECT_EQ(record.sequences[1][3].args[1],
            (core::RecordedArg{.global = 0, .bytes = 8, .access = OP_INC}));
  EXPECT_EQ(record.sequences[1][2].set, -1);
  EXPECT_THAT(record.events, ElementsAre(core::RecordedEvents{{0}, 1},
                                         core::RecordedEvents{{1, core::fetch_of(0)}, 4}));
  EXPECT_EQ(record.events_left_out, 0);
}

TEST_F(ModelLog, CountsTheElementsOfEachLoopButTheFirstTime) {
  const RunRecord record = record_of(small_program);
  std::vector<std::string> loops;
  for (const core::RecordedCost& cost : record.costs) {
    loops.push_back(cost.loops.front());
    EXPECT_EQ(cost.elements, 12 * cost.calls);
    EXPECT_EQ(cost.calls, cost.loops.front() == "add_up" ? 3 : 5);
    EXPECT_GT(cost.seconds, 0);
  }
  EXPECT_THAT(loops, ElementsAre("flow", "update", "add_up"));
}

TEST_F(ModelLog, HasTheTimeBetweenFlushesButTheFirstOnes) {
  const RunRecord record = record_of(small_program);
  ASSERT_EQ(record.host.size(), record.sequences.size());
  EXPECT_EQ(record.host[0], core::RecordedHost());
  EXPECT_EQ(record.host[1].times, 3);
  EXPECT_GT(record.host[1].seconds, 0);
}

TEST_F(ModelLog, HasTheTimeThatTheProgramTakesBetweenItsLoops) {
  const RunRecord record = record_of([] {
    const test::DeclaredGraph graph = test::declare(test::ring(12));
    for (int k = 0; k < 3; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      test::run_steps(graph, 1);
      op_flush();
    }
  });
  ASSERT_EQ(record.host.size(), 1u);
  EXPECT_EQ(record.host[0].times, 2);
  EXPECT_GE(record.host[0].seconds, 0.04);
}

TEST_F(ModelLog, IsReadAsItWasWritten) {
  const RunRecord record = record_of(small_program);
  EXPECT_EQ(core::record_from_json(core::as_json(record)), record);
}

TEST_F(ModelLog, CannotBeWrittenWhereThereIsNoFolder) {
  setenv("OP2_MODEL", "/no/such/folder/run.json", 1);
  EXPECT_THAT(error_text(ErrorCode::io_failure, [] { op_init(0, nullptr, 0); }),
              HasSubstr("OP2_MODEL=/no/such/folder/run.json"));
  unsetenv("OP2_MODEL");
}

/// Why a text is refused.
std::string refusal(const std::string& text) {
  try {
    core::record_from_json(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

std::string with(std::string text, const std::string& old, const std::string& now) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), now);
}

TEST_F(ModelLog, IsRefusedIfItWasChangedButForTimesAndCosts) {
  RunRecord record = record_of(small_program);
  const std::string text = core::as_json(record);
  EXPECT_THAT(refusal(with(text, "\"keep_dead\": false", "\"keep_dead\": true")),
              HasSubstr("it was changed"));
  EXPECT_THAT(refusal(with(text, "\"hash\": \"", "\"hash\": \"0")), HasSubstr("it was changed"));
  EXPECT_THAT(refusal(with(text, "\"hash\"", "\"other\"")), HasSubstr("it was changed"));
  record.costs.clear();
  record.host.clear();
  record.plan_seconds = record.compile_seconds = record.partition.seconds = 7;
  const std::string again = core::as_json(record);
  EXPECT_EQ(again.substr(again.find("\"hash\"")), text.substr(text.find("\"hash\"")));
}

TEST_F(ModelLog, IsRefusedIfItIsDamaged) {
  const std::string text = core::as_json(record_of(small_program));
  EXPECT_THAT(refusal(text), IsEmpty());
  EXPECT_THAT(refusal(text.substr(0, text.size() / 2)), HasSubstr("damaged"));
  EXPECT_THAT(refusal("{}"), HasSubstr("OP2_MODEL has written"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("OP2_MODEL has written"));
  EXPECT_THAT(refusal(with(text, "\"version\": 1", "\"version\": 7")),
              HasSubstr("has version 7, and this program reads version 1"));
  EXPECT_THAT(refusal(with(text, "\"from\": 1", "\"from\": 9")),
              HasSubstr("set 9 is out of range"));
  EXPECT_THAT(refusal(with(text, "\"arity\": 2", "\"arity\": 0")), HasSubstr("arity 0"));
  EXPECT_THAT(refusal(with(text, "\"dat\": 1", "\"dat\": 5")), HasSubstr("dat 5 is out of range"));
  EXPECT_THAT(refusal(with(text, "\"set\": 1,\n     \"args\"", "\"set\": 0,\n     \"args\"")),
              HasSubstr("do not belong together"));
  EXPECT_THAT(refusal(with(text, "\"size\": 12", "\"size\": -4")), HasSubstr("-4 elements"));
  EXPECT_THAT(refusal(with(text, "\"RW\"", "\"ADD\"")), HasSubstr("unknown word 'ADD'"));
  EXPECT_THAT(refusal(with(text, "\"ranks\": 1", "\"ranks\": 0")), HasSubstr("0 ranks"));
  EXPECT_THAT(refusal(with(text, "\"depth_max\": 6", "\"depth_max\": 600")),
              HasSubstr("OP2_DEPTH_MAX=600"));
  EXPECT_THAT(refusal(with(text, "\"args\"", "\"colour\": -1, \"args\"")),
              HasSubstr("has colour -1"));
  EXPECT_THAT(refusal(with(text, "\"column\": 1", "\"column\": 2")),
              HasSubstr("column 2 is out of range"));
  EXPECT_THAT(
      refusal(with(text, "\"bytes\": 8,\n       \"access\"", "\"bytes\": -8,\n       \"access\"")),
      HasSubstr("an argument of -8 bytes"));
  EXPECT_THAT(refusal(with(text, "\"host\": [", "\"host\": [{\"times\": 1, \"seconds\": 1},")),
              HasSubstr("3 times of the program for 2 sequences"));
}

TEST(FoldedEvents, AreWrittenOncePerRepetition) {
  using Events = std::vector<core::RecordedEvents>;
  EXPECT_EQ(core::folded({}), Events());
  EXPECT_EQ(core::folded({3}), (Events{{{3}, 1}}));
  EXPECT_EQ(core::folded({0, 1, 2}), (Events{{{0, 1, 2}, 1}}));
  EXPECT_EQ(core::folded({0, 1, 1, 1, 2}), (Events{{{0}, 1}, {{1}, 3}, {{2}, 1}}));
  EXPECT_EQ(core::folded({5, 0, 1, 0, 1, 0, 1, 0}), (Events{{{5}, 1}, {{0, 1}, 3}, {{0}, 1}}));
}

}  // namespace
}  // namespace op2
