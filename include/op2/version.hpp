// SPDX-License-Identifier: BSD-3-Clause
// The version of these headers, and that of the library that runs. Below 1.0 a minor version may
// change any interface, so programs run with the library of the minor version that they were built
// with: the loader (libop2.so.0.1) and find_package(op2 0.1) refuse others. From 1.0 on this holds
// for major versions.
#pragma once

#include <op2/types.hpp>

/// The version of these headers.
#define OP2_VERSION_MAJOR 0
#define OP2_VERSION_MINOR 1
#define OP2_VERSION_PATCH 0
#define OP2_VERSION_STRING "0.1.0"

/// 10000 major + 100 minor + patch, for comparisons by the preprocessor.
#define OP2_VERSION (10000 * OP2_VERSION_MAJOR + 100 * OP2_VERSION_MINOR + OP2_VERSION_PATCH)

/// The version of the library that runs, e.g. "0.1.0"; OP2_VERSION_STRING is that of the headers.
/// Works before `op_init`; valid until the program ends. Any program with `--op2-version` prints it
/// with what is built in. Local.
OP2_API const char* op2_version();

/// Whether the library that runs has an optional part: "mpi" (several ranks), "hdf5" (HDF5 files),
/// "parallel_hdf5" (ranks write them together), "scotch", "ptscotch" (the partitioner), "hwloc"
/// (threads are bound to cores), "llvm" (kernels are compiled for CPUs at run time) or "cuda"
/// (OP2_TARGET=cuda; whether there are a GPU and its compiler shows at op_init).
/// Upper and lower case are the same. Works before `op_init`. Local.
/// @throws Error bad_option  there is no part of that name
OP2_API bool op_has(const char* part);
