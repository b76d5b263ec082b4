// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/mpi_reduction.hpp>

#include <cstring>
#include <type_traits>
#include <utility>

#include <comm/messages/message_layer.hpp>
#include <comm/messages/mpi_communicator.hpp>

namespace op2::comm {

namespace {

static_assert(std::is_trivially_copyable_v<ReductionBlock>);

/// With the signature of an MPI_User_function.
void fold_blocks(void* from, void* to, int* count, MPI_Datatype*) {
  const auto* others = static_cast<const ReductionBlock*>(from);
  auto* blocks = static_cast<ReductionBlock*>(to);
  for (int k = 0; k < *count; ++k) blocks[k].fold(others[k]);
}

}  // namespace

MpiFold::MpiFold() {
  mpi_check(MPI_Type_contiguous(sizeof(ReductionBlock) / sizeof(std::int64_t), MPI_INT64_T, &type_),
            "MPI_Type_contiguous");
  mpi_check(MPI_Type_commit(&type_), "MPI_Type_commit");
  mpi_check(MPI_Op_create(fold_blocks, 1, &operation_), "MPI_Op_create");
}

MpiFold::~MpiFold() {
  if (kept_) return;
  if (!mpi_is_running()) return;
  MPI_Op_free(&operation_);
  MPI_Type_free(&type_);
}

namespace {

constexpr int leader = 0;  // among the ranks of a node

bool is_leader(MPI_Comm ranks) {
  int rank = 0;
  mpi_check(MPI_Comm_rank(ranks, &rank), "MPI_Comm_rank");
  return rank == leader;
}

}  // namespace

MpiNodes::MpiNodes(MPI_Comm all, int ranks_per_node)
    : ranks_(ranks_on_node(all, ranks_per_node)),
      leads_(is_leader(ranks_)),
      leaders_(some_ranks(all, leads_)) {}

void MpiReductionTree::keep() {
  all.keep();
  if (nodes != nullptr) nodes->keep();
  fold.keep();
}

MpiReduction::MpiReduction(const MpiReductionTree& tree, std::span<const ReductionBlock> blocks)
    : tree_(tree), blocks_(static_cast<int>(blocks.size())) {
  const auto bytes = std::as_bytes(blocks);
  collective_.out.assign(bytes.begin(), bytes.end());
  collective_.in.resize(bytes.size());
  if (tree.nodes == nullptr) {
    step_ = Step::over_all;
    reduce_over(tree.all);
    return;
  }
  step_ = Step::on_node;
  mpi_check(MPI_Ireduce(collective_.out.data(), collective_.in.data(), blocks_, tree.fold.type(),
                        tree.fold.operation(), leader, tree.nodes->ranks(), &collective_.request),
            "MPI_Ireduce");
}

bool MpiReduction::test() {
  while (collective_.test())
    if (!start_next()) return true;
  return false;
}

void MpiReduction::copy_result(std::span<ReductionBlock> blocks) const {
  std::memcpy(blocks.data(), collective_.in.data(), collective_.in.size());
}

void MpiReduction::reduce_over(MPI_Comm ranks) {
  mpi_check(MPI_Iallreduce(collective_.out.data(), collective_.in.data(), blocks_,
                           tree_.fold.type(), tree_.fold.operation(), ranks, &collective_.request),
            "MPI_Iallreduce");
}

/// False after the last step.
bool MpiReduction::start_next() {
  if (step_ == Step::over_all || step_ == Step::to_node) return false;
  if (step_ == Step::on_node && tree_.nodes->leads()) {
    step_ = Step::over_leaders;
    std::swap(collective_.out, collective_.in);
    reduce_over(tree_.nodes->leaders());
    return true;
  }
  step_ = Step::to_node;
  mpi_check(MPI_Ibcast(collective_.in.data(), blocks_, tree_.fold.type(), leader,
                       tree_.nodes->ranks(), &collective_.request),
            "MPI_Ibcast");
  return true;
}

}  // namespace op2::comm
