// SPDX-License-Identifier: BSD-3-Clause
// MPI as the message layer, and how it names ranks that do different things.
#include <comm/messages/mpi_communicator.hpp>

#include <string>

#include <gmock/gmock.h>
#include <mpi.h>

#include <support/communicator_checks.hpp>
#include <support/expect_error.hpp>

namespace op2::test {
namespace {

using comm::CollectiveSignature;
using comm::MpiOptions;
using comm::start_mpi;
using testing::AnyOf;
using testing::HasSubstr;

class EveryCheck : public testing::TestWithParam<CommunicatorCheck> {};

TEST_P(EveryCheck, HoldsUnderMpi) {
  const auto session = start_mpi({});
  GetParam().run(*session->communicator);
}

TEST_P(EveryCheck, HoldsWithMessagesInPieces) {
  const auto session = start_mpi({}, MpiOptions{.largest_message = 1000});
  GetParam().run(*session->communicator);
}

TEST_P(EveryCheck, HoldsWithReductionsByNode) {
  for (const int ranks_per_node : {0, 1, 2, 3, 8}) {
    SCOPED_TRACE(ranks_per_node);
    const auto session = start_mpi({});
    session->communicator->reduce_by(core::ReduceMode::by_node, ranks_per_node);
    GetParam().run(*session->communicator);
  }
}

INSTANTIATE_TEST_SUITE_P(Communicator, EveryCheck, testing::ValuesIn(communicator_checks),
                         [](const auto& check) { return std::string(check.param.name); });

}  // namespace
}  // namespace op2::test
