// SPDX-License-Identifier: BSD-3-Clause
// The access that plans count with: what is declared, corrected by what sources prove.
#include <sched/analysis/facts.hpp>

#include <atomic>

#include <gmock/gmock.h>

#include <sched/analysis/analyse.hpp>
#include <sched/analysis/fuse.hpp>
#include <sched/analysis/order.hpp>
#include <support/fake_communicator.hpp>
#include <support/small_mesh.hpp>
#include <support/stderr_capture.hpp>

namespace op2::sched {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr jit::ArgumentFacts full{.writes_all = true}, adds{.only_adds = true}, unknown{},
    lowers{.only_lowers = true}, raises{.only_raises = true};

/// Loops over the cells or the edges of a ring, and what is proven of each of their arguments.
struct Access : testing::Test {
  test::Ring ring;
  core::Queue queue;
  Facts facts;

  template <class... Args>
  void loop(core::Set& set, const std::vector<jit::ArgumentFacts>& proven, Args... args) {
    test::queue_loop(queue, set, args...);
    facts.args.insert(facts.args.end(), proven.begin(), proven.end());
  }
  op_arg direct(op_access access) { return op_arg_dat(&ring.q, access); }
  op_arg end(int column, op_access access) {
    return op_arg_dat(&ring.q, column, &ring.ends, access);
  }
  std::vector<op_access> used() const {
    std::vector<op_access> all;
    const core::Queue as = as_used(queue, facts);
    for (const core::LoopArg& arg : as.args()) all.push_back(arg.access);
    return all;
  }
};

TEST_F(Access, OfAWriteThatIsProvenFullIsThatOfTheDeclaration) {
  loop(ring.cells, {full}, direct(OP_WRITE));
  EXPECT_THAT(used(), ElementsAre(OP_WRITE));
}

TEST_F(Access, OfAnyOtherWriteIsThatOfReadingAndWriting) {
  loop(ring.cells, {unknown}, direct(OP_WRITE));
  loop(ring.edges, {unknown}, end(0, OP_WRITE));
  loop(ring.cells, {adds}, direct(OP_WRITE));
  EXPECT_THAT(used(), ElementsAre(OP_RW, OP_RW, OP_RW));
}

TEST_F(Access, OfRowsThatAreOnlyAddedToThroughMapsIsThatOfIncrements) {
  loop(ring.edges, {adds, adds}, end(0, OP_RW), end(1, OP_RW));
  loop(ring.edges, {adds, unknown}, end(0, OP_RW), end(1, OP_INC));
  EXPECT_THAT(used(), ElementsAre(OP_INC, OP_INC, OP_INC, OP_INC));
}

TEST_F(Access, OfRowsThatAreOnlyLoweredOrRaisedThroughMapsIsThatOfExtremes) {
  loop(ring.edges, {lowers, lowers}, end(0, OP_RW), end(1, OP_RW));
  loop(ring.edges, {raises, unknown}, end(0, OP_RW), end(1, OP_MAX));
  EXPECT_THAT(used(), ElementsAre(OP_MIN, OP_MIN, OP_MAX, OP_MAX));
}

TEST_F(Access, OfRowsThatAreLoweredAndRaisedIsThatOfTheDeclaration) {
  loop(ring.edges, {lowers, raises}, end(0, OP_RW), end(1, OP_RW));
  loop(ring.edges, {lowers, unknown}, end(0, OP_RW), end(1, OP_INC));
  loop(ring.edges, {lowers, unknown}, end(0, OP_RW), end(1, OP_READ));
  loop(ring.edges, {unknown, unknown}, end(0, OP_MIN), end(1, OP_MAX));
  EXPECT_THAT(used(), ElementsAre(OP_RW, OP_RW, OP_RW, OP_INC, OP_RW, OP_READ, OP_MIN, OP_MAX));
}

TEST_F(Access, OfDirectExtremesIsThatOfReadingAndWriting) {
  loop(ring.cells, {unknown}, direct(OP_MIN));
  loop(ring.cells, {raises}, direct(OP_RW));
  EXPECT_THAT(used(), ElementsAre(OP_RW, OP_RW));
}

TEST_F(Access, OfRowsThatAreAlsoAccessedOtherwiseIsThatOfTheDeclaration) {
  loop(ring.edges, {adds, unknown}, end(0, OP_RW), end(1, OP_RW));
  loop(ring.edges, {adds, unknown}, end(0, OP_RW), end(1, OP_READ));
  loop(ring.cells, {adds, adds}, op_arg_dat(&ring.q, 0, &ring.partner, OP_RW), direct(OP_RW));
  EXPECT_THAT(used(), ElementsAre(OP_RW, OP_RW, OP_RW, OP_READ, OP_RW, OP_RW));
}

TEST_F(Access, OfRowsThatAreAddedToDirectlyIsThatOfTheDeclaration) {
  loop(ring.cells, {adds}, direct(OP_RW));
  EXPECT_THAT(used(), ElementsAre(OP_RW));
}

TEST_F(Access, OfTruthValuesIsNeverThatOfIncrements) {
  core::Dat& flag = ring.mesh.add_dat(&ring.cells, 1, Type::b8, nullptr, "flag", false);
  loop(ring.edges, {adds}, op_arg_dat(&flag, 0, &ring.ends, OP_RW));
  EXPECT_THAT(used(), ElementsAre(OP_RW));
}

TEST_F(Access, OfArgumentsThatAreOffStays) {
  loop(ring.cells, {unknown}, op_opt_arg_dat(0, &ring.q, -1, OP_ID, 1, "double", OP_WRITE));
  EXPECT_THAT(used(), ElementsAre(OP_WRITE));
}

TEST_F(Access, ThatTheProgramDeclaredIsWhatKernelsAreCheckedFor) {
  loop(ring.cells, {unknown}, direct(OP_WRITE));
  const Step merged = merged_step(as_used(queue, facts), std::vector<std::size_t>{0});
  EXPECT_EQ(merged.kernels.at(0).args.at(0).access, OP_WRITE);
  EXPECT_EQ(merged.args.at(0).access, OP_RW);
}

TEST_F(Access, DecidesWhetherALoopBeforeIsDead) {
  for (const jit::ArgumentFacts& proven : {full, unknown}) {
    queue.clear();
    facts = {};
    for (int k = 0; k < 2; ++k) loop(ring.cells, {proven}, direct(OP_WRITE));
    const core::Queue loops = as_used(queue, facts);
    const Analysis made =
        analyse(loops, {{0, 2}}, std::vector<core::Level>(2, 0), {.halos = Halos::none});
    EXPECT_EQ(made.loops[0].extent == core::no_level, proven.writes_all);
  }
}

TEST_F(Access, OfAWriteThroughAMapNeverReadsSharedRows) {
  loop(ring.edges, {unknown}, end(0, OP_WRITE));
  loop(ring.edges, {unknown}, end(0, OP_RW));
  const core::Queue loops = as_used(queue, facts);
  EXPECT_FALSE(reads_shared_rows(loops.args_of(loops.records()[0])));
  EXPECT_TRUE(reads_shared_rows(loops.args_of(loops.records()[1])));
}

/// Proves that every argument is written.
std::vector<jit::KernelFacts> prove_all(std::span<const jit::LoopRequest> loops) {
  std::vector<jit::KernelFacts> facts;
  for (const jit::LoopRequest& loop : loops)
    facts.emplace_back(loop.nest.calls.front().args.size(), full);
  return facts;
}

TEST_F(Access, IsAskedForByTheFirstRankAlone) {
  loop(ring.cells, {full}, direct(OP_WRITE));
  std::atomic<int> asked = 0;
  comm::run_fake_ranks(3, [&](comm::Communicator& ranks) {
    LoopRequests loops(ring.mesh, false);
    const Prover prove = [&](std::span<const jit::LoopRequest> requests) {
      ++asked;
      return prove_all(requests);
    };
    EXPECT_EQ(find_facts(queue, loops, prove, ranks).args, facts.args);
  });
  EXPECT_EQ(asked, 1);
}

TEST_F(Access, ThrowsOnAllRanksIfTheFirstCannotReadAKernel) {
  loop(ring.cells, {full}, direct(OP_WRITE));
  std::atomic<int> thrown = 0;
  comm::run_fake_ranks(3, [&](comm::Communicator& ranks) {
    LoopRequests loops(ring.mesh, false);
    const Prover prove = [](auto) -> std::vector<jit::KernelFacts> {
      throw Error(ErrorCode::kernel_include, "an included file is not a regular file: 'a.h'");
    };
    try {
      find_facts(queue, loops, prove, ranks);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kernel_include);
      EXPECT_THAT(error.what(), HasSubstr("an included file is not a regular file: 'a.h'"));
      ++thrown;
    }
  });
  EXPECT_EQ(thrown, 3);
}

