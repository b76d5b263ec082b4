// SPDX-License-Identifier: BSD-3-Clause
// Values of passes that cannot be right are named, and plans that change after they were verified.
#include <sched/verify.hpp>

#include <gmock/gmock.h>

#include <sched/fuse.hpp>
#include <support/expect_error.hpp>
#include <support/small_mesh.hpp>

namespace op2::sched {
namespace {

using test::error_text;
using testing::AllOf;
using testing::HasSubstr;

/// Two loops over cells in one chain, and a plan for them.
struct Verify : testing::Test {
  test::Ring ring;
  core::Queue queue;
  Plan plan;

  Verify() {
    for (int k = 0; k < 2; ++k) test::queue_loop(queue, ring.cells, op_arg_dat(&ring.q, OP_RW));
    plan.analysis.chains = {{{0, 2}, {}, 0}};
    plan.analysis.loops.assign(2, {core::no_level, 0});
    plan.steps =
        make_steps(queue, plan.analysis, {Order::any, Order::any},
                   {false, [](const auto&) { return true; }, [](const auto&) { return false; }});
    plan.code.resize(2);
    plan.rows.resize(2);
  }
  std::string of_cut(const std::vector<RecordRange>& cut) {
    return error_text(ErrorCode::internal, [&] { verify_cut(queue, cut); });
  }
  std::string of_analysis() {
    return error_text(ErrorCode::internal, [&] { verify_analysis(queue, plan.analysis); });
  }
  std::string of_steps() {
    return error_text(ErrorCode::internal, [&] { verify_steps(queue, plan.analysis, plan.steps); });
  }
};

TEST_F(Verify, AcceptsWhatThePassesMake) {
  verify_cut(queue, {{0, 1}, {1, 2}});
  verify_analysis(queue, plan.analysis);
  verify_steps(queue, plan.analysis, plan.steps);
}

TEST_F(Verify, FindsRecordsThatNoChainHas) {
  EXPECT_THAT(of_cut({{0, 1}}), AllOf(HasSubstr("pass 'cut'"), HasSubstr("end at 1 of 2")));
  EXPECT_THAT(of_cut({{1, 2}}), HasSubstr("begins at 1 instead of 0"));
  EXPECT_THAT(of_cut({{0, 0}, {0, 2}}), HasSubstr("is empty"));
}

TEST_F(Verify, FindsAnInteriorThatCannotBe) {
  plan.analysis.loops[1].interior = -2;
  EXPECT_THAT(of_analysis(), HasSubstr("loops[1]: interior -2 without an exchange"));
  plan.analysis.loops[1].interior = 1;
  EXPECT_THAT(of_analysis(), HasSubstr("loops[1]: interior 1 beyond extent 0"));
}

TEST_F(Verify, FindsLayersThatAreNoHalo) {
  plan.analysis.chains[0].exchanged.push_back({&ring.q, 2, 2});
  EXPECT_THAT(of_analysis(), HasSubstr("levels 2 to 2 of dat 'q'"));
}

TEST_F(Verify, FindsRecordsThatNoStepRuns) {
  plan.steps.all.pop_back();
  plan.steps.begin.back() = 1;
  EXPECT_THAT(of_steps(), AllOf(HasSubstr("pass 'fuse'"), HasSubstr("record 1 is in 0 steps")));
}

TEST_F(Verify, FindsAnArgumentWithoutAPlace) {
  plan.steps.all[0].kernels[0].args[0].position = 7;
  EXPECT_THAT(of_steps(), HasSubstr("argument at 7 of 1"));
}

TEST_F(Verify, FindsStepsThatNothingCanRun) {
  EXPECT_THAT(error_text(ErrorCode::internal, [&] { verify_code(plan.steps, plan.code); }),
              HasSubstr("kernel 'kernel' has neither code nor a host function"));
}

TEST_F(Verify, FindsAPlanThatChangedAndNamesThePass) {
  const auto after = [&](auto&& change) {
    const PlanSeal seal = seal_of(plan);
    verify_unchanged(plan, seal);
    change();
    return error_text(ErrorCode::internal, [&] { verify_unchanged(plan, seal); });
  };
  EXPECT_THAT(after([&] { plan.analysis.loops[0].extent = 3; }),
              AllOf(HasSubstr("pass 'analyse'"), HasSubstr("'analysis' has changed")));
  EXPECT_THAT(after([&] { plan.steps.all[0].args[0].access = OP_READ; }),
              AllOf(HasSubstr("pass 'fuse'"), HasSubstr("'steps' has changed")));
  const jit::CompiledLoop code;
  EXPECT_THAT(after([&] { plan.code[0].compiled = &code; }), HasSubstr("pass 'code'"));
}

}  // namespace
}  // namespace op2::sched
