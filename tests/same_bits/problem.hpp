// SPDX-License-Identifier: BSD-3-Clause
// Programs whose bits are compared. Each declares a mesh, computes on it, prints the values that it
// sees as hexadecimal numbers, and writes its dats.
#pragma once

#include <string>

#include <same_bits/numbering.hpp>

namespace op2::test {

struct Problem {
  Numbering numbering = Numbering::given;
  std::string output;  ///< its files begin with this
};

void run_airfoil(const Problem& problem);
void run_conjugate_gradients(const Problem& problem);
void run_relaxation(const Problem& problem);
void run_tetrahedra(const Problem& problem);

}  // namespace op2::test