TEST_F(Access, IsNotAskedForWhereItCannotMatter) {
  loop(ring.edges, {unknown, unknown}, end(0, OP_READ), end(1, OP_INC));
  comm::run_fake_ranks(2, [&](comm::Communicator& ranks) {
    LoopRequests loops(ring.mesh, false);
    const Prover prove = [](std::span<const jit::LoopRequest> requests) {
      ADD_FAILURE() << "asked";
      return prove_all(requests);
    };
    EXPECT_EQ(find_facts(queue, loops, prove, ranks).args, facts.args);
  });
}

TEST_F(Access, OfAllLoopsIsFoundByOneQuestion) {
  for (int k = 0; k < 3; ++k) loop(ring.cells, {full, unknown}, direct(OP_WRITE), direct(OP_READ));
  comm::run_fake_ranks(1, [&](comm::Communicator& ranks) {
    LoopRequests loops(ring.mesh, false);
    const auto found = find_facts(
        queue, loops,
        [](std::span<const jit::LoopRequest> requests) {
          EXPECT_EQ(requests.size(), 3U);
          return prove_all(requests);
        },
        ranks);
    EXPECT_EQ(found.args.size(), 6U);
  });
}

/// What is said of an argument that is not proven, for this reason.
struct Reasons : Access {
  test::StderrCapture said;
  core::Log log{core::LogLevel::warning};

