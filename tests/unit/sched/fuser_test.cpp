// SPDX-License-Identifier: BSD-3-Clause
// Which loops may become one, and what their kernel looks like.
#include <sched/fuser.hpp>

#include <gmock/gmock.h>

#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void nothing(std::int64_t, std::int64_t, const core::ArgBinding*) {}

/// Loops over the cells or the edges of a ring.
struct Loops {
  test::Ring ring{8};
  core::Dat& w = ring.mesh.add_dat(&ring.edges, 1, Type::f64, nullptr, "w", false);
  std::vector<LoopStep> steps;

  core::LoopArg direct(core::Dat& dat, op_access access) const {
    return {OP_ARG_DAT, access, Type::f64, true, 1, -1, &dat, nullptr, nullptr};
  }
  core::LoopArg through(core::Dat& dat, int column, op_access access) {
    return {OP_ARG_DAT, access, Type::f64, true, 1, column, &dat, &ring.ends, nullptr};
  }
  Loops() { steps.reserve(4); }
  LoopStep& add(core::Set& set, std::vector<core::LoopArg> args) {
    LoopStep& step = steps.emplace_back();
    step.kernel = &kernel;
    step.set = &set;
    step.range = nothing;
    step.args = std::move(args);
    for (std::size_t k = 0; k < step.args.size(); ++k) step.sources.push_back({steps.size(), k});
    return step;
  }
  std::vector<FusionGroup> groups() const {
    return groups_of({0, steps.size(), {}, nullptr, 0, {}, {}}, steps, ring.mesh);
  }
  op_kernel_core kernel{"k", "void k(double*) {}", "", 0, false, nullptr, nullptr, nullptr, -1};
};

