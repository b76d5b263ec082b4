// SPDX-License-Identifier: BSD-3-Clause
// The registry of partitioners, through which alone op_partition knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>
#include <core/registry.hpp>

namespace op2::comm {

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

using Partitioners = core::Registry<Partitioner>;

/// Those of the library: ptscotch, rcb, block, random, external.
Partitioners library_partitioners();

}  // namespace op2::comm
