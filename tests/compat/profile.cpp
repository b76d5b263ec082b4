// SPDX-License-Identifier: BSD-3-Clause
// Sections of a profile, and the file that they are written into.
#include "expect.h"

#include <fstream>
#include <sstream>

#include "op_profile.h"

namespace {

void twice(double* value) {
  *value *= 2;
}

}  // namespace

int main(int argc, char** argv) {
  op_profile_start("program");
  op_init(argc, argv, 2);
  const Ring ring(20);
  op_profile_enter("read");
  op_profile_next("solve");
  for (int k = 0; k < 3; ++k) {
    op_profile_enter_kernel("twice", "cpu", "direct");
    op_par_loop(twice, "twice", ring.cells, op_arg_dat(ring.number, -1, OP_ID, 1, "double", OP_RW));
    op_profile_exit();
  }
  op_profile_exit();
  op_profile_end();
  op_profile_exit();  // nothing is open
  op_profile_output();
  op_profile_output_json(argv[1]);
  if (op_is_root()) {
    std::ifstream file(argv[1]);
    std::stringstream text;
    text << file.rdbuf();
    for (const char* word : {"\"program\"", "\"solve\"", "\"twice (cpu, direct)\"", "\"calls\": 3"})
      expect(word, text.str().find(word) != std::string::npos, 1);
  }
  op_exit();
  op_profile_output();
  return faults == 0 ? 0 : 1;
}
