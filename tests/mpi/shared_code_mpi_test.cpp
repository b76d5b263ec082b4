// SPDX-License-Identifier: BSD-3-Clause
// The real compiler on one rank, its code on all.
#include <sched/code.hpp>

#include <cstring>

#include <gmock/gmock.h>

#include <comm/messages/mpi_communicator.hpp>
#include <core/hash.hpp>
#include <jit/target/cpu/cpu_target.hpp>
#include <support/jit_options.hpp>
#include <support/loop_request.hpp>
#include <support/loop_shapes.hpp>
#include <support/temporary_directory.hpp>

namespace op2::sched {
namespace {

using testing::Each;
using testing::HasSubstr;

struct SharedCodeUnderMpi : testing::Test {
  std::unique_ptr<comm::MpiSession> session = comm::start_mpi({});
  comm::Communicator& comm = *session->communicator;
  test::TemporaryDirectory folder;  ///< of this rank alone, empty
  core::Log log{core::LogLevel::off};
  double factor = 10 + comm.rank();  ///< every rank links another value
  std::vector<jit::Constant> declared{{"factor", Type::f64, 1, &factor}};

  jit::JitOptions options() {
    return test::jit_options(folder.path(), [this] { return declared; });
  }
  jit::LoopCode get(jit::Jit& jit, const char* text) {
    const op_kernel_core kernel{"scale", text, "none.cpp", 1, false, nullptr, nullptr, nullptr, -1};
    return compile_together(
        jit, comm,
        {{test::loop_request(kernel, {test::dat(0, 1, OP_RW)}, declared, "a.cpp:7")}})[0];
  }
  /// Sum over all ranks.
  std::int64_t sum(std::int64_t mine) {
    const comm::Bytes all = comm.gather_all(std::as_bytes(std::span(&mine, 1)));
    std::int64_t total = 0;
    for (std::size_t begin = 0; begin < all.size(); begin += sizeof mine) {
      std::memcpy(&mine, all.data() + begin, sizeof mine);
      total += mine;
    }
    return total;
  }
  std::vector<std::string> gather(std::string text) {
    text.resize(400);
    const comm::Bytes all = comm.gather_all(std::as_bytes(std::span(text)));
    std::vector<std::string> texts;
    for (int r = 0; r < comm.size(); ++r)
      texts.emplace_back(reinterpret_cast<const char*>(all.data()) + std::size_t(r) * text.size());
    return texts;
  }
};

constexpr const char* scale = "void scale(double* a) { *a *= factor; }";

TEST_F(SharedCodeUnderMpi, ColdRanksCompileOnceAndAllRunTheCode) {
  jit::Jit jit(options(), log);
  const jit::LoopCode outcome = get(jit, scale);
  ASSERT_FALSE(outcome.error) << outcome.error->what();
  double values[] = {1, 2};
  const core::ArgBinding binding{values, nullptr, 0};
  range_of (*outcome.code)(0, 2, &binding);
  EXPECT_EQ(values[1], 2 * factor);
  EXPECT_EQ(sum(jit.statistics().compiled), 1);
  EXPECT_EQ(sum(jit.statistics().received), comm.size() - 1);
}

TEST_F(SharedCodeUnderMpi, OneRankFindsTheCodeOnItsDiskForAll) {
  jit::Jit cold(options(), log), warm(options(), log);
  get(cold, scale);
  ASSERT_FALSE(get(warm, scale).error);
  EXPECT_EQ(sum(warm.statistics().disk_hits), 1);
  EXPECT_EQ(sum(warm.statistics().received), comm.size() - 1);
}

#ifdef __x86_64__
TEST_F(SharedCodeUnderMpi, RanksForAnotherCpuGetAnotherObject) {
  jit::JitOptions given = options();
  const bool is_old = comm.rank() % 2 == 1;
  given.cpu = is_old ? "x86-64" : "";
  jit::Jit jit(given, log);
  const jit::LoopCode outcome = get(jit, scale);
  ASSERT_FALSE(outcome.error) << outcome.error->what();
  const std::vector<std::string> keys = gather(core::to_hex(outcome.code->key));
  for (int r = 0; r < comm.size(); ++r)
    EXPECT_EQ(keys[std::size_t(r)] == keys[0], r % 2 == 0) << "rank " << r;
  EXPECT_EQ(sum(jit.statistics().compiled), std::min(2, comm.size()));
}
#endif

TEST_F(SharedCodeUnderMpi, AllRanksShowTheSameError) {
  jit::Jit jit(options(), log);
  const jit::LoopCode outcome = get(jit, "void scale(double* a) { *a = 1 }");
  ASSERT_TRUE(outcome.error);
  EXPECT_THAT(outcome.error->what(), HasSubstr("OP2-E101 loop 'loop' (a.cpp:7)"));
  const std::vector<std::string> shown = gather(outcome.error->what());
  EXPECT_THAT(shown, Each(shown[0]));
}

}  // namespace
}  // namespace op2::sched
