// SPDX-License-Identifier: BSD-3-Clause
// The per-loop table and the trace, read back by a JSON parser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <core/measurements/measurements.hpp>
#include <core/measurements/run_recorder.hpp>
#include <core/measurements/trace.hpp>

namespace op2::core {
namespace {

using testing::HasSubstr;

LoopTable table_of_two() {
  LoopTable table;
  table.row("flux") = {"flux", "jit", 10, 0, 1000, 0, 0, 3.0, 6e9};
  table.row("up,date") = {"up,date", "host", 5, 2, 500, 0, 0, 1.0, 1e9};
  return table;
}

TEST(LoopTable, ARowIsMadeOnce) {
  LoopTable table;
  LoopRow& row = table.row("flux");
  table.row("other");
  EXPECT_EQ(&row, &table.row("flux"));
  EXPECT_EQ(table.rows().size(), 2u);
  EXPECT_EQ(table.find("flux"), &row);
  EXPECT_EQ(table.find("none"), nullptr);
  const LoopTable copy = table;
  EXPECT_EQ(copy.find("other"), &copy.rows().back());
}

/// Iterations count with the first of two colours, and the time of both; not those of the first
/// call.
TEST(RunRecorder, TheCostOfALoopInColoursHasTheTimeOfAll) {
  LoopTable table;
  const LoopRow& row = table.row("limit");
  RunRecorder recorder([] { return 0.0; });
  for (const double slower : {5.0, 1.0, 1.0}) {
    recorder.step_timed(row, Way::alone, 10, slower * 2);
    recorder.step_timed(row, Way::alone, 0, slower * 3);
  }
  RunRecord record;
  recorder.put(table, record);
  EXPECT_EQ(record.costs.front(), (RecordedCost{{"limit"}, Way::alone, 2, 20, 2 * (2 + 3)}));
}

TEST(LoopTable, TextShowsBandwidthAndShare) {
  const std::string text = table_as_text(table_of_two());
  EXPECT_THAT(text, HasSubstr("2.00"));
  EXPECT_THAT(text, HasSubstr("75.0%"));
  EXPECT_THAT(text, HasSubstr("2 skipped"));
}

TEST(LoopTable, TellsWhereFusedCallsWent) {
  LoopTable table;
  table.row("save") = {.name = "save", .code = "jit", .calls = 1, .fused_in = {{"save+add", 9}}};
  EXPECT_THAT(table_as_text(table), HasSubstr("jit (9 in save+add)\n"));
  EXPECT_THAT(table_as_csv(table), HasSubstr(",9,\"save+add\","));
  EXPECT_EQ(nlohmann::json::parse(table_as_json(table))["loops"][0]["fused"], 9);
}

TEST(LoopTable, CountsFusedCallsByTheRowThatHasTheirTime) {
  LoopTable table;
  table.row("save") = {
      .name = "save", .code = "jit", .fused_in = {{"add+save", 800}, {"save+add", 200}}};
  EXPECT_THAT(table_as_text(table), HasSubstr("jit (800 in add+save, 200 in save+add)\n"));
  EXPECT_THAT(table_as_csv(table), HasSubstr(",1000,\"800 in add+save, 200 in save+add\","));
  const auto row = nlohmann::json::parse(table_as_json(table))["loops"][0];
  EXPECT_EQ(row["fused"], 1000);
  EXPECT_EQ(row["fused_in"], "800 in add+save, 200 in save+add");
}

TEST(LoopTable, CsvQuotesNames) {
  EXPECT_THAT(table_as_csv(table_of_two()), HasSubstr("\n\"up,date\",5,2,500,1,"));
}

TEST(LoopTable, JsonHasARowPerLoop) {
  const auto json = nlohmann::json::parse(table_as_json(table_of_two()));
  EXPECT_EQ(json["loops"].size(), 2u);
  EXPECT_EQ(json["loops"][0]["calls"], 10);
  EXPECT_DOUBLE_EQ(json["loops"][0]["share"], 0.75);
  EXPECT_DOUBLE_EQ(json["total_seconds"], 4.0);
}

TEST(LoopTable, JsonHasTheArithmeticIfAllOfItWasCounted) {
  LoopTable table = table_of_two();
  const std::string known = table.rows()[0].name, other = table.rows()[1].name;
  table.row(known).flops = 3e9;
  table.row(other).flops = 1e9;
  table.row(other).uncounted = 1;
  const auto rows = nlohmann::json::parse(table_as_json(table))["loops"];
  EXPECT_EQ(rows[0]["flops"], 3e9);
  EXPECT_FALSE(rows[1].contains("flops"));
}

TEST(LoopTable, JsonHasTheKeysOfTheCode) {
  LoopTable table = table_of_two();
  table.row("flux").keys = {"0123", "4567"};
  const auto json = nlohmann::json::parse(table_as_json(table));
  EXPECT_EQ(json["loops"][0]["keys"], nlohmann::json::parse(R"(["0123", "4567"])"));
  EXPECT_TRUE(json["loops"][1]["keys"].empty());
}

TEST(LoopTable, TextAndCsvHaveTheArithmeticTheKeysAndTheTimesOfRanks) {
  LoopTable table = table_of_two();
  table.row("flux").flops = 12e9;
  table.row("flux").keys = {"0123456789abcdef", "fedcba9876543210"};
  table.row("up,date").uncounted = 1;
  EXPECT_THAT(table_as_text(table), HasSubstr("    2.00     4.00   75.0%  jit, keys 0123456789ab "
                                              "fedcba987654\n"));
  EXPECT_THAT(table_as_text(table), HasSubstr("    1.00        -   25.0%  host (2 skipped"));
  RunTimes of_two_ranks;
  of_two_ranks.compared = true;
  table.times = of_two_ranks;
  table.row("flux").mean_seconds = 2.5;
  table.row("flux").least_seconds = 2;
  EXPECT_THAT(table_as_text(table), HasSubstr("    seconds       mean      least "));
  EXPECT_THAT(table_as_text(table), HasSubstr("     3.0000     2.5000     2.0000 "));
  EXPECT_THAT(table_as_csv(table),
              HasSubstr(",2.5,2,1.2e+10,\"0123456789abcdef fedcba9876543210\"\n"));
  EXPECT_THAT(table_as_csv(table), HasSubstr(",0,0,,\"\"\n"));
}

TEST(LoopTable, JsonHasTheTimesOfRanks) {
  LoopTable table = table_of_two();
  table.ranks = 3;
  table.row("flux").least_seconds = 1.5;
  table.row("flux").mean_seconds = 2;
  const auto json = nlohmann::json::parse(table_as_json(table));
  EXPECT_EQ(json["ranks"], 3);
  EXPECT_EQ(json["loops"][0]["seconds"], 3);
  EXPECT_EQ(json["loops"][0]["seconds_min"], 1.5);
  EXPECT_EQ(json["loops"][0]["seconds_mean"], 2);
}

TEST(LoopTable, AnEmptyTableDividesByNothing) {
  LoopTable table;
  table.row("never run");
  EXPECT_THAT(table_as_text(table), HasSubstr("0.0%"));
}

std::string text_of(const Trace& trace) {
  return trace_as_json({trace.events(3)}, trace.dropped());
}

TEST(Trace, SpansBecomeCompleteEvents) {
  Trace trace;
  const auto begin = Clock::now();
  trace.span("loop", "flux \"1\"", begin, begin + std::chrono::microseconds(250));
  const auto json = nlohmann::json::parse(text_of(trace));
  ASSERT_EQ(json["traceEvents"].size(), 2u);
  EXPECT_EQ(json["traceEvents"][0]["args"]["name"], "rank 3");
  EXPECT_EQ(json["traceEvents"][1]["ph"], "X");
  EXPECT_EQ(json["traceEvents"][1]["name"], "flux \"1\"");
  EXPECT_DOUBLE_EQ(json["traceEvents"][1]["dur"], 250);
}

/// Writes down what it hears.
struct Heard : Listener {
  explicit Heard(std::string& all) : text(all) {}
  void part_begins(Part part) override { text += std::string("<") + name_of(part); }
  void part_ends(Part) override { text += ">"; }
  void region_begins(const char* name) override { text += std::string("[") + name; }
  void region_ends(const char*) override { text += "]"; }
  void step_begins(const char* name) override { text += std::string("(") + name; }
  void step_ends(const char*) override { text += ")"; }
  void span(const char* lane, std::string_view what, Clock::time_point,
            Clock::time_point) override {
    text += std::string(" ") + lane + ":" + std::string(what);
  }
  std::string& text;
};

TEST(Listeners, HearOfPartsRegionsAndStepsWhereTheyAre) {
  std::string text;
  Measurements measurements;
  measurements.listeners.push_back(std::make_unique<Heard>(text));
  measurements.profile.begin_region("flux");
  {
    const InPart part(&measurements.profile, Part::loops);
    const StepEvent step(measurements.listeners, "res");
  }
  measurements.profile.end_region();
  EXPECT_EQ(text, "[flux<loops(res)> region:flux]");
}

}  // namespace
}  // namespace op2::core
