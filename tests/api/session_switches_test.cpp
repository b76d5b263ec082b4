// SPDX-License-Identifier: BSD-3-Clause
// What a session says of environment variables that it cannot follow.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <op2/op2.hpp>

#include <support/expect_error.hpp>
#include <support/variable.hpp>

namespace {

using op2::ErrorCode;
using op2::test::error_text;
using op2::test::Variable;
using testing::HasSubstr;

struct BadValue {
  const char *name, *value, *words;
};
class BadValues : public testing::TestWithParam<BadValue> {};

TEST_P(BadValues, AreRefusedWithWhatIsAccepted) {
  const Variable variable(GetParam().name, GetParam().value);
  const std::string text = error_text(ErrorCode::bad_option, [] { op_init(0, nullptr, 0); });
  EXPECT_THAT(text, HasSubstr(std::string(GetParam().name) + "=" + GetParam().value));
  EXPECT_THAT(text, HasSubstr(GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(Switches, BadValues,
                         testing::Values(BadValue{"OP2_THREADS", "many", "1 to 4096"},
                                         BadValue{"OP2_THREADS", "0", "1 to 4096"},
                                         BadValue{"OP2_THREADS", "2x", "1 to 4096"},
                                         BadValue{"OP2_TARGET", "gpu", "cpu, cuda, reference"},
                                         BadValue{"OP2_JIT", "maybe", "on, off, require"},
                                         BadValue{"OP2_CACHE", "yes", "rw, ro, off"},
                                         BadValue{"OP2_DEBUG", "queue_max=-1", "1 to 4096"},
                                         BadValue{"OP2_LOG", "loud", "warning"},
                                         BadValue{"OP2_DUMP", "order,tree", "schedule"},
                                         BadValue{"OP2_CHECK", "acces",
                                                  "'acces'; use none, or some of: access, bits, "
                                                  "finite, pointers; did you mean 'access'?"},
                                         BadValue{"OP2_DEBUG", "all", "keep_dead"}));

TEST(Session, AnUnknownVariableIsReported) {
  const Variable variable("OP2_CHIAN", "on");
  testing::internal::CaptureStderr();
  op_init(0, nullptr, 1);
  op_exit();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("OP2_CHIAN is not a switch of libop2; --op2-help lists them; did you mean "
                        "'OP2_CHAIN'?"));
}

}  // namespace
