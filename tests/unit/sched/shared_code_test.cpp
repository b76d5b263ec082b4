// SPDX-License-Identifier: BSD-3-Clause
// Who compiles, reads and receives when several ranks want code.

#include <bit>
#include <deque>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include <comm/messages/message_layer.hpp>
#include <core/error.hpp>
#include <sched/analysis/analyse.hpp>
#include <sched/analysis/fuse.hpp>
#include <sched/code.hpp>
#include <support/expect_error.hpp>
#include <support/fake_backend.hpp>
#include <support/fake_communicator.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/small_mesh.hpp>
#include <support/temporary_directory.hpp>

namespace op2::sched {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

const op_kernel_core kernel{
    "k", "void k(double* a) { *a *= gam; }", "none.cpp", 1, false, nullptr, nullptr, nullptr, -1};

/// One rank's process, with separate memory, compiler and disk.
struct Process {
  std::shared_ptr<test::FakeBackend> backend = std::make_shared<test::FakeBackend>();
  core::Log log{core::LogLevel::off};
  double gam = 1.4;
  bool has_plugin = true, has_constants = true;
  jit::Jit jit;

  explicit Process(const std::string& folder, core::CacheMode mode = core::CacheMode::read_write,
                   bool check_access = false)
      : jit(options(folder, mode, check_access), log, [this]() -> std::shared_ptr<jit::Backend> {
          if (!has_plugin) core::fail(ErrorCode::plugin_failure, "no plug-in");
          return backend;
        }) {}

  std::vector<jit::Constant> declared() {
    if (!has_constants) throw std::runtime_error("no constants");
    return {{"gam", Type::f64, 1, &gam}};
  }
  jit::JitOptions options(const std::string& folder, core::CacheMode mode, bool check_access) {
    jit::JitOptions result = test::jit_options(folder, [this] { return declared(); });
    result.threads = 1;
    result.cache.mode = mode;
    result.check_access = check_access;
    return result;
  }
};

/// Loops that differ in the dim of their argument.
std::vector<jit::LoopRequest> loops(const std::vector<int>& dims) {
  const std::vector<jit::Constant> declared{{"gam", Type::f64, 1, nullptr}};
  std::vector<jit::LoopRequest> requests;
  for (const int dim : dims)
    requests.push_back(test::loop_request(kernel, {test::dat(0, dim, OP_RW)}, declared));
  return requests;
}

struct SharedCode : testing::Test {
  test::TemporaryDirectory folder;
  std::deque<Process> processes;

