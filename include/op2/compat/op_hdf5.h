// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files under OP2's names.
#pragma once

#include "op_lib_core.h"

using op2::compat::op_decl_dat_hdf5;
using op2::compat::op_decl_map_hdf5;
using op2::compat::op_decl_set_hdf5;
using op2::compat::op_decl_set_hdf5_infer_size;
using op2::compat::op_dump_to_hdf5;
using op2::compat::op_fetch_data_hdf5_file;
using op2::compat::op_fetch_data_hdf5_file_path;
using op2::compat::op_get_const_hdf5;
using op2::compat::op_write_const_hdf5;
using op2::compat::op_write_hdf5;
