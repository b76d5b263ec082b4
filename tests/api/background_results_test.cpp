// SPDX-License-Identifier: BSD-3-Clause
// What ranks publish of results that their threads write, when some of them fail.
#include <api/background_results.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <core/error.hpp>
#include <support/expect_error.hpp>
#include <support/fake_communicator.hpp>

namespace op2::test {
namespace {

using api::BackgroundResults;
using comm::Communicator;
using comm::run_fake_ranks;
using testing::ElementsAre;
using testing::HasSubstr;

/// The calls that were published, in their order.
struct Published {
  void add(int call) {
    const std::lock_guard lock(mutex);
    calls.push_back(call);
  }
  std::mutex mutex;
  std::vector<int> calls;
};

/// Opens once.
struct Gate {
  void wait() const { opened.wait(); }
  std::promise<void> promise;
  std::shared_future<void> opened = promise.get_future().share();
};

[[noreturn]] void fail_to_write(int call) {
  core::fail(ErrorCode::io_failure, "no room: call {}; free some", call);
}

void begin(BackgroundResults& results, Published& published, int call,
           const std::function<void()>& write) {
  results.begin({1, write, [&published, call] { published.add(call); }, "a.pvd", {}});
}

std::string error_of_end(BackgroundResults& results, Communicator& ranks) {
  return error_text(ErrorCode::io_failure, [&] { results.finish(ranks); });
}

void begin(BackgroundResults& results, std::int64_t bytes, const std::function<void()>& write) {
  results.begin({bytes, write, nullptr, {}, {}});
}

TEST(BackgroundResults, AreWrittenInOrderAndFreeWhatTheyHold) {
  BackgroundResults results(100);
  std::vector<int> done;
  const auto held = std::make_shared<int>(3);
  for (int k = 0; k < 4; ++k) begin(results, 40, [&done, held, k] { done.push_back(k); });
  results.drain();
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(held.use_count(), 1);
}

/// The gate opens when the room is full already: otherwise this waits for ever.
TEST(BackgroundResults, WaitForRoom) {
  BackgroundResults results(100);
  std::atomic<bool> opened = false, begun = false;
  Gate gate;
  begin(results, 60, [&] { gate.wait(); });
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(begun);
    opened = true;
    gate.promise.set_value();
  });
  begin(results, 60, [] {});
  begun = true;
  EXPECT_TRUE(opened);
  opener.join();
}

TEST(BackgroundResults, ThatAreTooLargeAreWrittenAtOnce) {
  BackgroundResults results(100);
  bool done = false;
  begin(results, 10, [] {});
  begin(results, 1000, [&] { done = true; });
  EXPECT_TRUE(done);
}

/// Calls 1 to 3 are written and wait to be published while 4 is written, which fails.
TEST(BackgroundResults, OfEarlierCallsArePublishedWhenALaterOneFails) {
  Published published;
  run_fake_ranks(1, [&](Communicator& ranks) {
    BackgroundResults results(1000);
    Gate begun, gate;
    for (int call = 1; call <= 3; ++call) begin(results, published, call, [] {});
    begin(results, published, 4, [&] {
      begun.promise.set_value();
      gate.wait();
      fail_to_write(4);
    });
    begin(results, published, 5, [] {});
    begun.wait();
    results.look(ranks);
    gate.promise.set_value();
    EXPECT_THAT(error_of_end(results, ranks), HasSubstr("call 4"));
    EXPECT_EQ(results.unfinished(), 0U);
  });
  EXPECT_THAT(published.calls, ElementsAre(1, 2, 3));
}

/// The root is still writing what came before the failure.
TEST(BackgroundResults, OfEarlierCallsArePublishedWhenALaterOneOfAnotherRankFails) {
  Published published;
  run_fake_ranks(3, [&](Communicator& ranks) {
    BackgroundResults results(1000);
    const bool root = ranks.is_root(), last = ranks.rank() == 2;
    Gate tried;
    for (int call = 1; call <= 3; ++call)
      begin(results, published, call, [root] {
        if (root) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      });
    begin(results, published, 4, [&] {
      tried.promise.set_value();
      if (last) fail_to_write(4);
    });
    if (last) tried.wait();
    const std::string error = error_text(ErrorCode::io_failure, [&] {
      for (;;) results.look(ranks);
    });
    EXPECT_THAT(error, HasSubstr(last ? "call 4" : "rank 2: "));
    begin(results, published, 5, [] {});
    results.finish(ranks);
  });
  EXPECT_THAT(published.calls, ElementsAre(1, 2, 3, 5));
}

/// Otherwise a series would name a time that has no file.
TEST(BackgroundResults, AfterAFailedPublicationAreNotPublished) {
  Published published;
  run_fake_ranks(2, [&](Communicator& ranks) {
    BackgroundResults results(1000);
    begin(results, published, 1, [] {});
    results.begin({1, [] {}, [] { fail_to_write(2); }, "a.pvd", {}});
    begin(results, published, 3, [] {});
    results.drain();
    results.look(ranks);
    begin(results, published, 4, [] {});
    EXPECT_THAT(error_of_end(results, ranks), HasSubstr("call 2"));
    begin(results, published, 5, [] {});
    results.finish(ranks);
  });
  EXPECT_THAT(published.calls, ElementsAre(1, 5));
}

TEST(BackgroundResults, OfARankThatIsAloneAreWritten) {
  Published published;
  run_fake_ranks(1, [&](Communicator&) {
    BackgroundResults results(1000);
    int written = 0;
    for (int call = 1; call <= 50; ++call) begin(results, published, call, [&] { ++written; });
    results.drain();
    EXPECT_EQ(written, 50);
    EXPECT_EQ(results.unfinished(), 50U);
  });
  EXPECT_THAT(published.calls, ElementsAre());
}

}  // namespace
}  // namespace op2::test
