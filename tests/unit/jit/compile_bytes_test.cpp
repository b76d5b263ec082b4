// SPDX-License-Identifier: BSD-3-Clause
#include <jit/remote/messages.hpp>

#include <gmock/gmock.h>

#include <support/loop_shapes.hpp>

namespace op2::jit {
namespace {

CompileRequest full_request() {
  CompileUnit unit{
      .kernel = "work",
      .source = "void work(double*);",
      .parameters = {{test::dat(1, 2, OP_INC, 1), 3}, test::off(test::dat(0, 1, OP_RW))},
      .any_const = true,
      .includes = {{"a.h", "int a;"}, {"b.h", ""}},
      .compare_access = false};
  return {.units = {unit, {}},
          .symbol = "op2_range",
          .blocks = "blocks",
          .must_gain = false,
          .vector_math = true,
          .consistent_math = true,
          .sanitizers = {.address = true, .undefined = false, .thread = true},
          .only_facts = true};
}

CompileResult full_result() {
  CompileResult result;
  result.status = CompileStatus::wrong_signature;
  result.message = "message";
  result.unit = 2;
  result.diagnostics = {{Diagnostic::Severity::warning, Diagnostic::Kind::limit, "f", 1, 2, "text",
                         "line", "subject", 3}};
  result.signatures = {"double*", ""};
  result.object = {std::byte{1}, std::byte{0}};
  result.ir = "ir";
  result.assembly = "assembly";
  result.scalar = {4, ScalarReason::calls, 5, 6, 7, "detail"};
  result.findings = {{.call = 1, .argument = 2, .is_omission = 1, .what = "what", .advice = "do"}};
  result.facts = {{.writes_all = true}, {.only_adds = true, .why = "o", .file = "f", .line = 1}};
  result.parsed = 8;
  result.seconds = 0.25;
  return result;
}

TEST(CompileBytes, ARequestIsTheSameAfterItsJourney) {
  const CompileRequest sent = full_request();
  const auto received = from_bytes<CompileRequest>(to_bytes(sent));
  ASSERT_TRUE(received);
  EXPECT_EQ(*received, sent);
}

TEST(CompileBytes, AResultIsTheSameAfterItsJourney) {
  const CompileResult sent = full_result();
  const auto received = from_bytes<CompileResult>(to_bytes(sent));
  ASSERT_TRUE(received);
  EXPECT_EQ(*received, sent);
}

TEST(CompileBytes, ATargetIsTheSameAfterItsJourney) {
  const TargetInfo sent{"triple", "cpu", "+f", "LLVM", 32, "math"};
  EXPECT_EQ(from_bytes<TargetInfo>(to_bytes(sent)), sent);
}

TEST(CompileBytes, AGreetingIsTheSameAfterItsJourney) {
  const Greeting sent{"version", "plugin", "cpu", {7, 8}};
  EXPECT_EQ(from_bytes<Greeting>(to_bytes(sent)), sent);
}

TEST(CompileBytes, BytesThatEndTooSoonAreNotAValue) {
  std::vector<std::byte> bytes = to_bytes(full_result());
  bytes.pop_back();
  EXPECT_FALSE(from_bytes<CompileResult>(bytes));
}

}  // namespace
}  // namespace op2::jit
