// SPDX-License-Identifier: BSD-3-Clause
#include <core/background_queue.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>

#include <core/error.hpp>

namespace op2::core {
namespace {

using testing::HasSubstr;
using Ticket = BackgroundQueue::Ticket;

/// Lets an action wait until the end of the object.
class Gate {
 public:
  ~Gate() { open_.set_value(); }
  std::function<void()> wait() {
    return [opened = opened_] { opened.wait(); };
  }

 private:
  std::promise<void> open_;
  std::shared_future<void> opened_ = open_.get_future().share();
};

TEST(BackgroundQueue, RunsActionsInOrderAndFreesWhatTheyHold) {
  BackgroundQueue queue(100);
  std::vector<int> done;
  const auto held = std::make_shared<int>(3);
  for (int k = 0; k < 50; ++k) queue.push(7, [&done, held, k] { done.push_back(k); });
  queue.wait();
  std::vector<int> expected(50);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(done, expected);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(BackgroundQueue, ReturnsBeforeAnActionRuns) {
  BackgroundQueue queue(100);
  Ticket last = 0;
  {
    Gate gate;
    queue.push(50, gate.wait());
    last = queue.push(50, [] {});
    EXPECT_FALSE(queue.is_finished(last));
  }
  queue.wait();
  EXPECT_TRUE(queue.is_finished(last));
}

TEST(BackgroundQueue, HoldsAtMostSoManyBytes) {
  BackgroundQueue queue(1000);
  std::mt19937 random(1);
  std::atomic<std::int64_t> held = 0, most = 0;
  for (int k = 0; k < 2000; ++k) {
    const std::int64_t bytes = 1 + random() % 400;
    const auto memory = std::shared_ptr<void>(nullptr, [&held, bytes](void*) { held -= bytes; });
    queue.push(bytes, [memory] {});
    held += bytes;
    most = std::max(most.load(), held.load());
  }
  queue.wait();
  EXPECT_LE(queue.most_held(), 1000);
  EXPECT_GT(queue.most_held(), 600);
}

/// The gate opens when the queue is full already: otherwise this waits for ever.
TEST(BackgroundQueue, WaitsWhenItIsFull) {
  BackgroundQueue queue(100);
  std::atomic<bool> opened = false, pushed = false;
  std::promise<void> open;
  queue.push(60, [&, gate = open.get_future().share()] { gate.wait(); });
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(pushed);
    opened = true;
    open.set_value();
  });
  queue.push(60, [] {});
  pushed = true;
  EXPECT_TRUE(opened);
  opener.join();
}

TEST(BackgroundQueue, DoesWhatIsTooLargeAtOnce) {
  BackgroundQueue queue(100);
  bool done = false;
  queue.push(10, [] {});
  const Ticket ticket = queue.push(1000, [&] { done = true; });
  EXPECT_TRUE(done);
  EXPECT_TRUE(queue.is_finished(ticket));
  EXPECT_LE(queue.most_held(), 100);
}

TEST(BackgroundQueue, KeepsTheFirstErrorAndDropsWhatFollows) {
  BackgroundQueue queue(100);
  int done = 0;
  queue.push(1, [&] { ++done; });
  const Ticket failing =
      queue.push(1, [] { fail(ErrorCode::io_failure, "no room: {}; free some", "disk"); });
  queue.push(1, [&] { ++done; });
  queue.push(1, [] { throw std::runtime_error("another"); });
  queue.wait();
  const auto progress = queue.take_progress();
  const auto& failure = progress.failure;
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->ticket, failing);
  EXPECT_EQ(failure->error.code(), ErrorCode::io_failure);
  EXPECT_EQ(done, 1);
  EXPECT_FALSE(progress.includes(failing));
  EXPECT_TRUE(progress.includes(failing - 1));
  EXPECT_FALSE(queue.take_progress().failure.has_value());
  queue.push(1, [&] { ++done; });
  queue.push(1, [] { throw std::runtime_error("another"); });
  queue.wait();
  EXPECT_EQ(done, 2);
  EXPECT_THAT(queue.take_progress().failure->error.what(), HasSubstr("another"));
}

TEST(BackgroundQueue, RunsUrgentActionsBeforeOthersThatWait) {
  BackgroundQueue queue(100);
  std::vector<int> done;
  Ticket last = 0;
  {
    std::promise<void> begun;
    Gate gate;
    queue.push(1, [&, wait = gate.wait()] {
      begun.set_value();
      wait();
      done.push_back(1);
    });
    queue.push(99, [&] { done.push_back(2); });
    begun.get_future().wait();
    queue.push_urgent([&] { done.push_back(3); });
    last = queue.push_urgent([&] { done.push_back(4); });
    EXPECT_FALSE(queue.urgent_is_finished(last));
  }
  queue.wait();
  EXPECT_TRUE(queue.urgent_is_finished(last));
  EXPECT_THAT(done, testing::ElementsAre(1, 3, 4, 2));
}

TEST(BackgroundQueue, DropsUrgentActionsOnlyAfterAnUrgentOne) {
  BackgroundQueue queue(100);
  int done = 0;
  const auto failing = [] { fail(ErrorCode::io_failure, "no room: {}; free some", "disk"); };
  queue.push(1, failing);
  queue.wait();
  queue.push(1, [&] { ++done; });
  queue.push_urgent([&] { done += 10; });
  queue.wait();
  EXPECT_EQ(done, 10);
  queue.push_urgent(failing);
  queue.push_urgent([&] { done += 100; });
  queue.push(1, [&] { done += 1000; });
  const auto progress = queue.take_progress();
  EXPECT_EQ(progress.failure->ticket, 1);
  EXPECT_EQ(progress.urgent_failure->ticket, 2);
  EXPECT_EQ(done, 10);
  EXPECT_FALSE(queue.take_progress().failed());
}

}  // namespace
}  // namespace op2::core
