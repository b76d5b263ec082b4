// SPDX-License-Identifier: BSD-3-Clause
// Nests of every kind that a GPU executes.
#pragma once

#include <string>
#include <vector>

#include <jit/loop_nest.hpp>

namespace op2::test {

struct NamedNest {
  std::string name;
  jit::LoopNest nest;
};

/// For a type: all accesses, directly and through a map, vector and optional arguments, indices and
/// reductions, with rows of `dim` values. One kernel.
NamedNest nest_of_all_accesses(Type type, int dim);

/// The same for all types and for rows of 1 to 70 values.
std::vector<NamedNest> nests_of_all_accesses();

/// Kernels with helpers, types, macros and included files of equal names, one after the other, and
/// constants of equal names.
NamedNest nest_of_clashing_kernels();

/// A kernel whose pointers are const where they need not be and not where they should, with a
/// variable of the program.
NamedNest nest_of_lenient_kernel();

/// Kernels that use what the standard headers offer, and names that belong to CUDA.
NamedNest nest_of_library_names();

/// A kernel that uses the library of kernels beyond mathematics: tests/support/library_kernel.inc.
NamedNest nest_of_library_kernel();

/// An OP_KERNEL with the library and a header of the program, tests/support/kernel_header.h.
NamedNest nest_of_headers();

/// The loops of Airfoil alone, then save_soln fused with adt_calc and update with adt_calc.
std::vector<NamedNest> airfoil_nests();

/// A half step of Airfoil: update and adt_calc for cells that gather what res_calc and bres_calc
/// add to them.
NamedNest airfoil_half_step();

/// All of them.
std::vector<NamedNest> device_nests();

}  // namespace op2::test
