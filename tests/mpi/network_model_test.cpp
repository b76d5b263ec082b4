// SPDX-License-Identifier: BSD-3-Clause
// The clock of the modelled network, on two ranks. This program plays libop2: it defines the
// counters that the model reads. All costs come from the environment, which may say that there are
// none; so all times are formulas.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>
#include <op2/op2.hpp>

namespace {

std::int64_t iterations = 0, tiled = 0, packed_rows = 0;

}  // namespace

std::int64_t op_get_loop_iterations(const char* loop_name) {
  return std::string(loop_name) == "work" ? iterations : 0;
}

std::int64_t op_get_tiled_iterations(const char* loop_name) {
  return std::string(loop_name) == "work" ? tiled : 0;
}

op_chain_statistics op_get_chain_statistics() {
  op_chain_statistics statistics{};
  statistics.packed_rows = packed_rows;
  return statistics;
}

namespace {

// In the file that NETMODEL_COSTS names.
constexpr double iteration = 1e-6, tiled_iteration = 4e-7, packed_row = 1e-7, received_byte = 1e-9;

constexpr double rounding = 1e-12;

double from_environment(const char* variable) {
  return std::strtod(std::getenv(variable), nullptr);
}

struct Network {
  double latency = 1e-6 * from_environment("NETMODEL_LATENCY_US");
  double overhead = 1e-6 * from_environment("NETMODEL_OVERHEAD_US");
  double bandwidth = 1e9 * from_environment("NETMODEL_BANDWIDTH_GBS");

  double leaving(double bytes) const { return bandwidth > 0 ? bytes / bandwidth : 0; }
  /// From the start of a message until its values can be used.
  double transfer(double bytes) const {
    return overhead + leaving(bytes) + latency + overhead + received_byte * bytes;
  }
};

int rank() {
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  return number;
}

bool test(std::vector<MPI_Request>& requests) {
  int ended = 0;
  MPI_Testall(static_cast<int>(requests.size()), requests.data(), &ended, MPI_STATUSES_IGNORE);
  return ended != 0;
}

/// As libop2 does while it waits, and only then.
void look_for_others() {
  int found = 0;
  MPI_Message message;
  MPI_Improbe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
}

void wait(std::vector<MPI_Request>& requests) {
  while (!test(requests)) look_for_others();
}

/// All clocks show the same afterwards.
void synchronise() {
  int mine = 0, most = 0;
  std::vector<MPI_Request> request(1);
  MPI_Iallreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, request.data());
  wait(request);
}

/// Messages to and from the other rank that can be sent again and again.
class Exchange {
 public:
  explicit Exchange(int bytes, int messages = 1)
      : out_(messages, std::vector<char>(bytes)), in_(out_), requests_(2 * messages) {
    const int other = 1 - rank();
    for (int k = 0; k < messages; ++k) {
      MPI_Recv_init(in_[k].data(), bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests_[2 * k]);
      MPI_Send_init(out_[k].data(), bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD,
                    &requests_[2 * k + 1]);
    }
  }
  ~Exchange() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }
  void start() {
    for (MPI_Request& request : requests_) MPI_Start(&request);
  }
  bool has_ended() { return test(requests_); }
  void finish() { wait(requests_); }

 private:
  std::vector<std::vector<char>> out_, in_;
  std::vector<MPI_Request> requests_;
};

TEST(NetworkModel, APingPongCostsWhatTheNetworkCosts) {
  const Network network;
  constexpr int rounds = 5, bytes = 1000;
  std::array<char, bytes> data{};
  synchronise();
  const double start = MPI_Wtime();
  for (int round = 0; round < 2 * rounds; ++round) {
    std::vector<MPI_Request> request(1);
    if (round % 2 == rank())
      MPI_Isend(data.data(), bytes, MPI_BYTE, 1 - rank(), 0, MPI_COMM_WORLD, request.data());
    else
      MPI_Irecv(data.data(), bytes, MPI_BYTE, 1 - rank(), 0, MPI_COMM_WORLD, request.data());
    wait(request);
  }
  if (rank() == 0) {  // the last message ends there
    EXPECT_NEAR(MPI_Wtime() - start, 2 * rounds * network.transfer(bytes), rounding);
  }
}

