// SPDX-License-Identifier: BSD-3-Clause
// Halos and owners as OP2's MPI library shows them to programs: plain arrays, a snapshot of the
// mesh.
#pragma once

#include <vector>

#include <op2/compat/op2_records.h>

#include <comm/halo/distributed_mesh.hpp>
#include <core/mesh.hpp>

namespace op2::compat {

/// Rows that are sent, or received.
struct HaloRows {
  std::vector<int> ranks, disps, sizes, list;
  halo_rows shown{};
};

struct Halo {
  HaloRows exported, imported;
};

struct SetLists {
  std::vector<wide_index> numbers, declared;
  std::vector<int> owners;
  Halo exec, nonexec;
  part_rows part{};
};

class HaloLists {
 public:
  /// No lists.
  HaloLists() = default;
  /// The lists of a mesh that is distributed or on one rank; otherwise none. Cost: O(rows).
  HaloLists(const core::Mesh& mesh, comm::DistributedMesh& rows);

  /// Programs hold pointers into it.
  HaloLists(const HaloLists&) = delete;
  HaloLists& operator=(const HaloLists&) = delete;

  /// Whether the lists still hold: no rows have moved and no set was declared since.
  bool are_of(const core::Mesh& mesh, const comm::DistributedMesh& rows) const;

  const halo_lists& shown() const { return shown_; }

 private:
  void show_all();

  int arrangement_ = -1;
  std::vector<SetLists> sets_;  ///< keeps its size once pointers into it are shown
  std::vector<part_rows*> parts_;
  std::vector<wide_index*> declared_;
  std::vector<halo_rows*> export_exec_, import_exec_, export_nonexec_, import_nonexec_;
  halo_lists shown_{};
};

}  // namespace op2::compat
