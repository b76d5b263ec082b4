// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/mpi_fold.hpp>

#include <comm/messages/mpi_communicator.hpp>

#include <type_traits>

#include <comm/messages/reduction_blocks.hpp>

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

}  // namespace op2::comm