TEST(NetworkModel, FiveExchangesCostFiveTimesWhatOneCosts) {
  const Network network;
  Exchange exchange(4000);
  synchronise();
  const double start = MPI_Wtime();
  for (int repeat = 0; repeat < 5; ++repeat) {
    exchange.start();
    exchange.finish();
  }
  EXPECT_NEAR(MPI_Wtime() - start, 5 * network.transfer(4000), rounding);
}

TEST(NetworkModel, TimePassesWithWorkAlone) {
  const double start = MPI_Wtime();
  for (volatile int spin = 0; spin < 1'000'000;) spin = spin + 1;
  EXPECT_EQ(MPI_Wtime(), start);
  iterations += 30;
  tiled += 10;
  packed_rows += 20;
  EXPECT_NEAR(MPI_Wtime() - start, 20 * iteration + 10 * tiled_iteration + 20 * packed_row,
              rounding);
}

TEST(NetworkModel, WorkHidesAMessage) {
  const Network network;
  Exchange exchange(1000);
  synchronise();
  const double start = MPI_Wtime();
  exchange.start();
  bool ended = false;
  for (int loop = 0; loop < 10; ++loop) {
    iterations += 20;
    if (!ended) ended = exchange.has_ended();
  }
  if (!ended) exchange.finish();
  const double work = 200 * iteration;
  EXPECT_NEAR(MPI_Wtime() - start, 2 * network.overhead + work + received_byte * 1000, rounding);
}

/// 1000 bytes are on their way from and to the other rank.
struct MessageUnderWay : testing::Test {
  const Network network;
  Exchange exchange{1000};
  double start = 0;

  void SetUp() override {
    synchronise();
    start = MPI_Wtime();
    send();
  }
  /// MPI has them at the end.
  void send() {
    exchange.start();
    PMPI_Barrier(MPI_COMM_WORLD);
  }
  /// After as long as if the rank had done nothing but wait.
  void expect_undelayed_end() {
    exchange.finish();
    EXPECT_NEAR(MPI_Wtime() - start, network.transfer(1000), rounding);
  }
};

