// SPDX-License-Identifier: BSD-3-Clause
// Reductions of MPI over all ranks, at once or by nodes.
#pragma once

#include <memory>
#include <span>

#include <comm/messages/message_layer.hpp>
#include <comm/messages/mpi_calls.hpp>

namespace op2::comm {

class MpiFold {
 public:
  MpiFold();
  ~MpiFold();
  MpiFold(const MpiFold&) = delete;
  MpiFold& operator=(const MpiFold&) = delete;

  MPI_Datatype type() const { return type_; }  ///< of one ReductionBlock
  MPI_Op operation() const { return operation_; }
  /// Leaves both to MPI_Finalize: reductions may still be in flight.
  void keep() { kept_ = true; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
  bool kept_ = false;
};

/// The ranks of this node, and the first rank of every node. Making and destroying it is
/// collective.
class MpiNodes {
 public:
  MpiNodes(MPI_Comm all, int ranks_per_node);

  MPI_Comm ranks() const { return ranks_; }
  /// Whether this is the first rank of its node.
  bool leads() const { return leads_; }
  MPI_Comm leaders() const { return leaders_; }  ///< MPI_COMM_NULL on other ranks
  /// Leaves both to MPI_Finalize.
  void keep() { ranks_.keep(), leaders_.keep(); }

 private:
  MpiComm ranks_;
  bool leads_;
  MpiComm leaders_;
};

/// Along which communicators reductions go.
struct MpiReductionTree {
  MpiComm all;
  std::unique_ptr<MpiNodes> nodes;  ///< null: at once
  MpiFold fold;

  explicit MpiReductionTree(MPI_Comm comm) : all(duplicate(comm)) {}
  void keep();
};

/// One reduction in flight, which the constructor starts. By nodes it takes three collectives:
/// blocks are folded on each node, then by the leaders of all nodes, who give them to their nodes.
class MpiReduction {
 public:
  /// @param blocks  of this rank; at most INT_MAX bytes
  MpiReduction(const MpiReductionTree& tree, std::span<const ReductionBlock> blocks);
  /// Makes progress; true once it is done.
  bool test();
  /// Precondition: it is done. Shape as `blocks`.
  void copy_result(std::span<ReductionBlock> blocks) const;

 private:
  enum class Step { over_all, on_node, over_leaders, to_node };
  void reduce_over(MPI_Comm ranks);
  bool start_next();

  const MpiReductionTree& tree_;
  int blocks_;
  Step step_;
  MpiCollective collective_;
};

}  // namespace op2::comm
