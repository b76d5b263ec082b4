// SPDX-License-Identifier: BSD-3-Clause
// Joining an MPI that the program has started.
#include <optional>

#include <gmock/gmock.h>
#include <mpi.h>

#include <comm/messages/mpi_communicator.hpp>

namespace op2::test {
namespace {

using comm::mpi_is_running;
using comm::start_mpi;

TEST(MpiSession, LeavesMpiToTheProgramThatHasStartedIt) {
  start_mpi({}).reset();
  EXPECT_TRUE(mpi_is_running());
  EXPECT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

TEST(MpiSession, UsesACommunicatorOfTheUser) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half;  // even and odd ranks, numbered backwards
  ASSERT_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half), MPI_SUCCESS);
  {
    const auto session = start_mpi(MPI_Comm_c2f(half));
    comm::Communicator& ranks = *session->communicator;
    EXPECT_EQ(ranks.size(), (size + 1 - rank % 2) / 2);
    EXPECT_EQ(ranks.rank(), ranks.size() - 1 - rank / 2);
    EXPECT_EQ(ranks.gather_all(comm::Bytes(1)).size(), static_cast<std::size_t>(ranks.size()));
  }
  int still_there = 0;
  EXPECT_EQ(MPI_Comm_size(half, &still_there), MPI_SUCCESS);
  MPI_Comm_free(&half);
}

TEST(MpiSession, DoesNotTouchMessagesOfTheUser) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int sent = 42, received = 0;
  MPI_Request requests[2];  // to oneself, with a tag that the library uses too
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  {
    const auto session = start_mpi({});
    session->communicator->exchange({{0, comm::Bytes(4)}});
    session->communicator->broadcast(comm::Bytes(4), 0);
  }
  MPI_Isend(&sent, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT_EQ(received, 42);
}

TEST(MpiSession, HasAHandleForOtherLibraries) {
  const auto session = start_mpi({});
  const std::optional<int> handle = session->communicator->mpi_handle();
  ASSERT_TRUE(handle);
  int size = 0, same = MPI_UNEQUAL;
  EXPECT_EQ(MPI_Comm_size(MPI_Comm_f2c(*handle), &size), MPI_SUCCESS);
  EXPECT_EQ(size, session->communicator->size());
  MPI_Comm_compare(MPI_Comm_f2c(*handle), MPI_COMM_WORLD, &same);
  EXPECT_EQ(same, MPI_CONGRUENT) << "a duplicate of the communicator";
}

TEST(MpiSession, CanBeOpenedManyTimes) {
  for (int turn = 0; turn < 100; ++turn) start_mpi({})->communicator->barrier();
}

TEST(MpiSession, ToleratesManyChannels) {
  const auto session = start_mpi({});
  comm::Communicator& ranks = *session->communicator;
  std::vector<comm::Peer> peers;
  for (int rank = 0; rank < ranks.size(); ++rank)
    if (rank != ranks.rank()) peers.push_back({rank, 8});
  for (int turn = 0; turn < 50'000 / ranks.size(); ++turn) {
    const auto channel = ranks.open_channel(peers, peers);
    channel->start();
    channel->wait();
  }
}

}  // namespace
}  // namespace op2::test
