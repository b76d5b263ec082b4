// SPDX-License-Identifier: BSD-3-Clause
// same_bits_program PROBLEM NUMBERING OUTPUT: airfoil, conjugate_gradients, relaxation or
// tetrahedra; given, reversed or shuffled; the beginning of the names of its files. On any number
// of ranks.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>

#include <same_bits/problem.hpp>

namespace {

using namespace op2::test;

const std::map<std::string, void (*)(const Problem&)> problems = {
    {"airfoil", run_airfoil},
    {"conjugate_gradients", run_conjugate_gradients},
    {"relaxation", run_relaxation},
    {"tetrahedra", run_tetrahedra}};

const std::map<std::string, Numbering> numberings = {{"given", Numbering::given},
                                                     {"reversed", Numbering::reversed},
                                                     {"shuffled", Numbering::shuffled}};

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw std::runtime_error("same_bits_program PROBLEM NUMBERING OUTPUT");
    op_init(argc, argv);
    problems.at(argv[1])({numberings.at(argv[2]), argv[3]});
    op_exit();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
