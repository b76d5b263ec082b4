// SPDX-License-Identifier: BSD-3-Clause
// State of a program beyond the library's session: what OP2 keeps in global variables.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <op2/compat/op2_records.h>
#include <op2/op2.hpp>

#include <comm/halo/distributed_mesh.hpp>
#include <core/clock.hpp>
#include <core/mesh.hpp>

namespace op2::compat {

// Halos and owners as OP2's MPI library shows them to programs: plain arrays, a snapshot of the
// mesh.

/// Rows that are sent, or received.
struct HaloRows {
  std::vector<int> ranks, disps, sizes, list;
  halo_rows shown{};
};

struct SetLists {
  std::vector<wide_index> numbers, declared;
  std::vector<int> owners;
  std::array<HaloRows, 2> exported, imported;  ///< of the execute halo, and of the other one
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
  std::array<std::vector<halo_rows*>, 2> exported_, imported_;
  halo_lists shown_{};
};

// Nested sections of a program with their wall clock times. Local.

/// A section: all calls under one name within one enclosing section.
struct Section {
  std::string name;
  std::int64_t calls = 0;
  double seconds = 0;
  std::vector<Section> sections{};  ///< inside, in the order of their first calls
};

class Profile {
 public:
  /// Opens a section in the innermost open one.
  void enter(const std::string& name);
  /// Closes the innermost open section, if any.
  void leave();
  /// Adds a closed section to the innermost open one.
  void add(const std::string& name, double seconds);
  /// Number of open sections.
  std::size_t depth() const { return open_.size(); }
  const Section& all() const { return all_; }

 private:
  struct Open {
    Section* section;
    core::Clock::time_point begin;
  };
  Section& innermost() { return open_.empty() ? all_ : *open_.back().section; }

  Section all_;  ///< has no name and no time
  std::vector<Open> open_;
};

/// MPI as the program uses it (op_lib_mpi.h).
struct MpiUser {
  void (*begin)(int argc, char** argv);
  void (*end)();
};

/// Communicators as Fortran handles (MPI_Comm_c2f).
struct Communicators {
  int global, local;
};

struct Program {
  variables values{};
  std::vector<op_set> sets;
  std::vector<op_map> maps;
  std::deque<dat_entry> dats;
  std::vector<kernel_row> kernels;
  std::deque<std::vector<double>> times;  ///< of rows of `kernels`
  std::optional<HaloLists> lists;         ///< what `lists()` has made in this session
  Profile profile;
  std::optional<MpiUser> mpi_user;
  std::optional<Communicators> communicators;
  int rank;                  ///< in the last session; before the first one, as launched
  bool partitioned = false;  ///< op_partition was called
};

/// Made by the first call; lives as long as the process, also from session to session.
Program& program();

/// Sets the values that hold at `op_init`, and reads OP2's arguments on the command line.
/// @throws Error bad_option (a base index that is neither 0 nor 1)
void begin_program(int argc, char** argv, int diags);

/// Logs the arguments of OP2 that are ignored, at level debug. Local.
void report_words(int argc, char** argv);

}  // namespace op2::compat
