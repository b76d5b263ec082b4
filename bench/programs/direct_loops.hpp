// SPDX-License-Identifier: BSD-3-Clause
// The loops of Airfoil as range functions that are called without any library: what remains of the
// library's time after theirs is queueing, analysis and dispatch.
#pragma once

#include <vector>

#include <airfoil/mesh.hpp>

namespace bench {

struct DirectAirfoil {
  explicit DirectAirfoil(const airfoil::Mesh& mesh);

  const airfoil::Mesh& mesh;
  std::vector<double> q, qold, res, adt;
  double rms = 0;
};

/// Works on elements begin .. end - 1, like the functions that the library generates.
using DirectLoop = void (*)(int begin, int end, DirectAirfoil& data);

void save_soln(int begin, int end, DirectAirfoil& data);
void restore_soln(int begin, int end, DirectAirfoil& data);
void adt_calc(int begin, int end, DirectAirfoil& data);
void res_calc(int begin, int end, DirectAirfoil& data);
void bres_calc(int begin, int end, DirectAirfoil& data);
void update(int begin, int end, DirectAirfoil& data);

}  // namespace bench
