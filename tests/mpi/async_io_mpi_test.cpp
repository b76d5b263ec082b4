// SPDX-License-Identifier: BSD-3-Clause
// OP2_ASYNC_IO on ranks: the same files, and all ranks get the error of one.
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>

#include <support/expect_error.hpp>
#include <support/failing_calls.hpp>
#include <support/series_program.hpp>
#include <support/shared_folder.hpp>

namespace op2::test {
namespace {

using testing::HasSubstr;
using Then = FailingCall::Then;

class AsyncIoOnRanks : public testing::Test {
 protected:
  AsyncIoOnRanks() { setenv("OP2_ASYNC_IO", "1", 1); }
  ~AsyncIoOnRanks() override { unsetenv("OP2_ASYNC_IO"); }

  static void write_all(const std::string& folder) {
    op_init(0, nullptr, 0);
    SeriesProgram program;
    for (int k = 0; k < 4; ++k) {
      program.write_time(folder + "/flow.pvd");
      program.advance();
      program.write_whole(folder + "/whole.vtu");
    }
    op_exit();
  }

  /// Of each time that the series names.
  void expect_pieces_of_all_ranks(const std::string& series) const {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (const std::string& name : files_of_series(series))
      for (int rank = 0; rank < ranks; ++rank) {
        const std::string piece =
            name.substr(0, name.size() - 5) + "_" + std::to_string(rank) + ".vtu";
        EXPECT_TRUE(content_of(folder / piece).ends_with("</VTKFile>\n")) << piece;
      }
  }

  SharedFolder folder;
};

TEST_F(AsyncIoOnRanks, WritesTheSameFiles) {
  const SharedFolder plain;
  write_all(folder.path());
  unsetenv("OP2_ASYNC_IO");
  write_all(plain.path());
  EXPECT_EQ(files_in(folder.path()), files_in(plain.path()));
  EXPECT_EQ(files_of_series(folder / "flow.pvd").size(), 4U);
}

TEST_F(AsyncIoOnRanks, TheErrorOfOneArrivesOnAll) {
  op_init(0, nullptr, 0);
  SeriesProgram program;
  const std::string series = folder / "flow.pvd";
  program.write_time(series);
  {
    const bool last = op_rank() + 1 == op_ranks();
    const FailingCall full(last ? folder.path() : "nowhere", 1, Then::be_full);
    std::string error;
    while (error.empty()) {
      program.advance();
      try {
        program.write_time(series);
      } catch (const Error& thrown) {
        error = thrown.what();
      }
    }
    EXPECT_THAT(error, HasSubstr("No space left on device"));
    if (!last) {
      EXPECT_THAT(error, HasSubstr("rank " + std::to_string(op_ranks() - 1)));
    }
  }
  program.step = 100;
  program.write_time(series);
  op_exit();
  EXPECT_THAT(content_of(series), HasSubstr("timestep=\"25\""));
  expect_pieces_of_all_ranks(series);
}

}  // namespace
}  // namespace op2::test