TEST_F(MessageUnderWay, PollsForProgressAreNoWait) {
  for (int poll = 0; poll < 100'000; ++poll) ASSERT_FALSE(exchange.has_ended());
  EXPECT_NEAR(MPI_Wtime() - start, network.overhead, rounding);
  expect_undelayed_end();
}

TEST_F(MessageUnderWay, ALookForOthersIsAWait) {
  look_for_others();
  int polls = 1;
  while (!exchange.has_ended()) ++polls;
  EXPECT_LT(polls, 1'000'000);
  EXPECT_NEAR(MPI_Wtime() - start, network.transfer(1000), rounding);
}

TEST_F(MessageUnderWay, AWaitEndsWithTheNextMessage) {
  exchange.finish();
  look_for_others();
  send();
  for (int poll = 0; poll < 1000; ++poll) ASSERT_FALSE(exchange.has_ended());
  exchange.finish();
  EXPECT_NEAR(MPI_Wtime() - start, 2 * network.transfer(1000), rounding);
}

TEST_F(MessageUnderWay, WorkBeforeAWaitShortensIt) {
  if (network.latency == 0) GTEST_SKIP() << "the work takes longer than the message";
  iterations += 10;
  expect_undelayed_end();
}

TEST(NetworkModel, MessagesLeaveOneAfterTheOther) {
  const Network network;
  Exchange exchange(10'000, 3);
  synchronise();
  const double start = MPI_Wtime();
  exchange.start();
  exchange.finish();
  const double sent = network.overhead + std::max(3 * network.leaving(10'000),
                                                  2 * network.overhead + network.leaving(10'000));
  EXPECT_NEAR(MPI_Wtime() - start,
              sent + network.latency + 3 * (network.overhead + received_byte * 10'000), rounding);
}

TEST(NetworkModel, ACollectiveEndsAfterTheLastHasBegun) {
  const Network network;
  synchronise();
  const double start = MPI_Wtime();
  if (rank() == 1) iterations += 1000;
  synchronise();
  const double exchange = network.latency + 2 * network.overhead + network.leaving(sizeof(int));
  EXPECT_NEAR(MPI_Wtime() - start, 1000 * iteration + exchange, rounding);
}

/// On any number of ranks.
TEST(NetworkModel, CollectivesTakeRounds) {
  const Network network;
  constexpr int bytes = 1000;
  int ranks = 0, rounds = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  while (1 << rounds < ranks) ++rounds;
  const double messages = rounds * (network.latency + 2 * network.overhead);
  std::array<char, bytes> mine{}, result{};
  std::vector<char> all(static_cast<std::size_t>(ranks) * bytes);
  std::vector<MPI_Request> request(1);
  synchronise();
  const double start = MPI_Wtime();
  MPI_Iallreduce(mine.data(), result.data(), bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD,
                 request.data());
  wait(request);
  const double reduced = MPI_Wtime();
  EXPECT_NEAR(reduced - start, messages + rounds * network.leaving(bytes), rounding);
  MPI_Iallgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD,
                 request.data());
  wait(request);
  EXPECT_NEAR(MPI_Wtime() - reduced, messages + (ranks - 1) * network.leaving(bytes), rounding);
}

TEST(NetworkModel, AMessageLeavesAfterTheWorkBeforeIt) {
  const Network network;
  std::array<char, 100> data{};
  synchronise();
  const double start = MPI_Wtime();
  std::vector<MPI_Request> request(1);
  if (rank() == 0) {
    iterations += 100;
    MPI_Isend(data.data(), 100, MPI_BYTE, 1, 0, MPI_COMM_WORLD, request.data());
    return wait(request);
  }
  MPI_Irecv(data.data(), 100, MPI_BYTE, 0, 0, MPI_COMM_WORLD, request.data());
  wait(request);
  EXPECT_NEAR(MPI_Wtime() - start, 100 * iteration + network.transfer(100), rounding);
}

/// With which waiting ranks ask each other what they wait for.
TEST(NetworkModel, NotesTakeNoTime) {
  MPI_Comm notes;
  MPI_Comm_dup(MPI_COMM_WORLD, &notes);
  synchronise();
  int found = 0;
  MPI_Message message;
  const auto look = [&] {
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, notes, &found, &message, MPI_STATUS_IGNORE);
  };
  look();
  if (rank() == 0) iterations += 1000;
  const double start = MPI_Wtime();
  std::vector<MPI_Request> request(1);
  char note = 0;
  if (rank() == 0) {
    MPI_Isend(&note, 1, MPI_CHAR, 1, 5, notes, request.data());
  } else {
    while (!found) look();
    MPI_Imrecv(&note, 1, MPI_CHAR, &message, request.data());
  }
  wait(request);
  EXPECT_EQ(MPI_Wtime(), start);
  MPI_Comm_free(&notes);
}

TEST(NetworkModel, AMessageThatWasLookedForHasItsTimeToo) {
  const Network network;
  std::array<char, 500> data{};
  synchronise();
  const double start = MPI_Wtime();
  std::vector<MPI_Request> request(1);
  if (rank() == 0) {
    MPI_Issend(data.data(), 500, MPI_BYTE, 1, 7, MPI_COMM_WORLD, request.data());
    return wait(request);
  }
  MPI_Message message;
  for (int found = 0; !found;)
    MPI_Improbe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(data.data(), 500, MPI_BYTE, &message, request.data());
  wait(request);
  EXPECT_NEAR(MPI_Wtime() - start, network.transfer(500), rounding);
}

}  // namespace
