// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/open_file.hpp>

#include <array>
#include <csignal>
#include <string>

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <core/error.hpp>
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
  {
    FileWriter(directory / "a.txt").write("half");
  }
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
  struct stat status{};
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

/// Runs an action in a child process, which then waits until it is killed.
template <class Action>
pid_t start_child(const Action& action) {
  std::array<int, 2> ready{};
  if (pipe(ready.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    action([&] {
      static_cast<void>(write(ready[1], "!", 1) == 1);
      for (;;) pause();
    });
  }
  char done = 0;
  static_cast<void>(read(ready[0], &done, 1) == 1);
  close(ready[0]);
  close(ready[1]);
  return child;
}

void end_child(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

class LeftoversTest : public testing::Test {
 protected:
  const TemporaryDirectory directory;
  const std::string path = directory / "a.txt";

  pid_t start_writer() const {
    return start_child([&](const auto& wait) {
      FileWriter file(path);
      file.write("half");
      wait();
    });
  }
  void publish(const char* text) const {
    FileWriter file(path);
    file.write(text);
    file.publish();
    EXPECT_EQ(content_of(path), text);
  }
  /// The name that a process that has ended would give a temporary file.
  std::string name_of_a_dead_writer() const {
    const pid_t child = start_child([](const auto& wait) { wait(); });
    end_child(child);
    std::string name = temporary_name(path, 0);
    const std::string mine = fmt::format(".{}-", getpid());
    return name.replace(name.rfind(mine), mine.size(), fmt::format(".{}-", child));
  }
  static void touch(const std::string& name) { std::ofstream(name) << "half"; }
};

TEST_F(LeftoversTest, OfAKilledWriterAreRemovedByTheNext) {
  end_child(start_writer());
  EXPECT_EQ(directory.file_count(), 1U);
  publish("new");
  EXPECT_EQ(directory.file_count(), 1U);
}

TEST_F(LeftoversTest, AreNotTheFilesOfAWriterThatRuns) {
  const pid_t other = start_writer();
  publish("new");
  EXPECT_EQ(directory.file_count(), 2U);
  end_child(other);
  publish("newer");
  EXPECT_EQ(directory.file_count(), 1U);
}

TEST_F(LeftoversTest, OfALaterProcessWithTheSameNumberAreToldApart) {
  std::string name = temporary_name(path, 0);
  name.insert(name.rfind('-'), "7");  // another start time
  touch(name);
  publish("new");
  EXPECT_FALSE(std::filesystem::exists(name));
}

TEST_F(LeftoversTest, OfOtherHostsAndOtherProgramsStay) {
  std::string other = name_of_a_dead_writer();
  other.insert(other.find("a.txt.") + 6, "x");
  for (const std::string& name : {other, path + ".tmp", path + ".1-2-3.tmp", directory / "b"}) {
    touch(name);
    publish("new");
    EXPECT_TRUE(std::filesystem::exists(name)) << name;
  }
}

TEST_F(LeftoversTest, OfOtherUsersStay) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of other users";
  const std::string name = name_of_a_dead_writer();
  touch(name);
  ASSERT_EQ(chown(name.c_str(), 65534, 65534), 0);
  publish("new");
  EXPECT_TRUE(std::filesystem::exists(name));
}

/// As by a writer in another container, whose number says nothing here.
TEST_F(LeftoversTest, ThatAreLockedStay) {
  const std::string name = name_of_a_dead_writer();
  touch(name);
  const int file = open(name.c_str(), O_RDONLY);
  ASSERT_EQ(flock(file, LOCK_EX), 0);
  publish("new");
  EXPECT_TRUE(std::filesystem::exists(name));
  close(file);
  publish("newer");
  EXPECT_FALSE(std::filesystem::exists(name));
}

/// An exclusive lock of a file on NFS needs a descriptor that may write.
TEST_F(LeftoversTest, ThatAreLockedOnNfsStay) {
  const LikeNfs nfs;
  const std::string name = name_of_a_dead_writer();
  touch(name);
  const int file = open(name.c_str(), O_RDWR);
  ASSERT_EQ(flock(file, LOCK_EX), 0);
  publish("new");
  EXPECT_TRUE(std::filesystem::exists(name));
  close(file);
  publish("newer");
  EXPECT_FALSE(std::filesystem::exists(name));
}

/// Each call of the removal fails in turn.
TEST_F(LeftoversTest, ThatCannotBeLockedStay) {
  const std::string name = name_of_a_dead_writer();
  touch(name);
  const int file = open(name.c_str(), O_RDWR);
  ASSERT_EQ(flock(file, LOCK_EX), 0);
  for (int k = 1; k <= 10; ++k) {
    {
      const FailingCall failing(directory.path().string(), k);
      remove_leftovers(directory.path().string(), "a.txt.");
    }
    EXPECT_TRUE(std::filesystem::exists(name)) << k;
  }
  close(file);
}

TEST_F(LeftoversTest, OfAWriterThatCannotLockAreNotRecognised) {
  bool kept = false;
  for (int k = 1; k <= 10; ++k) {
    const FailingCall failing(directory.path().string(), k);
    try {
      const FileWriter file(path);
      for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
        kept = kept || entry.path().extension() != ".tmp";
    } catch (const op2::Error&) {  // the call was not the lock
    }
    EXPECT_EQ(directory.file_count(), 0U);
  }
  EXPECT_TRUE(kept);
}

TEST_F(LeftoversTest, AreNeverFollowedToOtherFiles) {
  const std::string name = name_of_a_dead_writer();
  touch(directory / "precious");
  std::filesystem::create_symlink(directory / "precious", name);
  publish("new");
  EXPECT_TRUE(std::filesystem::exists(directory / "precious"));
}

}  // namespace