  void start(int ranks) {
    for (int r = 0; r < ranks; ++r) processes.emplace_back(folder / std::to_string(r).c_str());
  }
  /// What became of the loops, in words; shape [ranks x loops].
  std::vector<std::vector<std::string>> get(const std::vector<int>& dims) {
    std::vector<std::vector<std::string>> words(processes.size());
    comm::run_fake_ranks(static_cast<int>(processes.size()), [&](comm::Communicator& comm) {
      const auto rank = static_cast<std::size_t>(comm.rank());
      for (const jit::LoopCode& outcome : compile_together(processes[rank].jit, comm, loops(dims)))
        words[rank].push_back(outcome.error ? outcome.error->what() : "code");
    });
    return words;
  }
  std::vector<int> compilations() {
    std::vector<int> counts;
    for (const Process& process : processes) counts.push_back(process.backend->compilations);
    return counts;
  }
  std::vector<std::int64_t> received() {
    std::vector<std::int64_t> counts;
    for (const Process& process : processes) counts.push_back(process.jit.statistics().received);
    return counts;
  }
};

TEST_F(SharedCode, EightColdRanksCompileOnce) {
  start(8);
  EXPECT_THAT(get({1}), Each(ElementsAre("code")));
  EXPECT_THAT(compilations(), ElementsAre(1, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(received(), ElementsAre(0, 1, 1, 1, 1, 1, 1, 1));
}

/// Runs `test` on each rank with its process. @return bytes that rank 1 has sent to reduce
/// something
std::int64_t reduced_bytes(std::deque<Process>& processes,
                           const std::function<void(Process&, comm::Communicator&)>& test) {
  std::vector<std::int64_t> bytes;
  comm::run_fake_ranks(static_cast<int>(processes.size()),
                       [&](comm::Communicator& comm) {
                         test(processes[static_cast<std::size_t>(comm.rank())], comm);
                       },
                       {.reduced_bytes = &bytes});
  return bytes[1];
}

constexpr auto reduction = static_cast<std::int64_t>(sizeof(comm::ReductionBlock));

TEST_F(SharedCode, TakesTwoReductionsForOneTargetAndFiveForTwo) {
  const auto get_one = [](Process& process, comm::Communicator& comm) {
    compile_together(process.jit, comm, loops({1}));
  };
  start(2);
  EXPECT_EQ(reduced_bytes(processes, get_one), 2 * reduction);
  processes.clear();
  start(2);
  processes[1].backend->cpu = "older";
  EXPECT_EQ(reduced_bytes(processes, get_one), 5 * reduction);
}

TEST_F(SharedCode, OneRankNeedsNobody) {
  start(1);
  get({1, 2});
  EXPECT_EQ(processes[0].jit.statistics().compiled, 2);
}

TEST_F(SharedCode, OnlyWhatIsMissingIsMade) {
  start(2);
  get({1, 2});
  EXPECT_THAT(get({2, 3, 1, 3}), Each(ElementsAre("code", "code", "code", "code")));
  EXPECT_THAT(compilations(), ElementsAre(3, 0));
  EXPECT_THAT(received(), ElementsAre(0, 3));
}

TEST_F(SharedCode, NothingIsSentIfAllIsInMemory) {
  start(2);
  get({1});
  comm::run_fake_ranks(2, [&](comm::Communicator& comm) {
    if (comm.rank() == 1) return;  // a message to or from it would fail
    EXPECT_FALSE(compile_together(processes[0].jit, comm, loops({1}))[0].error);
  });
}

TEST_F(SharedCode, EachTargetHasItsLeader) {
  start(5);
  for (const std::size_t rank : {1, 2, 4}) processes[rank].backend->cpu = "older";
  EXPECT_THAT(get({1}), Each(ElementsAre("code")));
  EXPECT_THAT(compilations(), ElementsAre(1, 1, 0, 0, 0));
  EXPECT_THAT(received(), ElementsAre(0, 0, 1, 1, 1));
}

TEST_F(SharedCode, AKernelThatBreaksAnAccessModeIsTheSameErrorOnAllRanks) {
  for (int r = 0; r < 4; ++r)
    processes.emplace_back(folder / std::to_string(r).c_str(), core::CacheMode::read_write, true);
  processes[1].backend->cpu = "older";
  for (Process& process : processes)
    process.backend->findings = {{.what = "writes it", .file = "k"}};
  EXPECT_THAT(get({1}), Each(ElementsAre(AllOf(HasSubstr("OP2-E107"), HasSubstr("writes it")))));
  EXPECT_THAT(compilations(), ElementsAre(1, 1, 0, 0));
}

TEST_F(SharedCode, LeadersCompileAtTheSameTime) {
  start(2);
  processes[1].backend->cpu = "older";
  std::atomic<int> inside = 0;
  for (Process& process : processes)
    process.backend->meanwhile = [&] {
      ++inside;
      for (int i = 0; i < 5000 && inside < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(inside, 2) << "a leader waits for another one";
    };
  get({1});
}

TEST_F(SharedCode, ARejectedTextIsTheSameErrorOnAllRanks) {
  start(3);
  processes[0].backend->rejects = true;
  const auto first = get({1});
  EXPECT_THAT(first, Each(ElementsAre(HasSubstr("OP2-E101 loop 'loop' (main.cpp:7)"))));
  EXPECT_THAT(first, Each(first[0]));
  EXPECT_EQ(get({1}), first);
  EXPECT_THAT(compilations(), ElementsAre(1, 0, 0));
}

TEST_F(SharedCode, AnErrorOnOneTargetIsAnErrorOnAll) {
  start(4);
  processes[2].backend->cpu = processes[3].backend->cpu = "older";
  processes[2].backend->rejects = true;
  EXPECT_THAT(get({1}), Each(ElementsAre(HasSubstr("OP2-E101"))));
  EXPECT_THAT(get({1}), Each(ElementsAre(HasSubstr("OP2-E101"))));
  EXPECT_THAT(compilations(), ElementsAre(1, 0, 1, 0));
}

TEST_F(SharedCode, ALinkThatFailsOnOneRankFailsOnAllAndIsTriedAgainByAll) {
  start(4);
  processes[2].backend->failing_links = 1;
  EXPECT_THAT(
      get({1}),
      Each(ElementsAre(AllOf(HasSubstr("OP2-E506"), HasSubstr("of loop 'loop' (main.cpp:7)")))));
  EXPECT_THAT(get({1}), Each(ElementsAre("code")));
  EXPECT_THAT(received(), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(compilations(), ElementsAre(1, 0, 0, 0)) << "the leader has it on disk";
}

TEST_F(SharedCode, AnErrorOfOneLoopLeavesTheOthersAlone) {
  start(3);
  processes[1].backend->failing_links = 1;
  EXPECT_THAT(get({1, 2}), Each(ElementsAre(HasSubstr("OP2-E506"), "code")));
}

TEST_F(SharedCode, ARankWithoutPluginIsAnErrorOfAll) {
  start(3);
  processes[1].has_plugin = false;
  EXPECT_THAT(get({1, 2}), Each(Each("OP2-E504 no plug-in")));
  processes[1].has_plugin = true;
  EXPECT_THAT(get({1, 2}), Each(Each("code")));
}

TEST_F(SharedCode, NoRankWithAPluginIsAnErrorOfAll) {
  start(2);
  for (Process& process : processes) process.has_plugin = false;
  EXPECT_THAT(get({1}), Each(ElementsAre("OP2-E504 no plug-in")));
}

TEST_F(SharedCode, AnExceptionOnTheLeaderReachesAll) {
  start(3);
  processes[0].has_constants = false;
  EXPECT_THAT(get({1}), Each(ElementsAre(AllOf(
                            HasSubstr("OP2-E901 the code cannot be made: loop 'loop' (main.cpp:7)"),
                            HasSubstr("no constants")))));
}

TEST_F(SharedCode, FilesThatDifferBetweenRanksAreAnError) {
  start(3);
  const auto program = [&](comm::Communicator& comm) {
    auto requests = loops({1});
    requests[0].nest.calls[0].includes = {{"state.h", comm.rank() == 2 ? "new" : "old"}};
    compile_together(processes[static_cast<std::size_t>(comm.rank())].jit, comm, requests);
  };
  const std::string text =
      test::error_text(ErrorCode::kernel_differs, [&] { comm::run_fake_ranks(3, program); });
  EXPECT_THAT(text,
              AllOf(HasSubstr("ranks 0 and 2"), HasSubstr("loop 'loop'"), HasSubstr(", state.h=")));
  EXPECT_THAT(compilations(), Each(0));
}

/// Two neighbouring loops over cells, fused; the first pass of each rank that finds their code.
struct FusedLoops {
  test::Ring ring;
  core::Queue queue;
  core::Options options;
  CodeFinder finder;

  FusedLoops(Process& process, comm::Communicator& ranks)
      : finder(options, {process.jit, nullptr}, ranks, process.log) {
    const std::vector<op_arg> args{op_arg_dat(&ring.q, OP_RW)};
    for (int k = 0; k < 2; ++k) queue.push_loop(&kernel, "loop", &ring.cells, args);
  }
  Code find() {
    const Analysis made =
        analyse(queue, {{0, 2}}, std::vector<core::Level>(2, 0), {.halos = Halos::none});
    const std::vector<Order> order(2, Order::any);
    const Steps steps = make_steps(queue, made, order, finder.fusion_rules(queue));
    EXPECT_EQ(steps.all.size(), 1u);
    LoopRequests requests(ring.mesh, false);
    return finder.find(queue, requests, steps);
  }
};

TEST_F(SharedCode, OfFusedLoopsThatIsScalarOnOneRankAloneIsUsedByNone) {
  start(3);
  for (const std::size_t rank : {0, 2}) processes[rank].backend->vector_bytes = 32;
  reduced_bytes(processes, [](Process& process, comm::Communicator& comm) {
    EXPECT_TRUE(FusedLoops(process, comm).find().regroup);
  });
}

TEST_F(SharedCode, OfFusedLoopsIsComparedOnce) {
  start(2);
  for (Process& process : processes) process.backend->vector_bytes = 32;
  const auto find = [](int times) {
    return [times](Process& process, comm::Communicator& comm) {
      FusedLoops fused(process, comm);
      for (int k = 0; k < times; ++k) EXPECT_FALSE(fused.find().regroup);
    };
  };
  EXPECT_EQ(reduced_bytes(processes, find(1)), 3 * reduction);  // two of them to make it
  EXPECT_EQ(reduced_bytes(processes, find(1)), reduction);
  EXPECT_EQ(reduced_bytes(processes, find(5)), reduction);
}

/// Folders that hold the code of some of the loops with dims 1, 2, 3: bit d - 1 of their number.
void fill_folders(const test::TemporaryDirectory& folder) {
  for (int subset = 0; subset < 8; ++subset)
    for (const char* cpu : {"cpu", "older"}) {
      Process process(folder / std::to_string(subset).c_str());
      process.backend->cpu = cpu;
      for (int dim = 1; dim <= 3; ++dim)
        if ((subset >> (dim - 1) & 1) != 0) process.jit.compile(loops({dim}));
    }
}

TEST_F(SharedCode, WhateverIsOnWhichDiskOneRankPerTargetReadsOrCompiles) {
  fill_folders(folder);
  std::mt19937 random(1);
  for (int pattern = 0; pattern < 1000; ++pattern) {
    SCOPED_TRACE("pattern " + std::to_string(pattern));
    processes.clear();
    std::set<std::string> cpus;
    std::vector<int> missing_on_leaders;
    std::vector<std::int64_t> loops_of_others;
    for (int ranks = 2 + static_cast<int>(random() % 4); ranks > 0; --ranks) {
      const unsigned subset = random() % 8;
      processes.emplace_back(folder / std::to_string(subset).c_str(), core::CacheMode::read_only);
      processes.back().backend->cpu = random() % 3 == 0 ? "older" : "cpu";
      const bool leads = cpus.insert(processes.back().backend->cpu).second;
      missing_on_leaders.push_back(leads ? 3 - std::popcount(subset) : 0);
      loops_of_others.push_back(leads ? 0 : 3);
    }
    ASSERT_THAT(get({1, 2}), Each(Each("code")));
    ASSERT_THAT(get({3, 2}), Each(Each("code")));
    ASSERT_EQ(compilations(), missing_on_leaders);
    ASSERT_EQ(received(), loops_of_others);
  }
}

}  // namespace
}  // namespace op2::sched
