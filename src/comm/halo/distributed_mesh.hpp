// SPDX-License-Identifier: BSD-3-Clause
// Keeps the records of a mesh as declared, in blocks of global indices, or in the local rows of a
// halo plan, which on one rank has no neighbours.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <comm/halo/halo_plan.hpp>
#include <comm/messages/communicator.hpp>
#include <core/mesh.hpp>

namespace op2::comm {

/// In which order rows are stored.
struct RowOrder {
  core::RenumberMode renumber = core::RenumberMode::off;
  bool reproducible = false;  ///< the canonical order is to be known
  /// On several ranks, levels are distinguished down to this one unless `distinguish` asks for
  /// more.
  core::Level deepest = core::deepest_tracked;
};

class DistributedMesh {
 public:
  /// Both must outlive it.
  DistributedMesh(core::Mesh& mesh, Communicator& communicator, const RowOrder& order = {})
      : mesh_(mesh), communicator_(communicator), order_(order) {}

  core::Mesh& mesh() const { return mesh_; }
  Communicator& communicator() const { return communicator_; }
  /// Whether all rows are as declared: on several ranks until the mesh is distributed, on one rank
  /// as long as no set has another order. Cost O(sets).
  bool as_declared() const;
  /// Not before `distribute` or `ensure_rows`.
  bool has_halo_plan() const { return halo_plan_ != nullptr; }
  const HaloPlan& halo_plan() const { return *halo_plan_; }

  /// Changes whenever rows or maps move in memory.
  int epoch() const { return epoch_; }
  /// Changes whenever rows of levels up to 2, or their global indices, change: not when halos grow.
  int arrangement() const { return arrangement_; }

  /// The block of a set of which this rank declares `declared` elements. Collective.
  /// @throws Error too_large
  core::DeclaredRange block_of(std::int32_t declared, const char* set) const;

  /// The blocks of a set as declared. The first call for a set is collective and gathers 8 bytes
  /// per rank; the result stays valid, and later calls cost nothing.
  const Blocks& declared_blocks(const core::Set& set);

  /// The mesh as declared; only in the declared form. Collective.
  BlockMesh declared_mesh();

  /// Decides the canonical order (core::Mesh::ordering_set) in the reproducible mode, unless that
  /// was done since the last set or map was declared; only in the declared form. Collective. Cost:
  /// that of choose_canonical_order.
  /// @param coordinates  double, dim 1 to 3, or null. They count only if no loop was called since
  /// then
  void decide_order(const core::Dat* coordinates);

  /// From the declared form to the distributed one. Collective.
  /// @param blocks  the mesh as declared
  /// @param owners  of the declared elements, for each set, as a partitioner has chosen them; sets
  /// that are missing stay with the declaring ranks
  void distribute(const BlockMesh& blocks, std::vector<Owners> owners);

  /// Back to the declared form, for new sets and maps. Remembers the owners. Collective.
  void return_to_declared();

  /// Local rows up to `level`; without a distribution every rank owns what it declares. Collective,
  /// but local if the rows are there.
  void ensure_rows(core::Level level);

  /// Levels are distinguished down to this one, or Layout::limit, from now on. If there are local
  /// rows that are not, they move, and halos are forgotten. Collective.
  /// @return whether rows were moved
  bool distinguish(core::Level level);

  /// Whether rows stay in the declared order even if another has better locality: on one rank those
  /// of all sets, on several the owned rows of sets from which no map starts, as long as no
  /// partitioner has chosen owners. Takes effect when the mesh next leaves the declared form.
  void keep_order(bool keep);

  /// The values of a dat as declared: shape [declared x dim]. Collective; in the declared form a
  /// view of the dat.
  /// @param storage  holds the values in the distributed form; outlives the result
  std::span<const std::byte> declared_rows(const core::Dat& dat, Bytes& storage) const;

  /// The same values, piece by piece; the dat must not change meanwhile. Collective.
  DeclaredPieces declared_pieces(const core::Dat& dat) const;

  /// The same values, copied. Collective.
  void copy_declared(const core::Dat& dat, std::byte* to) const;

  /// Copies the rows low .. high of a dat, by global indices; each rank may want others.
  /// Collective. Cost: on one rank that of the copy; on several that of all declared rows.
  void copy_declared_range(const core::Dat& dat, std::int64_t low, std::int64_t high,
                           std::byte* to);

  /// The entries of a map as declared: std::int32_t, shape [declared x arity]. Collective.
  Bytes declared_entries(const core::Map& map) const;

  /// The global indices that a map leads to from the elements which this rank owns, in the order of
  /// its rows: shape [owned x arity]. Local.
  std::vector<GlobalId> owned_targets(const core::Map& map) const;

  /// Sets the owned rows of a dat in local rows, from values as declared; null means zeros. Not
  /// before there is a halo plan. Collective.
  void set_declared_rows(core::Dat& dat, const void* values);

 private:
  bool keeps(const op_set_core& set) const;
  bool keeps(const core::Map& map) const;
  void build(const BlockMesh& blocks, std::vector<Owners> owners);
  std::vector<char> sets_in_declared_order() const;
  void take(HaloPlan plan);
  void update_records();
  void update_places();
  CanonicalOrder canonical_order();
  std::vector<std::int64_t> weights() const;

  core::Mesh& mesh_;
  Communicator& communicator_;
  RowOrder order_;
  bool keeps_order_ = false;
  bool is_partitioned_ = false;  ///< owners were chosen
  std::vector<Owners> owners_;   ///< as distributed, for each set; may be shorter than the mesh
  std::deque<Blocks> declared_;  ///< of each set that was asked for; empty: not yet
  /// Of the declared elements of the ordering set; nothing: these are in order.
  std::optional<std::vector<std::int32_t>> places_;
  std::size_t ordered_ = 0;  ///< sets and maps that there were when the order was decided
  std::unique_ptr<HaloPlan> halo_plan_;
  int epoch_ = 0, arrangement_ = 0;
};

}  // namespace op2::comm
