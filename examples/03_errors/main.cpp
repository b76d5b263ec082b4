// SPDX-License-Identifier: BSD-3-Clause
// Lesson 3: errors. Ends with exit code 0 if both mistakes are reported.
// For one rank; lesson 4 is for several.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include <op2/op2.hpp>

// Kernels may also be given as source in a string. This one has a typo, which is found when a loop
// uses it.
constexpr const char* kernel_with_a_typo = R"(
void square(const double* in, double* out) {
  out[0] = in[0] * im[0];
}
)";

// Returns how many of the two mistakes are reported.
int run() {
  int found = 0;
  const op_set nodes = op_decl_set(3, "nodes");
  const op_set edges = op_decl_set(2, "edges");

  // Wrong data are reported by the declaration.
  try {
    const std::vector<int> ends{0, 1, 1, 3};
    op_decl_map(edges, nodes, 2, ends, "ends");
  } catch (const op2::Error& error) {
    op_printf("%s\n\n", error.what());
    found += error.code() == op2::ErrorCode::map_out_of_range;
  }

  // Loops are executed later than they are called, and so are errors of kernels; but the message
  // names the loop and its call, and shows the line of the kernel.
  const op_dat in = op_decl_dat<double>(nodes, 1, nullptr, "in");
  const op_dat out = op_decl_dat<double>(nodes, 1, nullptr, "out");
  const op_kernel square = op_decl_kernel("square", kernel_with_a_typo);
  try {
    op_par_loop(square, "square", nodes, op_arg_dat(in, OP_READ), op_arg_dat(out, OP_WRITE));
    op_flush();
  } catch (const op2::Error& error) {
    op_printf("%s\n", error.what());
    found += error.code() == op2::ErrorCode::kernel_source ||
             error.code() == op2::ErrorCode::unknown_symbol;
  }
  return found;
}

// A program that can do nothing about an error prints its message and ends. An error that nobody
// catches would end it, too, but by std::terminate, which looks like a crash.
int main(int argc, char** argv) {
  try {
    op_init(argc, argv);
    const int found = run();
    op_exit();
    return found == 2 ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
