// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a reduction as a type of MPI, and their folding as an operation
// of MPI.
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
  /// Leaves both to MPI_Finalize: reductions may still be under way.
  void keep() { kept_ = true; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
  bool kept_ = false;
};

}  // namespace op2::comm
