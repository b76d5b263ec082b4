// SPDX-License-Identifier: BSD-3-Clause
// Who owns what. Partitioners decide for one set; the other sets inherit through maps. All results
// are the same for the same mesh and number of ranks, whatever the run. Collective.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>
#include <comm/partition/rendezvous.hpp>

namespace op2::comm {

/// Each rank owns what it declares.
Owners block_owners(const Blocks& set, int rank);

/// Owners given by the program, after a check. Collective.
/// @param ranks  of the declared elements
/// @param name   of the program's array, for messages
/// @throws Error bad_range, on all ranks
Owners given_owners(Communicator& communicator, const Blocks& set,
                    std::span<const std::int32_t> ranks, std::string_view name);

/// Chosen by a hash of the global index: the worst possible halos, for tests.
Owners random_owners(const Blocks& set, int rank, int ranks);

/// Recursive coordinate bisection, cut across the longest side; elements at the same position are
/// ordered by global index. Parts differ by at most one element; with more ranks than elements some
/// are empty. Cost: about 20 small exchanges per level of the recursion, of which there are
/// log2(ranks).
/// @param coordinates  of the declared elements, shape [declared x dim], 1 <= dim <= 3
Owners rcb_owners(Communicator& communicator, const Blocks& set,
                  std::span<const double> coordinates, int dim);

/// PT-Scotch, k-way: few cut edges of the dual graph, with parts whose sizes differ by about 5 %.
/// Two elements of the map's target set are neighbours if an element of its source set is mapped to
/// both; in a map of a set to itself also if one is mapped to the other.
/// @param threads_allowed  MPI was initialised with MPI_THREAD_MULTIPLE
/// @return the owners of the target set; nothing, on all ranks, if PT-Scotch cannot be used here;
///         `reason` says why (not built in, no MPI, no threads, too large)
/// @throws Error communication_failure (PT-Scotch reports a fault)
std::optional<Owners> kway_owners(Communicator& communicator, const BlockMesh& mesh, int map,
                                  bool threads_allowed, std::string& reason);

/// Scotch, k-way, by this process alone, which has the whole mesh: the part of each element of the
/// map's target set, whose neighbours are those of kway_owners. Deterministic. Cost: about 10 s for
/// a million elements in 4 096 parts.
/// @param mesh  declared by one rank
/// @return nothing if Scotch is not built in
/// @throws Error internal (Scotch reports a fault)
std::optional<Owners> serial_kway_owners(const BlockMesh& mesh, int map, int parts);

/// Owners of all sets from those of one. Through a map to an owned set, each element gets the rank
/// that owns most of its targets; through a map from an owned set, the rank that owns most of its
/// sources. Ties are distributed evenly by the global index, not given to the lowest rank. Sets
/// that no map connects are owned by their declaring ranks. Maps are used in the order of
/// declaration, nearest sets first.
/// @param owners  of set `primary`
/// @return for each set of the mesh
std::vector<Owners> inherit_owners(Communicator& communicator, const BlockMesh& mesh, int primary,
                                   Owners owners);

/// The same. @param owners  of each set: of `primary` as chosen, of the others where no map decides
std::vector<Owners> inherit_owners(Communicator& communicator, const BlockMesh& mesh, int primary,
                                   std::vector<Owners> owners);

/// The quality of a partition.
struct PartitionQuality {
  struct SetQuality {
    std::int64_t elements;           ///< on all ranks
    std::int64_t smallest, largest;  ///< elements that one rank owns
  };
  std::vector<SetQuality> sets;
  std::vector<std::int64_t> cut;  ///< per map: rows whose source and targets have several owners
};
PartitionQuality quality_of(Communicator& communicator, const BlockMesh& mesh,
                            const std::vector<Owners>& owners);

/// The argument of op_partition that a partitioner needs.
enum class PartitionInput {
  nothing,
  map,          ///< a map to the partitioned set
  coordinates,  ///< of the partitioned set: double, 1 to 3 per element
  ranks         ///< int, one per element of the partitioned set: the rank that is to own it
};

/// The set to partition, and the input. Shapes are those of the elements declared here.
struct PartitionTask {
  Communicator& communicator;
  const BlockMesh& mesh;
  int set;                                   ///< the partitioned one
  int map = -1;                              ///< if that is the input
  std::span<const double> coordinates = {};  ///< if these are: shape [declared x dim]
  int dim = 0;
  std::span<const std::int32_t> ranks = {};  ///< if these are: shape [declared]
  std::string_view values_name = {};         ///< of the dat of the input, for messages
  bool threads_allowed = false;              ///< MPI was initialised with MPI_THREAD_MULTIPLE

  const Blocks& blocks() const { return mesh.sets[set]; }
};

struct Partitioner {
  std::string name;   ///< in programs, in lower case
  std::string title;  ///< in messages
  PartitionInput input;
  /// Collective. The owners of the elements declared here; nothing, on all ranks, if the
  /// partitioner cannot be used: then `reason` says why, and another one is used.
  std::optional<Owners> (*divide)(const PartitionTask& task, std::string& reason);
};

using Partitioners = std::vector<Partitioner>;

/// Those of the library: ptscotch, rcb, block, random, external.
Partitioners library_partitioners();
/// Null if there is none of this name.
const Partitioner* find_partitioner(const Partitioners& all, std::string_view name);
/// For messages: "ptscotch, rcb or block".
std::string names_of(const Partitioners& all);

/// For each declared element of the map's target set: the global indices of the other elements that
/// share a source with it, ascending, without repetition. Symmetric. Collective. Cost: one
/// exchange; arity * (arity - 1) indices per row of the map.
Ragged<GlobalId> dual_graph(Communicator& communicator, const BlockMesh& mesh, const BlockMap& map);

}  // namespace op2::comm