  void write(const char* why) { loop(ring.cells, {{.why = why}}, direct(OP_WRITE)); }
};

TEST_F(Reasons, AreSaidOncePerLoopAndArgument) {
  write("writes it only on some paths (k.hpp:3:1)");
  for (int plan = 0; plan < 2; ++plan) report_kept_rows(queue, facts, log);
  EXPECT_THAT(said.news(),
              AllOf(HasSubstr("arg 0 (OP_WRITE): kernel 'kernel' writes it only on some paths "
                              "(k.hpp:3:1), so values from before count"),
                    testing::Not(testing::ContainsRegex("arg 0(.|\n)*arg 0"))));
}

TEST_F(Reasons, AreNotSaidWhereThereAreNone) {
  write("");
  loop(ring.cells, {{.writes_all = true}}, direct(OP_WRITE));
  loop(ring.edges, {{.why = "writes it only on some paths"}}, end(0, OP_WRITE));
  report_kept_rows(queue, facts, log);
  EXPECT_THAT(said.news(), IsEmpty());
}

TEST_F(Reasons, OfArgumentsThatAreNoIncrementsNameTheKernel) {
  loop(ring.edges, {{.why = "reads it again (k.hpp:4:2)"}}, end(0, OP_RW));
  EXPECT_EQ(why_not_increments(queue, facts, 0),
            "; arg 0 (OP_RW): kernel 'kernel' reads it again (k.hpp:4:2)");
}

TEST_F(Reasons, WithoutTheCompilerAreThatNothingIsProven) {
  loop(ring.edges, {unknown}, end(0, OP_RW));
  EXPECT_EQ(why_not_increments(queue, facts, 0), "");
  facts.asked = false;
  EXPECT_EQ(why_not_increments(queue, facts, 0),
            "; arg 0 (OP_RW): kernel 'kernel' may only add, but nothing is proven with OP2_JIT=off "
            "or OP2_TARGET=reference");
}

}  // namespace
}  // namespace op2::sched
