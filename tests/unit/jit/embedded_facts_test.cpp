// SPDX-License-Identifier: BSD-3-Clause
// Facts as text in the program.
#include <gtest/gtest.h>

#include <jit/backend.hpp>
#include <jit/kernel_facts.hpp>
#include <support/loop_shapes.hpp>

namespace op2::jit::test {
namespace {

using op2::test::dat;
using op2::test::global;
using op2::test::off;

const ArgumentFacts full{.writes_all = true};
const ArgumentFacts sum{.only_adds = true};
const ArgumentFacts none{.why = "does not write it (a.hpp:3:1)"};

const std::vector<ParameterShape> shapes{
    dat(0, 2, OP_READ), dat(1, 4, OP_WRITE), {dat(2, 3, OP_RW, 0), 2}, global(1, OP_INC)};

TEST(EmbeddedFacts, OneLineHasAllParameters) {
  EXPECT_EQ(embedded_line(shapes, {{}, full, sum, {}}),
            "|write 1x4 all, proof 7|rw adds, proof 7|");
  EXPECT_EQ(embedded_line({dat(0, 1, OP_WRITE)}, {none}),
            "write 1x1 does not write it (a.hpp:3:1)");
}

TEST(EmbeddedFacts, AreReadAsWritten) {
  for (const ArgumentFacts& change :
       {sum, ArgumentFacts{.only_lowers = true}, ArgumentFacts{.only_raises = true}}) {
    const std::vector<ArgumentFacts> facts{{}, none, change, {}};
    EXPECT_EQ(embedded_facts(embedded_line(shapes, facts), shapes), facts);
  }
}

TEST(EmbeddedFacts, AreThoseOfTheLineOfThisForm) {
  const std::string text = "write 1x2 all, proof 7\nwrite 1x4 does not write it (a.hpp:3:1)";
  EXPECT_EQ(embedded_facts(text, {dat(0, 2, OP_WRITE)})->front(), full);
  EXPECT_EQ(embedded_facts(text, {off(dat(0, 4, OP_WRITE))})->front(), none);
}

TEST(EmbeddedFacts, OfOtherFormsProveNothing) {
  EXPECT_FALSE(embedded_facts("write 1x2 all, proof 7", {dat(0, 3, OP_WRITE)}));
  EXPECT_FALSE(embedded_facts("write 1x2 all, proof 7", {dat(0, 2, OP_RW)}));
  EXPECT_FALSE(embedded_facts("write 1x2 all, proof 7", {dat(0, 2, OP_READ)}));
  EXPECT_FALSE(embedded_facts("write 1x2 all, proof 7", {{dat(0, 2, OP_WRITE, 0), 2}}));
  EXPECT_FALSE(embedded_facts("write 1x2 all, proof 7", {dat(0, 2, OP_WRITE), dat(1, 1, OP_READ)}));
  EXPECT_FALSE(embedded_facts("", {dat(0, 2, OP_WRITE)}));
}

TEST(EmbeddedFacts, DamagedTextProvesNothing) {
  EXPECT_FALSE(embedded_facts("write 1x2 al", {dat(0, 2, OP_WRITE)})->front().writes_all);
  EXPECT_FALSE(embedded_facts("write 1x2 adds, proof 7", {dat(0, 2, OP_WRITE)}));
  EXPECT_FALSE(embedded_facts("|||", {dat(0, 2, OP_WRITE)}));
}

TEST(EmbeddedFacts, OfAnotherVersionProveNothing) {
  EXPECT_FALSE(embedded_facts("write 1x2 all", {dat(0, 2, OP_WRITE)}));
  EXPECT_FALSE(embedded_facts("write 1x2 all, proof 1", {dat(0, 2, OP_WRITE)}));
  EXPECT_FALSE(embedded_facts("rw adds, proof 1", {dat(0, 2, OP_RW)}));
}

TEST(EmbeddedFacts, ObstaclesCannotBreakTheLine) {
  const ArgumentFacts odd{.why = "reads it (a|b\n.hpp:1:1)"};
  EXPECT_EQ(embedded_line({dat(0, 1, OP_RW)}, {odd}), "rw reads it (a b .hpp:1:1)");
}

}  // namespace
}  // namespace op2::jit::test
