// SPDX-License-Identifier: BSD-3-Clause
// What a run prints.
#pragma once

#include <vector>

#include "counts.hpp"

namespace hydra_chains {

struct Options {
  int width = 24;  ///< nodes along each direction
  bool random = false;
  bool as_published = false;
  bool two_maps = false;
  int starts = 12;  ///< executions of weight and period
  int iterations = 20;
  Partitioner partitioner{"boxes", ""};
  bool json = false;

  Cube cube() const { return {width, random ? Numbering::random : Numbering::planes}; }
  WallMaps walls() const { return two_maps ? WallMaps::two : WallMaps::one; }
  Variant variant() const { return as_published ? Variant::as_published : Variant::increments; }
};

struct Result {
  std::vector<Counted> counted;  ///< per chain
  std::vector<Summary> summaries;
  std::vector<double> squares;  ///< sum over the nodes of each dat that loops modify
  std::vector<op_dat> modified;
  double norm;
  unsigned long fingerprint;
};

/// A table with a line for each chain, then for each loop.
void print(const Options& options, const Result& result);
/// One line.
void print_json(const Options& options, const Result& result);

}  // namespace hydra_chains
