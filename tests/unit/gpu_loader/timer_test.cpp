// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/space.hpp>

#include <support/expect_error.hpp>

#include "stub_device.hpp"

namespace op2::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TimerTest : public StubDevice {
 protected:
  core::Stream& stream = device->space().main_stream();
  Timer timer{*device};
};

TEST_F(TimerTest, TellsTheSecondsBetweenTwoMarks) {
  const Timer::Mark begin = timer.set(stream), end = timer.set(stream);
  EXPECT_DOUBLE_EQ(timer.seconds(begin, end), 0.25);
}

TEST_F(TimerTest, EventsWithTimingAreMadeOnce) {
  stub.calls.clear();
  for (int round = 0; round < 2; ++round) {
    timer.restart();
    timer.set(stream);
  }
  EXPECT_THAT(stub.calls, ElementsAre("cuEventCreate 0", "cuEventRecord", "cuEventRecord"));
}

TEST_F(TimerTest, AFailureIsNamed) {
  const Timer::Mark mark = timer.set(stream);
  stub.results["cuEventElapsedTime"] = 719;
  EXPECT_THAT(test::error_text(ErrorCode::device_failure, [&] { timer.seconds(mark, mark); }),
              HasSubstr("cuEventElapsedTime returned 719"));
  stub.results.clear();
}

}  // namespace
}  // namespace op2::gpu
