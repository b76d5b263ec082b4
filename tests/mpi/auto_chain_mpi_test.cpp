// SPDX-License-Identifier: BSD-3-Clause
// OP2_CHAIN=auto on ranks: results as with off, messages as those of the schedule that runs, and
// what happens if nothing is known of costs or the table of costs is damaged.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <mpi.h>

#include <support/graph_on_ranks.hpp>
#include <support/stderr_capture.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

using testing::HasSubstr;

constexpr int steps = 4;  ///< of a flush

OP_KERNEL(wrap, (double* state, double* flux), {
  *state = *flux - 8 * floor(*flux / 8);
  *flux = 0;
});

/// Values stay small whole numbers, so that any order of sums gives the same.
/// @param ends  loops, counted from 0, after which what is queued is executed; besides the last
void run_flush(const DeclaredGraph& d, const std::set<int>& ends) {
  for (int step = 0; step < steps; ++step) {
    run_flow(d);
    if (ends.count(2 * step) > 0) op_flush();
    op_par_loop(wrap, "wrap", d.cells, op_arg_dat(d.state, OP_RW), op_arg_dat(d.flux, OP_RW));
    if (ends.count(2 * step + 1) > 0) op_flush();
  }
  op_flush();
}

/// Of a rank in a flush.
struct Traffic {
  std::int64_t exchanges, messages, bytes;
  bool operator==(const Traffic&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Traffic& t) {
    return out << t.exchanges << " exchanges, " << t.messages << " messages, " << t.bytes
               << " bytes";
  }
};

Traffic traffic_so_far() {
  const op_chain_statistics now = op_get_chain_statistics();
  return {now.exchanges, now.messages, now.bytes};
}

/// What the flushes of a session have done on this rank.
struct Observed {
  std::vector<double> state;
  std::vector<Traffic> flushes;
  std::string log;

  std::vector<std::int64_t> exchanges() const {
    std::vector<std::int64_t> all;
    for (const Traffic& each : flushes) all.push_back(each.exchanges);
    return all;
  }
};

Observed run_session(const char* chain, int cells, int flushes, const std::string& debug = "",
                     const std::set<int>& ends = {}) {
  setenv("OP2_CHAIN", chain, 1);
  setenv("OP2_LOG", "info", 1);
  setenv("OP2_THREADS", "2", 1);
  setenv("OP2_DUMP", "chain", 1);
  debug.empty() ? unsetenv("OP2_DEBUG") : setenv("OP2_DEBUG", debug.c_str(), 1);
  Observed seen;
  StderrCapture log;
  op_init(0, nullptr);
  const DeclaredGraph d = declare(ring(cells));
  for (int flush = 0; flush < flushes; ++flush) {
    const Traffic before = traffic_so_far();
    run_flush(d, ends);
    const Traffic after = traffic_so_far();
    seen.flushes.push_back({after.exchanges - before.exchanges, after.messages - before.messages,
                            after.bytes - before.bytes});
  }
  seen.state.resize(static_cast<std::size_t>(d.my_cells.size()));
  op_fetch_data(d.state, seen.state.data());
  op_exit();
  seen.log = log.news();
  return seen;
}

/// Sessions of its life begin without what earlier ones have left.
class OwnCache {
 public:
  OwnCache() { setenv("OP2_CACHE_DIR", folder_.path().c_str(), 1); }
  ~OwnCache() { setenv("OP2_CACHE_DIR", usual_.c_str(), 1); }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
  std::string costs() const { return folder_ / "costs.txt"; }

 private:
  TemporaryDirectory folder_;
  std::string usual_ = std::getenv("OP2_CACHE_DIR");
};

