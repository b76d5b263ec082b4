// SPDX-License-Identifier: BSD-3-Clause
// What a program has when the memory of its device is short.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <op2/checkpoint.hpp>
#include <op2/op2.hpp>

#include <support/expect_error.hpp>
#include <support/stderr_capture.hpp>
#include <support/temporary_directory.hpp>

#include "emulator.hpp"
#include "ring.hpp"

namespace op2::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

OP_KERNEL(add_one, (double* value), { *value += 1; });
OP_KERNEL(copy_value, (const double* value, double* copy), { *copy = *value; });
OP_KERNEL(add_up, (const double* value, double* sum), { *sum += *value; });
OP_KERNEL(add_last, (const double* values, double* value), { *value += values[999]; });
OP_KERNEL(give, (const double* first, double* left, double* right), {
  *left += *first;
  *right += *first;
});
OP_KERNEL(give_both, (const double* first, const double* second, double* left, double* right), {
  *left += *first;
  *right += *second;
});
OP_KERNEL(take_both, (double* sum, double* first, double* second), {
  *first += *sum;
  *second += *sum;
  *sum = 0;
});
OP_KERNEL(add_one_and_up, (double* value, double* sum), {
  *value += 1;
  *sum += *value;
});
OP_KERNEL(take, (double* sum, double* state), {
  *state += *sum;
  *sum = 0;
});

/// A ring of nodes and edges; dats of nodes have 24000 bytes.
class LittleMemory : public testing::Test, protected Ring {
 protected:
  static constexpr int size = 3000;
  static constexpr std::size_t bytes_of_dat = size * sizeof(double);

  void TearDown() override {
    try {
      op_exit();
    } catch (const Error&) {  // the test has seen it
    }
    for (const char* name : {"OP2_TARGET", "OP2_EMU_MEMORY", "OP2_GPU_INC", "OP2_EMU_FAIL",
                             "OP2_DEBUG", "OP2_CHECK", "OP2_REPRODUCIBLE"})
      unsetenv(name);
  }

  void start(std::size_t memory) {
    setenv("OP2_TARGET", "cuda", 1);
    setenv("OP2_EMU_MEMORY", std::to_string(memory).c_str(), 1);
    reset_emulator();
    op_init(0, nullptr);
    declare(size);
    state = op_decl_dat(nodes, 1, std::vector<double>(size, 1).data(), "state");
    sum = op_decl_dat<double>(nodes, 1, nullptr, "sum");
  }

  void increment() { op_par_loop(add_one, "add_one", nodes, op_arg_dat(state, OP_RW)); }
  void copy_to(op_dat copy) {
    op_par_loop(copy_value, "copy_value", nodes, op_arg_dat(state, OP_READ),
                op_arg_dat(copy, OP_WRITE));
  }
  /// The rows of `state` move to their second buffer and back if both loops are one kernel.
  void give_and_take() {
    op_par_loop(give, "give", edges, op_arg_dat(state, 0, ends_of_edge, OP_READ),
                op_arg_dat(sum, 0, ends_of_edge, OP_INC), op_arg_dat(sum, 1, ends_of_edge, OP_INC));
    op_par_loop(take, "take", nodes, op_arg_dat(sum, OP_RW), op_arg_dat(state, OP_RW));
  }
  /// Whether it throws out_of_memory, or device_failure as a context could not be made current.
  template <class Action>
  static bool fails(const Action& action) {
    try {
      action();
      return false;
    } catch (const Error& error) {
      EXPECT_THAT(error.code(), testing::AnyOf(ErrorCode::out_of_memory, ErrorCode::device_failure))
          << error.what();
      return true;
    }
  }
  static long long copies_to_host() { return emulated_calls("cuMemcpyDtoHAsync_v2"); }

  op_dat state{}, sum{};
};

TEST_F(LittleMemory, WhatOnlyTheDeviceHasCanBeReadAfterALoopThatDoesNotFit) {
  start(2 * bytes_of_dat - 8);
  for (int step = 0; step < 5; ++step) {
    increment();
    op_flush();
  }
  EXPECT_EQ(copies_to_host(), 0);
  increment();
  copy_to(sum);
  EXPECT_THAT(
      error_text(ErrorCode::out_of_memory, [] { op_flush(); }),
      AllOf(HasSubstr("dat 'sum' on set 'nodes', 24000 bytes"),
            HasSubstr("discarded: 2; none has run: op_fetch_data gives the values of before")));
  EXPECT_THAT(values_of(state), Each(6.0));
  EXPECT_THAT(error_text(ErrorCode::poisoned, [&] { increment(); }),
              AllOf(HasSubstr("op_fetch_data"), HasSubstr("dat 'sum' on set 'nodes'")));
  EXPECT_THROW(op_flush(), Error);
  const TemporaryDirectory folder;
  EXPECT_THROW(op_checkpoint((folder.path() / "checkpoint").c_str()), Error);
  EXPECT_THAT(values_of(state), Each(6.0));
}

