// SPDX-License-Identifier: BSD-3-Clause
// An HDF5 library that knows MPI.
#include <comm/files/hdf5_dataset.hpp>
#include <comm/messages/mpi_calls.hpp>

namespace op2::comm {

bool Hdf5Ranks::available() {
  return true;
}

bool Hdf5Ranks::open_by(hid_t access, int communicator) {
  return H5Pset_fapl_mpio(access, MPI_Comm_f2c(communicator), MPI_INFO_NULL) >= 0;
}

bool Hdf5Ranks::move_by(hid_t transfer) {
  return H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) >= 0;
}

}  // namespace op2::comm
