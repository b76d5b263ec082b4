// SPDX-License-Identifier: BSD-3-Clause
// OP2_CHECK=pointers on a device: rows that the program has written through `dat->data` without a
// word about it, so that loops do not see them.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <op2/par_loop.hpp>

#include <core/log.hpp>
#include <core/mesh.hpp>

namespace op2::api {

/// Local: each rank looks at its own rows.
class PointerCheck {
 public:
  /// Both outlive it.
  PointerCheck(const core::Mesh& mesh, core::Log& log) : mesh_(mesh), log_(log) {}

  /// After a loop, when the host's copies are current: remembers a checksum of those that the
  /// device has, too. Cost: a pass over the rows that have changed.
  void remember();

  /// Before a loop: logs, as an error and once for a loop and dat, each of its dats whose rows are
  /// others than those remembered, although no call has said so. The program goes on. Cost: a pass
  /// over the rows of its dats.
  /// @param args  of a loop that was checked
  void compare(const op_loop_name& loop, std::span<const op_arg> args);

 private:
  struct Seen {
    std::uint64_t epoch = 0;  ///< of the rows; 0: not remembered
    std::uint64_t checksum = 0;
  };
  bool has_changed(const core::Dat& dat) const;

  const core::Mesh& mesh_;
  core::Log& log_;
  std::vector<Seen> seen_;                      ///< per dat of the mesh
  std::set<std::pair<int, std::string>> told_;  ///< dats and loops that have been logged
};

}  // namespace op2::api
