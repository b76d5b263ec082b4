// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/leftovers.hpp>

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <comm/files/file_writer.hpp>
#include <core/error.hpp>
#include <support/failing_calls.hpp>
#include <support/temporary_directory.hpp>

namespace {

using namespace op2::comm;
using namespace op2::test;

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
