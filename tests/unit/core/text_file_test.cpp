// SPDX-License-Identifier: BSD-3-Clause
#include <core/text_file.hpp>

#include <sys/stat.h>

#include <gmock/gmock.h>

#include <support/lease.hpp>
#include <support/temporary_directory.hpp>

namespace {

using namespace op2::test;
using testing::Optional;

TEST(TextFile, OnWhichAnotherHoldsALeaseIsRead) {
  const TemporaryDirectory directory;
  const std::string path = directory / "a.txt";
  std::ofstream(path) << "text";
  const Lease lease(path);
  if (!lease.held()) GTEST_SKIP() << "this file system has no leases";
  EXPECT_THAT(op2::core::read_file(path.c_str()), Optional(std::string("text")));
}

TEST(TextFile, ThatIsAFifoIsNotWaitedFor) {
  const TemporaryDirectory directory;
  const std::string path = directory / "a.txt";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(op2::core::read_file(path.c_str()), std::nullopt);
}

}  // namespace
