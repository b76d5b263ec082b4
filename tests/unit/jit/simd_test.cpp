// SPDX-License-Identifier: BSD-3-Clause
#include <jit/target/cpu/simd_choice.hpp>

#include <gtest/gtest.h>

#include <support/loop_shapes.hpp>

namespace op2::jit {
namespace {

using test::dat;
using test::element_number;
using test::global;
using test::off;

std::string choice(std::vector<ArgShape> args, int vector_bytes = 64) {
  return description_of(simd_choice(args, vector_bytes));
}

TEST(Simd, AreAsManyAsTheLargestTypeLeavesRoomFor) {
  EXPECT_EQ(choice({dat(0, 4, OP_READ), dat(1, 1, OP_WRITE)}), "SIMD width 8");
  EXPECT_EQ(choice({dat(0, 4, OP_READ), dat(1, 1, OP_WRITE)}, 16), "SIMD width 2");
  EXPECT_EQ(choice({dat(0, 1, OP_RW, -1, Type::f32)}), "SIMD width 16");
  EXPECT_EQ(choice({dat(0, 1, OP_RW, -1, Type::b8)}),
            "scalar: argument 0 is bool, which is not vectorised");
  EXPECT_EQ(choice({dat(0, 1, OP_RW, -1, Type::i32), dat(1, 1, OP_READ, 0)}, 32), "SIMD width 4");
  EXPECT_EQ(choice({dat(0, 1, OP_RW)}, 0), "scalar: the vectors of the CPU hold one element");
}

TEST(Simd, MayAddToRowsThatOthersAddTo) {
  EXPECT_EQ(choice({dat(0, 4, OP_INC, 0), dat(0, 4, OP_INC, 1), dat(1, 4, OP_READ, 0)}),
            "SIMD width 8");
  EXPECT_EQ(choice({dat(0, 4, OP_INC, 0), off(dat(0, 4, OP_READ, 0))}), "SIMD width 8");
}

TEST(Simd, MustNotSeeWhatOthersWrite) {
  EXPECT_EQ(choice({dat(0, 1, OP_READ, 0), dat(0, 1, OP_INC, 1)}),
            "scalar: argument 1 writes a dat that another uses");
  EXPECT_EQ(choice({dat(0, 1, OP_INC), dat(0, 1, OP_INC, 1)}),
            "scalar: argument 0 writes a dat that another uses");
  EXPECT_EQ(choice({dat(0, 1, OP_RW), dat(0, 1, OP_READ)}),
            "scalar: argument 0 writes a dat that another uses");
  EXPECT_EQ(choice({dat(0, 1, OP_READ), dat(1, 1, OP_WRITE, 0)}),
            "scalar: argument 1 writes through a map");
  EXPECT_EQ(choice({dat(0, 1, OP_RW, 0)}), "scalar: argument 0 writes through a map");
}

TEST(Simd, HoldReductionsAndArgumentsOfModerateSize) {
  EXPECT_EQ(choice({dat(0, 1, OP_READ), global(16, OP_INC), global(1000, OP_READ)}),
            "SIMD width 8");
  EXPECT_EQ(choice({dat(0, 1, OP_READ), global(17, OP_MAX)}),
            "scalar: argument 1 reduces 17 values");
  EXPECT_EQ(choice({dat(0, 300, OP_READ)}), "scalar: an element has 2400 bytes of arguments");
  EXPECT_EQ(choice({element_number()}), "scalar: no argument is a dat");
}

}  // namespace
}  // namespace op2::jit
