// SPDX-License-Identifier: BSD-3-Clause
#include <comm/partition/partitioners.hpp>

#include <gmock/gmock.h>

#include <comm/partition/partition.hpp>
#include <support/expect_error.hpp>
#include <support/fake_communicator.hpp>

namespace op2::test {
namespace {

using comm::Partitioner;
using comm::PartitionInput;
using testing::HasSubstr;

Partitioner named(const std::string& name) {
  return {name, "a test", PartitionInput::nothing, nullptr};
}

TEST(Partitioners, AreFoundByName) {
  const auto all = comm::library_partitioners();
  ASSERT_NE(all.find("rcb"), nullptr);
  EXPECT_EQ(all.find("rcb")->input, PartitionInput::coordinates);
  EXPECT_EQ(all.find("metis"), nullptr);
}

TEST(Partitioners, OfOneNameAreAnError) {
  auto all = comm::library_partitioners();
  const auto text = error_text(ErrorCode::bad_name, [&] { all.add(named("rcb")); });
  EXPECT_THAT(text, HasSubstr("two partitioners have the same name: 'rcb'"));
  EXPECT_EQ(all.find("rcb")->title, "coordinate bisection") << "the first one stays";
}

TEST(Partitioners, NeedANameInLowerCase) {
  auto all = comm::library_partitioners();
  error_text(ErrorCode::bad_name, [&] { all.add(named("")); });
  const auto text = error_text(ErrorCode::bad_name, [&] { all.add(named("Metis")); });
  EXPECT_THAT(text, HasSubstr("'Metis'; use lower-case letters"));
}

TEST(Partitioners, AreListedInTheirOrder) {
  auto all = comm::library_partitioners();
  all.add(named("metis"));
  EXPECT_EQ(all.names(), "ptscotch, rcb, block, random, external or metis");
}

TEST(GivenOwners, OutOfRangeNameTheDatTheElementAndTheRanks) {
  const auto text = error_text(ErrorCode::bad_range, [] {
    comm::run_fake_ranks(2, [](comm::Communicator& ranks) {
      const std::int32_t owners[] = {1, ranks.is_root() ? 0 : 2};
      comm::given_owners(ranks, comm::Blocks{{0, 2, 4}}, owners, "part");
    });
  });
  EXPECT_THAT(text, HasSubstr("dat 'part'[3] = 2, not in [0, 2)"));
}

}  // namespace
}  // namespace op2::test
