// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <jit/cache_format.hpp>
#include <jit/cache_key.hpp>
#include <jit/emit_cpu.hpp>
#include <jit/loop_key.hpp>
#include <support/loop_shapes.hpp>

namespace op2::jit {
namespace {

const LoopShape base{.kernel = "k",
                     .text = "void k(double* a) { *a *= gam; }",
                     .args = {test::dat(0, 1, OP_RW)},
                     .constants = {{"gam", Type::f64, 1}},
                     .includes = {{"a.h", "x"}}};

Key key_of(const LoopShape& shape) {
  return make_key(fields_of(shape, emit_cpu(shape, {}), {}, ""));
}

TEST(LoopKey, IsTheSameForEqualShapes) {
  EXPECT_EQ(key_of(base), key_of(LoopShape(base)));
}

TEST(LoopKey, DiffersWithEverythingThatShapesCode) {
  std::vector<LoopShape> shapes(8, base);
  shapes[0].text += " ";
  shapes[1].args[0].dim = 2;
  shapes[2].args[0].type = Type::f32;
  shapes[3].args[0].access = OP_INC;
  shapes[4].args[0].map = 0;
  shapes[5].args[0].active = false;
  shapes[6].constants[0].dim = 4;
  shapes[7].includes[0].text = "y";
  for (const LoopShape& shape : shapes) EXPECT_NE(key_of(shape), key_of(base));
}

TEST(LoopKey, NamesTheVersionsOfTheLibraryAndOfTheEntry) {
  const std::string generator = fields_of(base, "", {}, "").generator;
  EXPECT_THAT(generator, testing::StartsWith("op2 " OP2_VERSION ", format "));
  EXPECT_THAT(generator, testing::HasSubstr(std::to_string(cache_format_version)));
}

TEST(LoopKey, DiffersWithTheEmittedSourceTheMachineAndTheOptions) {
  const auto key = [](const char* source, const char* cpu, const char* options) {
    return make_key(fields_of(
        base, source, {.triple = "", .cpu = cpu, .features = "", .compiler = "", .vector_math = ""},
        options));
  };
  EXPECT_NE(key("s", "znver5", ""), key("t", "znver5", ""));
  EXPECT_NE(key("s", "znver5", ""), key("s", "znver4", ""));
  EXPECT_NE(key("s", "znver5", ""), key("s", "znver5", "sanitize=address "));
}

TEST(LoopKey, FieldsTellWhichConstantsTheShapeNames) {
  LoopShape shape = base;
  shape.constants = {{"gam", Type::f64, 1}, {"qinf", Type::f32, 4}};
  const std::vector<Constant> declared{{"qinf", Type::f32, 4, nullptr},
                                       {"am", Type::f64, 1, nullptr},
                                       {"gam", Type::f64, 1, nullptr}};
  EXPECT_EQ(constants_in(fields_of(shape, "", {}, ""), declared), shape.constants);
}

TEST(LoopKey, WordsExplainArgumentsAndConstants) {
  const KeyFields fields = fields_of(base, "", {}, "");
  EXPECT_EQ(fields.arguments, "dat double x1 rw dat=0\n");
  EXPECT_EQ(fields.constants, "double gam[1]\n");
}

}  // namespace
}  // namespace op2::jit
