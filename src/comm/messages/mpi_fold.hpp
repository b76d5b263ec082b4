// SPDX-License-Identifier: BSD-3-Clause
// The MPI datatype of a reduction block, and the MPI operation that folds blocks.
#pragma once

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

}  // namespace op2::comm
