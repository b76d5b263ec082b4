// SPDX-License-Identifier: BSD-3-Clause
// killed_checkpoint FOLDER RANK CALL: goes on from the checkpoint in the folder, if there is one,
// checks it, and writes the next one; meanwhile that rank is killed before its CALL-th call of the
// system on a file there (0: never). Prints the step of the checkpoint that it found. Exit codes:
// 0 it was written, 1 what was found is wrong.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <op2/op2.hpp>

#include <support/checkpoint_program.hpp>
#include <support/failing_calls.hpp>

namespace {

using op2::test::CheckpointProgram;
using op2::test::FailingCall;

/// Whether every point has been visited in every step.
bool is_right(const CheckpointProgram& program) {
  const auto state = program.state();
  return state.visits ==
         std::vector<int>(CheckpointProgram::points, static_cast<int>(program.step));
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const std::string folder = words[1], path = folder + "/a.ckpt";
  const int rank = std::atoi(words[2]), call = std::atoi(words[3]);
  op_init(0, nullptr, 0);
  bool right = true;
  {
    CheckpointProgram program;
    op_restore(path.c_str());
    op_printf("%d\n", static_cast<int>(program.step));
    std::fflush(stdout);
    right = is_right(program);
    program.advance_one_step();
    op_flush();
    const FailingCall failing(op_rank() == rank && call > 0 ? folder : "nowhere", call,
                              FailingCall::Then::be_killed);
    op_checkpoint(path.c_str());
  }
  op_exit();
  return right ? 0 : 1;
}
