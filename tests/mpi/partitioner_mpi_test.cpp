// SPDX-License-Identifier: BSD-3-Clause
// A partitioner of the test: one function and one row of the registry.
#include <gmock/gmock.h>

#include <api/session.hpp>
#include <comm/partition/partition.hpp>
#include <op2/decl.hpp>
#include <op2/runtime.hpp>
#include <support/expect_error.hpp>

namespace op2::test {
namespace {

using comm::PartitionInput;
using comm::PartitionTask;
using testing::HasSubstr;

/// Element e goes to rank e % ranks.
std::optional<comm::Owners> dealt(const PartitionTask& task, std::string&) {
  const auto rank = static_cast<std::size_t>(task.communicator.rank());
  comm::Owners owners;
  for (auto e = task.blocks().begin[rank]; e < task.blocks().begin[rank + 1]; ++e)
    owners.push_back(static_cast<std::int32_t>(e % task.communicator.size()));
  return owners;
}

class NewPartitioner : public testing::Test {
 protected:
  NewPartitioner() {
    op_init(0, nullptr, 0);
    api::usable().partitioners.push_back({"dealer", "dealing", PartitionInput::nothing, dealt});
    cells_ = op_decl_set(7, "cells");
  }
  ~NewPartitioner() override { op_exit(); }

  op_set cells_;
};

TEST_F(NewPartitioner, IsFoundByItsName) {
  op_partition("Dealer", "", cells_, nullptr, nullptr);
  const auto& rows = api::usable().rows;
  if (rows.communicator().size() == 1) return;
  for (const auto id : rows.halo_plan().sets[0].placement.owned())
    EXPECT_EQ(id % rows.communicator().size(), rows.communicator().rank());
}

TEST_F(NewPartitioner, IsListedWhereANameIsUnknown) {
  const auto text = error_text(ErrorCode::bad_option,
                               [&] { op_partition("METIS", "", cells_, nullptr, nullptr); });
  EXPECT_THAT(text, HasSubstr("use ptscotch, rcb, block, random, external or dealer"));
}
static_assert(__LINE__ < 60, "a new partitioner is this short");

}  // namespace
}  // namespace op2::test
