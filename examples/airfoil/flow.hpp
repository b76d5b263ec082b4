// SPDX-License-Identifier: BSD-3-Clause
// Airfoil as an OP2 program: its sets, maps and dats, and one iteration as nine parallel loops.
#pragma once

#include <string>

#include <op2/op2.hpp>

#include "mesh.hpp"

namespace airfoil {

struct Flow {
  op_set nodes, edges, bedges, cells;
  op_map pedge, pecell;    ///< edges to their two nodes, to their two cells
  op_map pbedge, pbecell;  ///< boundary edges to their two nodes, to their cell
  op_map pcell;            ///< cells to their four nodes
  op_dat x;                ///< coordinates
  op_dat q, qold, res;     ///< state, state before the step, residual
  op_dat adt;              ///< area over time step
  op_dat bound;            ///< a Boundary: the boundary condition
};

/// The arguments of op_partition.
struct Partitioner {
  std::string library = "PTSCOTCH", routine = "KWAY";
};

/// Declares this rank's block of the mesh and the undisturbed flow on it, and the constants of the
/// kernels. Everything is copied.
Flow declare_flow(const Mesh& block, const Partitioner& partitioner = {});

/// The sum of squares of the last half step. Lazy: owned by the library until it is fetched, so
/// that the loops of many iterations form one chain. Not lazy: a variable of this program, which
/// must be complete whenever the loop returns. Its address must not change.
class Residual {
 public:
  explicit Residual(bool lazy);
  Residual(const Residual&) = delete;
  void reset();
  op_arg increment();
  double value();

 private:
  double sum_ = 0;
  op_global global_ = nullptr;
};

/// One iteration: two half steps from the same old state.
void iterate(const Flow& flow, Residual& residual);

/// Density, pressure and Mach number of the flow in every cell, as a .vtu file.
void write_fields(const Flow& flow, const char* path);

}  // namespace airfoil
