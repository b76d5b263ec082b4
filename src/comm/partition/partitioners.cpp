// SPDX-License-Identifier: BSD-3-Clause
#include <comm/partition/partitioners.hpp>

#include <comm/partition/partition.hpp>

namespace op2::comm {
namespace {

std::optional<Owners> by_kway(const PartitionTask& task, std::string& reason) {
  return kway_owners(task.communicator, task.mesh, task.map, task.threads_allowed, reason);
}

std::optional<Owners> by_bisection(const PartitionTask& task, std::string&) {
  return rcb_owners(task.communicator, task.blocks(), task.coordinates, task.dim);
}

std::optional<Owners> by_blocks(const PartitionTask& task, std::string&) {
  return block_owners(task.blocks(), task.communicator.rank());
}

std::optional<Owners> by_hash(const PartitionTask& task, std::string&) {
  return random_owners(task.blocks(), task.communicator.rank(), task.communicator.size());
}

std::optional<Owners> by_program(const PartitionTask& task, std::string&) {
  return given_owners(task.communicator, task.blocks(), task.ranks, task.values_name);
}

}  // namespace

Partitioners library_partitioners() {
  return Partitioners("partitioner",
                      {{"ptscotch", "PT-Scotch k-way", PartitionInput::map, by_kway},
                       {"rcb", "coordinate bisection", PartitionInput::coordinates, by_bisection},
                       {"block", "blocks", PartitionInput::nothing, by_blocks},
                       {"random", "random", PartitionInput::nothing, by_hash},
                       {"external", "external", PartitionInput::ranks, by_program}});
}

}  // namespace op2::comm
