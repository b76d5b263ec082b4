// SPDX-License-Identifier: BSD-3-Clause
// GoogleTest under MPI: all ranks run all tests. Rank 0 reports as usual, the others their
// failures.
#include <cstdio>
#include <string>

#include <gtest/gtest.h>
#include <mpi.h>

namespace {

class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

 private:
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + '.' + test.name();
  }
  // GoogleTest holds a lock meanwhile: asking it for the current test would never return.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s: %s:%d: %s\n", rank_, test_.c_str(),
                 result.file_name() ? result.file_name() : "", result.line_number(),
                 result.message());
  }
  std::string test_;
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int granted = 0, rank = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted) != MPI_SUCCESS) return 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(rank));
  }
  const int result = RUN_ALL_TESTS();
  MPI_Finalize();
  return result;
}