TEST(Fuser, TakesNeighboursThatShareDirectData) {
  Loops loops;
  for (int k = 0; k < 3; ++k) loops.add(loops.ring.cells, {loops.direct(loops.ring.q, OP_RW)});
  EXPECT_THAT(loops.groups(), ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(Fuser, LeavesLoopsAloneThatShareNothing) {
  Loops loops;
  loops.add(loops.ring.cells, {loops.direct(loops.ring.q, OP_RW)});
  loops.add(loops.ring.cells, {loops.direct(loops.ring.res, OP_RW)});
  EXPECT_THAT(loops.groups(), ElementsAre());
}

TEST(Fuser, NeverFusesWhatReadsThroughAMapWhatTheOtherModifies) {
  for (const bool modifies_first : {true, false}) {
    Loops loops;
    const auto writer = [&] {
      loops.add(loops.ring.edges,
                {loops.direct(loops.w, OP_READ), loops.through(loops.ring.q, 0, OP_INC)});
    };
    if (modifies_first) writer();
    loops.add(loops.ring.edges,
              {loops.direct(loops.w, OP_RW), loops.through(loops.ring.q, 1, OP_READ)});
    if (!modifies_first) writer();
    EXPECT_THAT(loops.groups(), ElementsAre());
  }
}

TEST(Fuser, MayFuseWhatOnlyReadsThroughMaps) {
  Loops loops;
  for (const op_access access : {OP_WRITE, OP_RW})
    loops.add(loops.ring.edges,
              {loops.direct(loops.w, access), loops.through(loops.ring.q, 0, OP_READ)});
  EXPECT_THAT(loops.groups(), ElementsAre(ElementsAre(0, 1)));
}

TEST(Fuser, WantsEqualLevelsWhereThereAreHalos) {
  const core::Layout layout{{8}, {}, {}};
  for (const bool on_ranks : {true, false}) {
    Loops loops;
    loops.ring.cells.layout = on_ranks ? &layout : nullptr;
    loops.add(loops.ring.cells, {loops.direct(loops.ring.q, OP_RW)}).extent = 2;
    loops.add(loops.ring.cells, {loops.direct(loops.ring.q, OP_RW)});
    EXPECT_EQ(loops.groups().empty(), on_ranks);
    loops.steps[0].extent = 0;
    EXPECT_FALSE(loops.groups().empty());
    loops.steps[1].core = -2;  // the other has no part that runs early
    EXPECT_THAT(loops.groups(), ElementsAre());
  }
}

TEST(Fuser, IsStoppedByWhatStandsBetween) {
  for (const auto kind : {LoopStep::Kind::assignment, LoopStep::Kind::dead}) {
    Loops loops;
    loops.add(loops.ring.cells, {loops.direct(loops.ring.q, OP_RW)});
    loops.add(loops.ring.cells, {}).kind = kind;
    loops.add(loops.ring.cells, {loops.direct(loops.ring.q, OP_RW)});
    EXPECT_THAT(loops.groups(), ElementsAre());
  }
}

void function_of_program() {}

struct Texts {
  const char* text;
  bool given, of_program;  ///< whether loops are fused if a text, or the program, has this kernel
};

TEST(Fuser, TakesTextsOfTheKernelAloneAndOfProgramsThatHaveFunctionsOnly) {
  const auto fuses = [](const char* text, bool is_of_program) {
    Loops loops;
    const op_kernel given = &loops.ring.mesh.add_kernel("k", text, "", 0, false);
    const op_kernel taken =
        &loops.ring.mesh.add_function_kernel(function_of_program, nullptr, "k", text, "", 0);
    loops.add(loops.ring.cells, {loops.direct(loops.ring.q, OP_RW)});
    loops.add(loops.ring.cells, {loops.direct(loops.ring.q, OP_RW)}).kernel =
        is_of_program ? taken : given;
    return !loops.groups().empty();
  };
  for (const auto& [text, given, of_program] :
       {Texts{"static inline void k(double* x) { if (*x > 0) { *x = abs(*x); } }\n", true, true},
        {"// { of\n#include <cmath>\n#include <limits> // more\ninline\nvoid\nk(double*) {} /* } "
         "*/",
         true, true},
        {"void h() {} void k(double*) { h(); }", false, true},
        {"namespace a {\nnamespace {\nvoid h() {}\n}\n}\nvoid k(double* x) { a::h(); *x = "
         "std::sqrt(*x); }",
         false, true},
        {"namespace a { void h() {} } using namespace a; void k(double*) { h(); }", false, true},
        {"#include \"k.h\" // as <cmath>\nvoid k(double*) {}", false, false},
        // helpers that hide, or would
        {"void sqrt(int) {} void k(double* x) { sqrt(*x); }", false, false},
        {"void pow(double, int) {} void k(double* x) { return::pow(*x, 2); }", false, false},
        {"void h(); void k(double* x) { *x = *x>::sqrt(*x); }", false, false},
        {"void h() {} void k(double* x) { sqrt(*x); }", false, false},
        {"namespace std { void h(bool) {} } void k(double*) {}", false, false},
        // braces that are none
        {"static void h(float) { /* { */ } void k(double*) { h(0); /* } */ }", false, true},
        {"static void h(char) { h('{'); } void k(double*) { h('}'); }", false, true},
        // more, or less, than functions
        {"#include \"k.h\"\nvoid k(double*) {}", false, false},
        {"#include <cmath>\n", false, false},
        {"void k(double*) {}\n#include <cmath>\nvoid h() {}", false, false},
        {"#define N 3\nvoid k(double*) {}", false, false},
        {"void k(double*) { _Pragma(\"pack(1)\") struct S { char c; }; }", false, false},
        {"int n; void k(double*) {}", false, false},
        {"void k(double*);", false, false},
        {"", false, false},
        {"void k(double*) {", false, false},
        {"void k(double*) {}}{}", false, false},
        {"void k(double*) {} int n;", false, false},
        {"struct S { double x; }; void k(S*) {}", false, false}}) {
    EXPECT_EQ(fuses(text, false), given) << text;
    EXPECT_EQ(fuses(text, true), of_program) << text;
  }
}

TEST(Fuser, LeavesLoopsAloneThatAreSpecial) {
  const auto differ = [](const auto& change) {
    Loops loops;
    loops.add(loops.ring.cells, {loops.direct(loops.ring.q, OP_RW)});
    change(loops.add(loops.ring.cells, {loops.direct(loops.ring.q, OP_RW)}));
    return loops.groups().empty();
  };
  EXPECT_FALSE(differ([](LoopStep&) {}));
  EXPECT_TRUE(differ([](LoopStep& loop) { loop.in_order = true; }));
  EXPECT_TRUE(differ([](LoopStep& loop) { loop.range = nullptr; }));
  EXPECT_TRUE(differ([](LoopStep& loop) {
    loop.args.push_back({OP_ARG_GBL, OP_READ, Type::i64, true, 1, -1, nullptr, nullptr, nullptr});
  }));
  EXPECT_TRUE(differ([](LoopStep& loop) {
    loop.args.push_back({OP_ARG_GBL, OP_WRITE, Type::f64, true, 1, -1, nullptr, nullptr, nullptr});
  }));
}

TEST(Fuser, LeavesLoopsAloneThatAGlobalLinks) {
  core::Global total{};
  for (const op_access access : {OP_READ, OP_INC}) {
    Loops loops;
    const core::LoopArg sum{OP_ARG_GBL, OP_INC, Type::f64, true, 1, -1, nullptr, nullptr, &total};
    core::LoopArg use = sum;
    use.access = access;
    loops.add(loops.ring.cells, {loops.direct(loops.ring.q, OP_READ), sum});
    loops.add(loops.ring.cells, {loops.direct(loops.ring.q, OP_RW), use});
    EXPECT_THAT(loops.groups(), ElementsAre());
  }
}

TEST(FusedKernel, LetsNothingOfOneLoopBeWrittenBeforeItIsRead) {
  Loops loops;
  const LoopStep& both = loops.add(
      loops.ring.edges, {loops.direct(loops.w, OP_WRITE), loops.direct(loops.w, OP_READ)});
  const LoopStep* list[] = {&both};
  EXPECT_EQ(fuse_kernels(list, false).args.at(0).access, OP_RW);
}

TEST(FusedKernel, PassesWhatBothReachOnce) {
  Loops loops;
  const LoopStep& first = loops.add(
      loops.ring.edges, {loops.direct(loops.w, OP_WRITE), loops.through(loops.ring.q, 0, OP_READ)});
  core::LoopArg off = loops.direct(loops.w, OP_READ);
  off.active = false;
  const std::vector<core::LoopArg> more{off, loops.through(loops.ring.q, 0, OP_READ),
                                        loops.through(loops.ring.q, 1, OP_READ),
                                        loops.direct(loops.w, OP_READ)};
  LoopStep second;
  second.kernel = first.kernel;
  second.args = more;
  second.sources = {{1, 0}, {1, 1}, {1, 2}, {1, 3}};
  const LoopStep* both[] = {&first, &second};
  const FusedKernel fused = fuse_kernels(both, false);
  EXPECT_EQ(fused.name, "k_k");
  ASSERT_EQ(fused.args.size(), 3U);
  EXPECT_EQ(fused.args[0].access, OP_WRITE);
  EXPECT_EQ(fused.sources[2].record, 1U);
  EXPECT_EQ(fused.sources[2].arg, 2U);
  EXPECT_THAT(fused.text, HasSubstr("void k_k(double* op2_0, const double* op2_1, const double* "
                                    "op2_2)"));
  EXPECT_THAT(fused.text, HasSubstr("op2_kernel0::k(op2_0, op2_1);"));
  EXPECT_THAT(fused.text, HasSubstr("op2_kernel1::k(nullptr, op2_1, op2_2, op2_0);"));
}

}  // namespace
}  // namespace op2::sched
