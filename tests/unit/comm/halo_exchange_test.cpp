// SPDX-License-Identifier: BSD-3-Clause
// Messages of a halo exchange, and who fills them.
#include <comm/halo/halo_exchange.hpp>

#include <string>

#include <gmock/gmock.h>

#include <support/fake_communicator.hpp>

namespace op2::test {
namespace {

using comm::HaloMessages;
using testing::ElementsAre;

/// Each of two ranks owns rows 0 .. 2, sends rows 2 and 0 and has the other's as rows 3 and 4.
struct TwoRanks {
  explicit TwoRanks(int rank) : other(1 - rank) {
    plan.sets[0].levels = {{{{other, 3, 2}}, {{other, {2, 0}}}}};
    set.layout = &layout;
  }
  core::Dat& dat(int dim, const char* name) {
    return mesh.add_dat(&set, dim, Type::i32, nullptr, name, false);
  }
  HaloMessages messages(const std::vector<comm::DatLayers>& layers, core::Grouping grouping) const {
    return halo_messages(plan, layers, grouping);
  }

  int other;
  core::Layout layout{std::vector<std::int32_t>(-core::deepest_tracked + 2, 5), {}, {}};
  core::Mesh mesh;
  core::Set& set = mesh.add_set({0, 3, 6}, "cells");
  comm::HaloPlan plan{1 - other, 2, std::vector<comm::IndexMap>(1), {}};
};

TEST(HaloMessages, HoldTheSegmentsOfAllDatsBehindAHeader) {
  TwoRanks ranks(0);
  core::Dat &q = ranks.dat(3, "q"), &res = ranks.dat(1, "res");
  const HaloMessages all = ranks.messages({{&q, 0, 1}, {&res, 0, 1}}, core::Grouping::grouped);
  ASSERT_EQ(all.outgoing.size(), 1U);
  EXPECT_EQ(all.outgoing[0].rank, 1);
  EXPECT_EQ(all.outgoing[0].segments[0].offset, 16U);
  EXPECT_EQ(all.outgoing[0].segments[1].offset, 16U + 32U);  // 2 rows x 3 ints, padded
  EXPECT_EQ(all.outgoing[0].segments[1].dat, &res);
  EXPECT_THAT(all.outgoing[0].segments[0].rows, ElementsAre(2, 0));
  EXPECT_EQ(all.bytes, 16U + 32U + 16U);
  EXPECT_EQ(all.rows, 4);
}

TEST(HaloMessages, ArriveInOneIndexRangePerDat) {
  TwoRanks ranks(0);
  const HaloMessages all = ranks.messages({{&ranks.dat(1, "q"), 0, 1}}, core::Grouping::grouped);
  ASSERT_EQ(all.incoming.size(), 1U);
  EXPECT_EQ(all.incoming[0].bytes, all.outgoing[0].bytes);
  EXPECT_EQ(all.incoming[0].segments[0].begin, 3);
  EXPECT_EQ(all.incoming[0].segments[0].count, 2);
}

TEST(HaloMessages, AreOnePerDatIfTheyAreNotGrouped) {
  TwoRanks ranks(0);
  core::Dat &q = ranks.dat(1, "q"), &res = ranks.dat(1, "res");
  const HaloMessages all = ranks.messages({{&q, 0, 1}, {&res, 0, 1}}, core::Grouping::separate);
  EXPECT_EQ(all.outgoing.size(), 2U);
  EXPECT_EQ(all.incoming.size(), 2U);
}

/// Sends the rank's own number and notes what it is asked for.
class NotingPacker final : public comm::Packer {
 public:
  NotingPacker(std::byte own, std::string& notes) : own_(own), notes_(notes) {}
  core::HostBytes allocate(std::size_t bytes) override {
    notes_ += "allocate " + std::to_string(bytes) + "; ";
    return core::zeroed_bytes(bytes);
  }
  void pack(const HaloMessages& messages, comm::Channel& channel) override {
    channel.outgoing(0)[messages.outgoing[0].segments[0].offset] = own_;
    notes_ += "pack; ";
  }
  void finish_packing(const HaloMessages& messages, comm::Channel& channel,
                      std::uint64_t fingerprint) override {
    notes_ += "headers " + std::to_string(fingerprint) + "; ";
    Packer::finish_packing(messages, channel, fingerprint);
  }
  void unpack(const HaloMessages& messages, const comm::Channel& channel) override {
    const auto found = channel.incoming(0)[messages.incoming[0].segments[0].offset];
    notes_ += "unpack " + std::to_string(static_cast<int>(found));
  }

 private:
  std::byte own_;
  std::string& notes_;
};

TEST(HaloExchange, LeavesMemoryAndRowsToThePacker) {
  comm::run_fake_ranks(2, [](comm::Communicator& communicator) {
    TwoRanks ranks(communicator.rank());
    std::string notes;
    const std::byte own{static_cast<unsigned char>(7 + communicator.rank())};
    comm::HaloExchange exchange(
        communicator, ranks.messages({{&ranks.dat(1, "q"), 0, 1}}, core::Grouping::grouped),
        std::make_unique<NotingPacker>(own, notes));
    exchange.pack(1);
    EXPECT_EQ(notes, "allocate 64; allocate 64; pack; ");
    for (int twice = 0; twice < 2; ++twice) exchange.send();  // the second does nothing
    exchange.finish();
    EXPECT_EQ(notes, "allocate 64; allocate 64; pack; headers 1; unpack " +
                         std::to_string(7 + ranks.other));
  });
}

}  // namespace
}  // namespace op2::test
