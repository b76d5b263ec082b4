// SPDX-License-Identifier: BSD-3-Clause
// The commands of op2-model. Each prints a table and returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace op2::model {

struct CutOptions {
  std::string run;
  std::vector<int> parts;
  std::string maps;          ///< empty: the file that the record names
  std::string folder = ".";  ///< for cut_P.json
  int layers = 0;            ///< 0: those of the recorded OP2_DEPTH_MAX
};
int cut(const CutOptions& options);

struct PredictOptions {
  std::string run;
  std::vector<std::string> files;  ///< of cuts, and at the end that of the machine
  std::vector<std::string> costs;  ///< further records of the program
  double scale = 1;                ///< of the costs of loops, and of packing
  int busy = 0;                    ///< processes of a node while recording; 0: ranks of the run
  std::string csv;                 ///< empty: none
};
int predict(const PredictOptions& options);

struct MachineOptions {
  std::string out = "machine.json";
  int ranks_per_node = 0;
  double latency_us = -1, overhead_us = -1, bandwidth_gbs = -1;  ///< across nodes
};
/// Collective, under mpirun.
int machine(const MachineOptions& options);

}  // namespace op2::model