int ranks() {
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

bool is_root() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

OP_KERNEL(mirror, (double* state), { *state = 7 - *state; });

/// What auto is compared with: loops that no exchange separates run in one chain, fused and in
/// tiles, in both phases around the exchange.
TEST(AutoChain, OffFusesAndTilesLoopsThatNoExchangeSeparates) {
  setenv("OP2_CHAIN", "off", 1);
  setenv("OP2_LOG", "warning", 1);
  setenv("OP2_TILE", "16", 1);
  unsetenv("OP2_DUMP");
  op_init(0, nullptr);
  const DeclaredGraph d = declare(ring(900));
  for (int flush = 0; flush < 3; ++flush) {
    run_flow(d);
    op_par_loop(wrap, "wrap", d.cells, op_arg_dat(d.state, OP_RW), op_arg_dat(d.flux, OP_RW));
    op_par_loop(mirror, "mirror", d.cells, op_arg_dat(d.state, OP_RW));
    op_flush();
  }
  const std::int64_t owned = d.cells->size;
  const op_chain_statistics halos = op_get_chain_statistics();
  EXPECT_EQ(halos.chains, 3);
  EXPECT_EQ(halos.exchanges, ranks() > 1 ? 3 : 0);
  EXPECT_EQ(halos.interior_iterations > 0, ranks() > 1);
  EXPECT_GE(op_get_loop_iterations("wrap+mirror"), 3 * owned);
  for (const char* loop : {"flow", "wrap", "mirror"})
    EXPECT_GE(op_get_tiled_iterations(loop), 2 * owned) << loop;
  op_exit();
}

TEST(AutoChain, GivesTheResultsOfOff) {
  constexpr int flushes = 60;
  const Observed off = run_session("off", 900, flushes);
  const Observed chosen = run_session("auto", 900, flushes);
  EXPECT_EQ(off.state, chosen.state);
}

TEST(AutoChain, GivesThemHoweverSchedulesChange) {
  constexpr int flushes = 40;
  const Observed off = run_session("off", 300, flushes);
  for (const char* seed : {"schedules=3", "schedules=77"}) {
    const Observed changing = run_session("auto", 300, flushes, seed);
    EXPECT_EQ(off.state, changing.state);
    const auto exchanges = changing.exchanges();
    const std::set<std::int64_t> different(exchanges.begin(), exchanges.end());
    EXPECT_EQ(different.size() > 1, ranks() > 1);
  }
}

/// As the root's process has it.
std::string of_root(std::string text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

/// Where the chains end that an explanation names: "loops 0..3, 6..7 chained: ..."; other loops run
/// alone.
std::set<int> ends_of_chains(const std::string& explanation) {
  std::set<int> ends;
  for (int loop = 0; loop < 2 * steps; ++loop) ends.insert(loop);
  const std::string chains = explanation.substr(0, explanation.find(" chained:"));
  const std::regex chain("(\\d+)\\.\\.(\\d+)");
  for (std::sregex_iterator one(chains.begin(), chains.end(), chain), none; one != none; ++one)
    for (int loop = std::stoi((*one)[1]); loop < std::stoi((*one)[2]); ++loop) ends.erase(loop);
  return ends;
}

/// The last line of a log that explains the choice for the sequence of a flush.
std::string last_explanation(const std::string& log) {
  const std::size_t begin = log.rfind("(flow, 8 loops), flush ");
  return begin == std::string::npos ? "" : log.substr(begin, log.find('\n', begin) - begin);
}

/// Before it is decided, and then until the eighth flush corrects the prediction by its time; the
/// first flush in a schedule also exchanges what the one before has not.
TEST(AutoChain, ExchangesMessagesAndBytesAreThoseOfTheExplainedSchedule) {
  constexpr std::size_t undecided = 2, uncorrected = 7;
  const OwnCache cache;
  const Observed off = run_session("off", 900, uncorrected);
  const Observed chosen = run_session("auto", 900, uncorrected);
  const std::string explanation = of_root(last_explanation(chosen.log));
  ASSERT_EQ(explanation.empty(), ranks() == 1) << chosen.log;
  const Observed explained = run_session("on", 900, uncorrected, "", ends_of_chains(explanation));
  for (std::size_t flush = 0; flush < uncorrected; ++flush) {
    if (flush == undecided) continue;
    const Traffic& expected = flush < undecided ? off.flushes[flush] : explained.flushes.back();
    EXPECT_EQ(chosen.flushes[flush], expected) << "flush " << flush << ": " << explanation;
  }
  if (std::getenv("TEST_CHAINED") != nullptr) {
    EXPECT_THAT(explanation, HasSubstr("chained: saves"));
  }
}

/// The flush that a line of a log names.
std::size_t flush_of(const std::string& explanation) {
  const std::string before = "flush ";
  const std::size_t at = explanation.find(before);
  return at == std::string::npos ? 0 : std::stoul(explanation.substr(at + before.size()));
}

/// The explanation that stood longest, and the flush of the next one, or `flushes`; none: "".
std::pair<std::string, std::size_t> longest_explanation(const std::string& log,
                                                        std::size_t flushes) {
  std::pair<std::string, std::size_t> longest{"", flushes};
  std::size_t most = 0, next = flushes;
  for (std::string rest = log; !last_explanation(rest).empty();) {
    const std::string one = last_explanation(rest);
    const std::size_t since = flush_of(one);
    if (next - since > most) most = next - since, longest = {one, next};
    next = since;
    rest.resize(rest.rfind(one));
  }
  return longest;
}

/// Whatever comparisons have shown before; those that come still are few.
TEST(AutoChain, SoAreThoseOfLaterFlushes) {
  constexpr std::size_t flushes = 300;
  const OwnCache cache;
  const Observed chosen = run_session("auto", 900, flushes);
  const auto [explanation, end] = longest_explanation(of_root(chosen.log), flushes);
  ASSERT_EQ(explanation.empty(), ranks() == 1) << chosen.log;
  const Observed explained = run_session("on", 900, 8, "", ends_of_chains(explanation));
  const std::size_t begin = flush_of(explanation);
  const auto at = [&](std::size_t flush) {
    return chosen.flushes.begin() + static_cast<std::ptrdiff_t>(flush);
  };
  const auto count = std::count(at(begin), at(end), explained.flushes.back());
  EXPECT_GT(2 * count, at(end) - at(begin)) << explanation;
}

TEST(AutoChain, IsExplained) {
  const Observed chosen = run_session("auto", 900, 12);
  if (!is_root()) return;
  const bool decides = ranks() > 1;
  EXPECT_EQ(chosen.log.find("predicted ") != std::string::npos, decides) << chosen.log;
}

/// Loops of a few iterations, as over a boundary, do not keep a sequence from being decided.
TEST(AutoChain, DecidesForSetsOfAFewElements) {
  const OwnCache cache;
  const Observed off = run_session("off", 12, 20), chosen = run_session("auto", 12, 20);
  EXPECT_EQ(off.state, chosen.state);
  if (is_root() && ranks() > 1) {
    EXPECT_THAT(chosen.log, HasSubstr("predicted "));
  }
}

OP_KERNEL(double_of, (double* state), { *state = 2 * *state - 8 * floor(*state / 4); });

/// Loops after each other, of two kinds: which at which place, the bits of `number` say.
void run_numbered(const DeclaredGraph& d, int number, int loops) {
  for (int k = 0; k < loops; ++k)
    if ((number >> k) % 2 == 0)
      op_par_loop(mirror, "mirror", d.cells, op_arg_dat(d.state, OP_RW));
    else
      op_par_loop(double_of, "double", d.cells, op_arg_dat(d.state, OP_RW));
  op_flush();
}

/// More sequences than the library remembers do not end the choice for those that come later, nor
/// give them schedules of others.
TEST(AutoChain, DecidesAfterManyOtherSequences) {
  setenv("OP2_CHAIN", "auto", 1);
  setenv("OP2_LOG", "warning", 1);
  setenv("OP2_DUMP", "analyse", 1);
  setenv("OP2_DEBUG", "no_fuse", 1);  // no code for each sequence
  const OwnCache cache;
  StderrCapture log;
  op_init(0, nullptr);
  const DeclaredGraph d = declare(ring(300));
  run_flush(d, {});
  for (int number = 0; number < 600; ++number) run_numbered(d, number, 10);
  log.news();
  for (int flush = 0; flush < 3; ++flush) run_flush(d, {});
  EXPECT_EQ(log.news().find("predicted ") != std::string::npos, is_root() && ranks() > 1);
  op_exit();
}

constexpr const char* measured = "a message between neighbours was measured";

/// Costs of loops and messages are known in the second flush then, otherwise in the third.
TEST(AutoChain, ALaterSessionBeginsWithWhatAnEarlierOneHasMeasured) {
  const OwnCache cache;
  const Observed two = run_session("auto", 900, 2), three = run_session("auto", 900, 3);
  const Observed later = run_session("auto", 900, 2);
  if (!is_root() || ranks() == 1) return;
  EXPECT_EQ(two.log.find("predicted "), std::string::npos) << two.log;
  EXPECT_THAT(three.log, HasSubstr(measured));
  EXPECT_EQ(later.log.find(measured), std::string::npos) << later.log;
  EXPECT_THAT(later.log, HasSubstr("predicted "));
}

TEST(AutoChain, ADamagedTableOfCostsIsIgnoredWithAWarningAndReplaced) {
  const OwnCache cache;
  std::ofstream(cache.costs()) << "op2 costs 1\n0123 1e-9 1e-9" << std::string(100, ' ');
  const Observed chosen = run_session("auto", 900, 10);
  const Observed again = run_session("auto", 900, 10);
  if (!is_root() || ranks() == 1) return;
  EXPECT_THAT(chosen.log, HasSubstr("costs of earlier runs are not used"));
  EXPECT_THAT(chosen.log, HasSubstr(cache.costs() + ": its checksum is wrong"));
  EXPECT_THAT(chosen.log, HasSubstr(measured));
  EXPECT_EQ(again.log.find("are not used"), std::string::npos) << again.log;
}

}  // namespace
}  // namespace op2::test
