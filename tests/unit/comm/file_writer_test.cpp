// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/file_writer.hpp>

#include <sys/stat.h>

#include <gmock/gmock.h>

#include <support/expect_error.hpp>
#include <support/failing_calls.hpp>
#include <support/poor_disk.hpp>
#include <support/temporary_directory.hpp>

namespace {

using namespace op2;
using namespace op2::comm;
using namespace op2::test;
using testing::AllOf;
using testing::HasSubstr;

TEST(FileWriter, ShowsTheFileOnlyWhenItIsComplete) {
  const TemporaryDirectory directory;
  FileWriter file(directory / "a.txt");
  file.write("first ");
  file.write("second");
  EXPECT_FALSE(std::filesystem::exists(directory / "a.txt"));
  file.publish();
  EXPECT_EQ(content_of(directory / "a.txt"), "first second");
  EXPECT_EQ(directory.file_count(), 1u);
}

TEST(FileWriter, LeavesNothingBehindUnlessPublished) {
  const TemporaryDirectory directory;
  { FileWriter(directory / "a.txt").write("half"); }
  EXPECT_EQ(directory.file_count(), 0u);
}

TEST(FileWriter, KeepsTheOldFileWhenTheDiskIsFull) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "a.txt") << "old";
  const auto write_too_much = [&] {
    FileWriter file(directory / "a.txt");
    file.write(std::string(1 << 20, 'x'));
    file.publish();
  };
  {
    const FileSizeLimit limit(4096);
    EXPECT_THAT(error_text(ErrorCode::io_failure, write_too_much),
                AllOf(HasSubstr("a.txt"), HasSubstr("File too large"), HasSubstr("ulimit -f")));
  }
  EXPECT_EQ(content_of(directory / "a.txt"), "old");
  EXPECT_EQ(directory.file_count(), 1u);
}

TEST(FileWriter, ReportsAFullDiskAtTheEndOfASmallFile) {
  const TemporaryDirectory directory;
  const FileSizeLimit limit(10);
  FileWriter file(directory / "a.txt");
  file.write("still in the buffer");
  error_text(ErrorCode::io_failure, [&] { file.publish(); });
  EXPECT_FALSE(std::filesystem::exists(directory / "a.txt"));
}

TEST(FileWriter, NamesTheMissingDirectory) {
  EXPECT_THAT(error_text(ErrorCode::io_failure, [] { FileWriter("/no/such/folder/a.txt"); }),
              AllOf(HasSubstr("'/no/such/folder/a.txt'"), HasSubstr("No such file or directory"),
                    HasSubstr("create its directory")));
}

TEST(FileWriter, SaysWhenTheDirectoryMayNotBeWritten) {
  const TemporaryDirectory directory;
  chmod(directory.path().c_str(), 0555);
  EXPECT_EQ(status_of_a_write_without_rights([&] { FileWriter file(directory / "a.txt"); }), 0);
  chmod(directory.path().c_str(), 0755);
  EXPECT_EQ(directory.file_count(), 0u);
}

TEST(FileWriter, NeverReplacesADeviceOrDirectory) {
  EXPECT_THAT(error_text(ErrorCode::io_failure, [] { FileWriter("/dev/null"); }),
              HasSubstr("'/dev/null': it is a device, not a regular file"));
  const TemporaryDirectory directory;
  error_text(ErrorCode::io_failure, [&] { FileWriter file(directory.path().string()); });
}

/// Opening a FIFO would wait for a reader.
TEST(FileWriter, RefusesAFifoAtOnce) {
  const TemporaryDirectory directory;
  ASSERT_EQ(mkfifo((directory / "a.txt").c_str(), 0600), 0);
  EXPECT_THAT(error_text(ErrorCode::io_failure, [&] { FileWriter file(directory / "a.txt"); }),
              HasSubstr("a.txt': it is a FIFO, not a regular file; choose another path"));
  EXPECT_EQ(directory.file_count(), 1u);
}

TEST(FileWriter, KeepsThePermissionsOfTheFileThatItReplaces) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "a.txt") << "old";
  chmod((directory / "a.txt").c_str(), 0604);
  FileWriter file(directory / "a.txt");
  file.write("new");
  file.publish();
  struct stat status {};
  ASSERT_EQ(stat((directory / "a.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0604U);
}

TEST(FileWriter, WritesThroughASymbolicLink) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "real.txt") << "old";
  std::filesystem::create_symlink(directory / "real.txt", directory / "link.txt");
  FileWriter file(directory / "link.txt");
  file.write("text");
  file.publish();
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link.txt"));
  EXPECT_EQ(content_of(directory / "real.txt"), "text");
}

TEST(FileWriter, NeverReplacesAFileThatIsWriteProtected) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "a.txt") << "old";
  chmod((directory / "a.txt").c_str(), 0444);
  chmod(directory.path().c_str(), 0777);
  EXPECT_EQ(status_of_a_write_without_rights([&] {
              FileWriter file(directory / "a.txt");
              file.publish();
            }),
            0);
  EXPECT_EQ(content_of(directory / "a.txt"), "old");
}

TEST(FileWriter, OfAPrivateFileNeverShowsItsTextToOthers) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "a.txt") << "old";
  chmod((directory / "a.txt").c_str(), 0600);
  const FailingCall failing(directory.path().string(), 1, FailingCall::Then::be_short);
  FileWriter file(directory / "a.txt");
  file.publish();
  EXPECT_TRUE(failing.created());
  EXPECT_EQ(failing.created().value_or(0777) & 077, 0U);
}

TEST(FileWriter, SaysThatTheTemporaryNameIsLonger) {
  const TemporaryDirectory directory;
  EXPECT_THAT(error_text(ErrorCode::io_failure,
                         [&] { FileWriter(directory / std::string(240, 'a').c_str()); }),
              AllOf(HasSubstr("File name too long"), HasSubstr("temporary file is longer")));
}

/// A folder at the target appears while the file is written: renaming fails.
TEST(FileWriter, KeepsACompleteFileThatCannotGetItsName) {
  const TemporaryDirectory directory;
  FileWriter file(directory / "a.txt");
  file.write("text");
  std::filesystem::create_directory(directory / "a.txt");
  const std::string text = error_text(ErrorCode::io_failure, [&] { file.publish(); });
  const std::size_t begin = text.find("cannot rename '") + 15;
  EXPECT_EQ(content_of(text.substr(begin, text.find('\'', begin) - begin)), "text") << text;
}

TEST(FileWriter, SaysThatItsTemporaryFileHasVanished) {
  const TemporaryDirectory directory;
  FileWriter file(directory / "a.txt");
  for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
    std::filesystem::remove(entry);
  EXPECT_THAT(error_text(ErrorCode::io_failure, [&] { file.publish(); }),
              AllOf(HasSubstr("has vanished"), HasSubstr("a.txt'")));
}

}  // namespace
