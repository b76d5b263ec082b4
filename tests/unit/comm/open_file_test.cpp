// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/open_file.hpp>

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include <gmock/gmock.h>

#include <support/expect_error.hpp>
#include <support/failing_calls.hpp>
#include <support/temporary_directory.hpp>

namespace op2::test {
namespace {

using namespace op2::comm;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t part_bytes = 1 << 16, parts = 10;

class WriteBehindTest : public testing::Test {
 protected:
  OpenFile file() const {
    std::ofstream{path};
    return OpenFile::existing(path, O_RDWR, path);
  }
  /// Parts of equal bytes, the first of zeros.
  static void write_parts(OpenFile& to) {
    WriteBehind behind(to, part_bytes);
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::vector<char> bytes(part_bytes, static_cast<char>(part));
      to.write_at(part * part_bytes, bytes.data(), bytes.size());
      behind.wrote(part * part_bytes, part_bytes / 2);
      behind.wrote(part * part_bytes + part_bytes / 2, part_bytes / 2);
    }
  }

  const TemporaryDirectory directory;
  const std::string path = directory / "a";
};

TEST_F(WriteBehindTest, ChangesNoByte) {
  OpenFile to = file();
  write_parts(to);
  const std::string content = content_of(path);
  ASSERT_EQ(content.size(), static_cast<std::size_t>(part_bytes * parts));
  for (std::size_t k = 0; k < content.size(); ++k)
    ASSERT_EQ(content[k], static_cast<char>(k / part_bytes)) << k;
}

/// Each call of the system fails once. Errors of those that do not wait come when the file is
/// closed.
TEST_F(WriteBehindTest, ReportsErrorsOfTheCallsThatWait) {
  OpenFile to = file();
  int begun = 0, waited = 0;
  for (int k = 1;; ++k) {
    const FailingCall failing(directory.path().string(), k);
    std::string error;
    try {
      write_parts(to);
    } catch (const Error& thrown) {
      error = thrown.what();
    }
    if (!failing.happened()) break;
    if (error.empty()) ++begun;
    if (error.find("65536 bytes from byte 0 on") != std::string::npos) ++waited;
  }
  EXPECT_EQ(begun, parts);
  EXPECT_EQ(waited, 2);  // to write the first part, and to wait for it
}

/// Rows of several dats are not one after the other in the file.
TEST_F(WriteBehindTest, CountsWhatIsApart) {
  OpenFile to = file();
  int begun = 0;
  for (int k = 1;; ++k) {
    WriteBehind behind(to, part_bytes);
    const FailingCall failing(directory.path().string(), k);
    for (std::int64_t quarter = 0; quarter < 8; ++quarter)
      behind.wrote(quarter * part_bytes, part_bytes / 4);
    if (!failing.happened()) break;
    ++begun;
  }
  EXPECT_EQ(begun, 8);
}

TEST_F(WriteBehindTest, IsContentIfTheSystemCannot) {
  OpenFile to = file();
  for (int k = 1; k < 2 * parts; ++k) {
    const FailingCall failing(directory.path().string(), k, FailingCall::Then::be_interrupted);
    write_parts(to);
  }
}

}  // namespace
}  // namespace op2::test
