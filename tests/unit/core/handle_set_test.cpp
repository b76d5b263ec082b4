// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include <core/handle_set.hpp>

namespace op2::core {
namespace {

TEST(HandleSet, ContainsWhatWasInsertedHoweverMuch) {
  const std::vector<double> records(1000);
  HandleSet set;
  for (std::size_t k = 0; k < records.size(); k += 2) set.insert(&records[k]);
  for (std::size_t k = 0; k < records.size(); ++k)
    ASSERT_EQ(set.contains(&records[k]), k % 2 == 0) << k;
}

TEST(HandleSet, KeepsAllOthersWhenOneIsErased) {
  const std::vector<double> records(100);
  HandleSet set;
  for (const double& record : records) set.insert(&record);
  for (std::size_t gone = 0; gone < records.size(); ++gone) {
    set.erase(&records[gone]);
    for (std::size_t k = 0; k < records.size(); ++k)
      ASSERT_EQ(set.contains(&records[k]), k > gone) << gone << " erased, " << k;
  }
}

TEST(HandleSet, ContainsARecordOnce) {
  const double record = 0;
  HandleSet set;
  for (int k = 0; k < 100; ++k) set.insert(&record);
  set.erase(&record);
  EXPECT_FALSE(set.contains(&record));
}

TEST(HandleSet, NeverContainsNull) {
  HandleSet set;
  EXPECT_FALSE(set.contains(nullptr));
  set.erase(nullptr);
  EXPECT_FALSE(set.contains(nullptr));
}

TEST(HandleSet, ContainsNothingOnceCleared) {
  const double record = 0;
  HandleSet set;
  set.insert(&record);
  set.clear();
  EXPECT_FALSE(set.contains(&record));
}

}  // namespace
}  // namespace op2::core
