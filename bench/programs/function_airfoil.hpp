// SPDX-License-Identifier: BSD-3-Clause
// Airfoil as a program for OP2's own headers: kernels are functions, constants are variables.
#pragma once

#include <memory>

#include <airfoil/mesh.hpp>

namespace bench {

class FunctionAirfoil {
 public:
  /// Declares the mesh and the undisturbed flow in the session that runs.
  explicit FunctionAirfoil(const airfoil::Mesh& mesh);
  ~FunctionAirfoil();

  /// Goes on from where the last call ended; sums up in a separate variable.
  /// @return the sum of the squares of the changes in the last half step
  double iterate(int iterations);

 private:
  struct Flow;
  std::unique_ptr<Flow> flow_;
};

}  // namespace bench