TEST_F(LittleMemory, AllFunctionsThatReadOneDatDoSo) {
  start(2 * bytes_of_dat - 8);
  increment();
  op_flush();
  copy_to(sum);
  EXPECT_THROW(op_flush(), Error);
  std::vector<double> some(3);
  op_fetch_data_idx(state, some.data(), 5, 7);
  EXPECT_THAT(some, Each(2.0));
  const TemporaryDirectory folder;
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  op_print_dat_to_txtfile(state, path("state.txt").c_str());
  EXPECT_TRUE(std::filesystem::exists(path("state.txt")));
  op_print_dat_to_binfile(state, path("state.bin").c_str());
  EXPECT_TRUE(std::filesystem::exists(path("state.bin")));
#if OP2_TEST_HDF5
  op_fetch_data_hdf5_file(state, path("state.h5").c_str());
  EXPECT_TRUE(std::filesystem::exists(path("state.h5")));
  op_fetch_data_hdf5_file_path(state, path("other.h5").c_str(), "other");
  EXPECT_TRUE(std::filesystem::exists(path("other.h5")));
#endif
}

TEST_F(LittleMemory, AGlobalThatOnlyTheDeviceHasCanBeReadToo) {
  start(2 * bytes_of_dat - 8);
  const double zero = 0;
  const op_global total = op_decl_global(1, &zero, "total");
  op_par_loop(add_up, "add_up", nodes, op_arg_dat(state, OP_READ), op_arg_gbl(total, OP_INC));
  op_flush();
  copy_to(sum);
  EXPECT_THROW(op_flush(), Error);
  double value = 0;
  op_fetch_global(total, &value);
  EXPECT_EQ(value, size);
}

/// Memory for data that is short once is asked for again.
TEST_F(LittleMemory, WhateverDoesNotFitOnceWhatTheDeviceHasCanBeRead) {
  std::map<std::string, int> failed;
  for (int call = 1; call < 40; ++call) {
    start(10 * bytes_of_dat);
    increment();
    op_flush();
    const long long before = emulated_calls("");
    op_exit();
    setenv("OP2_EMU_FAIL", (std::to_string(before + call) + ":2").c_str(), 1);
    start(10 * bytes_of_dat);
    increment();
    op_flush();
    copy_to(sum);
    const bool failing = fails([] { op_flush(); });
    const std::string name = failed_call();
    unsetenv("OP2_EMU_FAIL");
    const bool of_data = name.starts_with("cuMemAlloc") || name == "cuMemHostAlloc";
    EXPECT_FALSE(of_data && failing) << name;
    if (of_data || name == "cuModuleLoadDataEx") {
      EXPECT_THAT(values_of(state), Each(2.0)) << name;
    }
    ++failed[name];
    fails([] { op_exit(); });
  }
  EXPECT_GT(failed["cuMemAlloc_v2"], 0);
  EXPECT_GT(failed["cuModuleLoadDataEx"], 0);
}

#if OP2_HAVE_LLVM
/// The check has run the loops before, on one thread of the host.
TEST_F(LittleMemory, WithACheckOfBitsNothingCanBeRead) {
  setenv("OP2_CHECK", "bits", 1);
  setenv("OP2_REPRODUCIBLE", "on", 1);
  start(2 * bytes_of_dat - 8);
  increment();
  op_flush();
  copy_to(sum);
  EXPECT_THROW(op_flush(), Error);
  EXPECT_THAT(error_text(ErrorCode::poisoned, [&] { values_of(state); }),
              HasSubstr("results are not available"));
}
#endif

TEST_F(LittleMemory, WithoutRoomForSecondBuffersLoopsAreNotGathered) {
  start(5 * bytes_of_dat + 4000);
  StderrCapture log;
  for (int step = 0; step < 3; ++step) {
    give_and_take();
    op_flush();
  }
  EXPECT_THAT(values_of(state), Each(27.0));
  const std::string text = log.news();
  EXPECT_THAT(text, HasSubstr("memory of devices is short: from now on loops that add"));
  EXPECT_THAT(text, HasSubstr("second buffer of dat 'state' on set 'nodes', 24000 bytes"));
  EXPECT_EQ(text.find("memory of devices", text.find("memory of devices") + 1), text.npos) << text;
}

TEST_F(LittleMemory, SecondBuffersThatWereAskedForAreAnErrorThatSaysHowToDoWithout) {
  setenv("OP2_GPU_INC", "pull", 1);
  start(5 * bytes_of_dat + 4000);
  give_and_take();
  EXPECT_THAT(error_text(ErrorCode::out_of_memory, [] { op_flush(); }),
              AllOf(HasSubstr("second buffer of dat 'state' on set 'nodes', 24000 bytes"),
                    HasSubstr("set OP2_DEBUG=no_fuse")));
  EXPECT_THAT(values_of(state), Each(1.0));
}

