// SPDX-License-Identifier: BSD-3-Clause
// Each call of a device fails in turn, in a session of the public interface.
#include <cstdlib>
#include <optional>
#include <vector>

#include <gmock/gmock.h>

#include <op2/error.hpp>
#include <support/gpu/device_of_thread.hpp>
#include <support/graph_on_ranks.hpp>

namespace op2::test::gpu {
namespace {

using ::testing::AnyOf;
using ::testing::IsEmpty;

struct Session {
  std::optional<ErrorCode> error;  ///< that the loops, their results or the end have thrown
  std::vector<double> state;       ///< else
  std::int64_t calls = 0;          ///< of the device, that could fail
  std::vector<std::string> findings;
};

/// Two steps on a ring of cells, in one session. @param k  the call that fails; 0: none
Session run_session(std::int64_t k, Failure failure) {
  Session session;
  DeviceOfThread of({});
  of.device.failures().fail_at(k, failure);
  try {
    op_init(0, nullptr, 0);
    const DeclaredGraph d = declare(ring(10));
    run_steps(d, 2);
    session.state.resize(10);
    op_fetch_data(d.state, session.state.data());
  } catch (const Error& error) {
    session.error = error.code();
  }
  try {
    op_exit();
  } catch (const Error& error) {  // what it waits for has failed; a lost device fails again
    session.error = session.error.value_or(error.code());
  }
  session.calls = of.device.failures().calls();
  session.findings = of.findings();
  return session;
}

class SessionOnDevice : public ::testing::TestWithParam<Failure> {
 protected:
  void SetUp() override { ::setenv("OP2_JIT", "off", 1); }
  void TearDown() override { ::unsetenv("OP2_JIT"); }
};
INSTANTIATE_TEST_SUITE_P(Failures, SessionOnDevice,
                         ::testing::Values(Failure::launch_failed, Failure::device_lost,
                                           Failure::out_of_memory));

TEST_P(SessionOnDevice, EndsCleanlyWhicheverCallFails) {
  const auto calls = run_session(0, Failure::none).calls;
  for (std::int64_t k = 1; k <= calls; ++k) {
    const Session session = run_session(k, GetParam());
    if (session.error)
      EXPECT_THAT(*session.error, AnyOf(ErrorCode::device_failure, ErrorCode::out_of_memory)) << k;
    else
      EXPECT_EQ(session.state, expected_state(ring(10), 2)) << k;
    EXPECT_THAT(session.findings, IsEmpty()) << k;
  }
}

TEST_P(SessionOnDevice, IsFollowedByOneThatIsRight) {
  EXPECT_TRUE(run_session(8, GetParam()).error);
  EXPECT_EQ(run_session(0, Failure::none).state, expected_state(ring(10), 2));
}

}  // namespace
}  // namespace op2::test::gpu
