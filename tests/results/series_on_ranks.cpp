// SPDX-License-Identifier: BSD-3-Clause
// Writes the same series for ParaView and as XDMF, on any number of ranks: for check_series.py.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <support/series_program.hpp>

int main(int argc, char** argv) {
  try {
    op_init(argc, argv);
    const std::string folder = argc > 1 ? argv[1] : ".";
    op2::test::SeriesProgram program;
    for (int k = 0; k < 4; ++k) {
      program.write_time(folder + "/flow.pvd");
      program.write_time(folder + "/flow.xdmf");
      program.advance();
    }
    program.step = 3;  // replaces the last time, by values of one step more
    program.write_time(folder + "/flow.pvd");
    program.write_time(folder + "/flow.xdmf");
    op_exit();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