/// Of everything that was made for second buffers, nothing is left.
TEST_F(LittleMemory, LoopsThatAreNotGatheredNeedNoMoreThanIfTheyNeverWere) {
  const auto is_enough = [&](std::size_t memory) {
    start(memory);
    increment();
    op_flush();  // it gives way, after which all is tried once more
    give_and_take();
    const bool enough = !fails([] { op_flush(); });
    op_exit();
    return enough;
  };
  std::size_t least = 2 * bytes_of_dat, most = 8 * bytes_of_dat;
  setenv("OP2_DEBUG", "no_fuse", 1);
  while (most - least > 8) {
    const std::size_t middle = (least + most) / 2;
    (is_enough(middle) ? most : least) = middle;
  }
  unsetenv("OP2_DEBUG");
  EXPECT_TRUE(is_enough(most)) << most;
}

/// One second buffer may be there, and being filled, when there is no room for another one.
TEST_F(LittleMemory, WithAnyMemoryForTwoSecondBuffersResultsAreRight) {
  int right = 0, failed = 0;
  for (std::size_t memory = 2 * bytes_of_dat; memory < 9 * bytes_of_dat; memory += 5000) {
    start(memory);
    const op_dat other = op_decl_dat(nodes, 1, std::vector<double>(size, 2).data(), "other");
    op_par_loop(give_both, "give_both", edges, op_arg_dat(state, 0, ends_of_edge, OP_READ),
                op_arg_dat(other, 1, ends_of_edge, OP_READ),
                op_arg_dat(sum, 0, ends_of_edge, OP_INC), op_arg_dat(sum, 1, ends_of_edge, OP_INC));
    op_par_loop(take_both, "take_both", nodes, op_arg_dat(sum, OP_RW), op_arg_dat(state, OP_RW),
                op_arg_dat(other, OP_RW));
    const bool failing = fails([] { op_flush(); });
    EXPECT_THAT(values_of(state), Each(failing ? 1.0 : 4.0)) << memory;
    EXPECT_THAT(values_of(other), Each(failing ? 2.0 : 5.0)) << memory;
    ++(failing ? failed : right);
    op_exit();
    EXPECT_EQ(emulated_findings(), "") << memory;
  }
  EXPECT_GT(right, 0);
  EXPECT_GT(failed, 0);
}

/// Also memory for a global is asked for before loops run.
TEST_F(LittleMemory, WhatIsReadIsFromBeforeTheErrorWhereverItComes) {
  int right = 0, failed = 0;
  for (std::size_t memory = bytes_of_dat - 64; memory < bytes_of_dat + 1024; memory += 8) {
    start(memory);
    const double zero = 0;
    const op_global total = op_decl_global(1, &zero, "total");
    op_par_loop(add_one_and_up, "add_one_and_up", nodes, op_arg_dat(state, OP_RW),
                op_arg_gbl(total, OP_INC));
    const bool failing = fails([] { op_flush(); });
    EXPECT_THAT(values_of(state), Each(failing ? 1.0 : 2.0)) << memory;
    ++(failing ? failed : right);
    fails([] { op_exit(); });
  }
  EXPECT_GT(right, 0);
  EXPECT_GT(failed, 0);
}

/// Each sequence keeps the values that its loops read: 15 times as many as one loop reads, if all
/// do.
TEST_F(LittleMemory, WhatOldSequencesKeepGivesWay) {
  constexpr int count = 1000, sequences = 5;
  start(bytes_of_dat + 6 * count * sizeof(double));
  StderrCapture log;
  const std::vector<double> values(count, 1);
  for (int turn = 0; turn < 2; ++turn)
    for (int loops = 1; loops <= sequences; ++loops) {
      for (int k = 0; k < loops; ++k)
        op_par_loop(add_last, "add_last", nodes,
                    op_arg_gbl(values.data(), count, "double", OP_READ), op_arg_dat(state, OP_RW));
      op_flush();
    }
  EXPECT_THAT(values_of(state), Each(1.0 + 2 * (1 + 2 + 3 + 4 + 5)));
  EXPECT_THAT(log.news(), HasSubstr("what was prepared for other sequences of loops was freed"));
}

TEST_F(LittleMemory, ColumnsOfMapsThatOldSequencesReadGiveWay) {
  setenv("OP2_GPU_INC", "rows", 1);
  start(3 * bytes_of_dat + 6000);
  give_and_take();
  op_flush();
  const op_dat copy = op_decl_dat<double>(nodes, 1, nullptr, "copy");
  copy_to(copy);
  op_flush();
  EXPECT_THAT(values_of(copy), Each(3.0));
}

TEST_F(LittleMemory, TheMessageCountsWhatSequencesKeep) {
  constexpr int count = 1000;
  start(bytes_of_dat + 3 * count * sizeof(double));
  const std::vector<double> values(count, 1);
  op_par_loop(add_last, "add_last", nodes, op_arg_gbl(values.data(), count, "double", OP_READ),
              op_arg_dat(state, OP_RW));
  op_par_loop(copy_value, "copy_value", nodes, op_arg_dat(state, OP_READ),
              op_arg_dat(sum, OP_WRITE));
  EXPECT_THAT(
      error_text(ErrorCode::out_of_memory, [] { op_flush(); }),
      AllOf(HasSubstr("dat 'state' on set 'nodes' 24000 bytes, globals of plans 8000 bytes")));
}

}  // namespace
}  // namespace op2::test
