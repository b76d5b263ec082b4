// SPDX-License-Identifier: BSD-3-Clause
// Files. All functions execute pending loops, write in the original order, and leave either the
// complete file or none: they write a temporary file and rename it. Collective. With OP2_ASYNC_IO
// those for ParaView return before their files are written, and throw errors of earlier ones;
// op_checkpoint and op_exit wait for these files.
#pragma once

#include <span>

#include <op2/types.hpp>

/// Text: a line "size dim", then one line per element. Floating-point values have enough digits to
/// read them back exactly (17 for double, where OP2 writes 16).
/// @param path  of the file on the root rank, whose folder exists; so in all functions here
/// @throws op2::Error bad_type (an opaque dat), io_failure (names the file and the reason)
OP2_API void op_print_dat_to_txtfile(op_dat dat, const char* path);

/// Binary: int size, int dim, then the values, shape [size x dim].
/// @throws op2::Error as op_print_dat_to_txtfile
OP2_API void op_print_dat_to_binfile(op_dat dat, const char* path);

/// A VTK XML unstructured grid (.vtu, binary) that ParaView opens.
/// @param cells_to_nodes  arity 2 (lines), 3 (triangles), 4 (quadrilaterals in 2D, tetrahedra in
/// 3D), 5 (pyramids), 6 (wedges) or 8 (hexahedra)
/// @param coordinates     dim 2 or 3, double or float, on the nodes
/// @param fields          dats on the cells or on the nodes, any type
/// @throws op2::Error bad_dim, wrong_set, bad_type, io_failure
OP2_API void op_write_vtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                          std::span<const op_dat> fields);

/// The same as a partitioned file, for meshes that are too large for one rank: each rank writes its
/// owned cells and their nodes to a .vtu in the folder of `path`; the root writes the .pvtu that
/// ParaView opens: "flow.pvtu" refers to "flow_0.vtu", "flow_1.vtu", ... Nothing is gathered on one
/// rank. The cells of a piece are in the local order. The .pvtu is written after all pieces are
/// complete.
/// @throws op2::Error as op_write_vtu
OP2_API void op_write_pvtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                           std::span<const op_dat> fields);

/// Adds a time to a time series, which ParaView opens as one: `series` is a .pvd that names a file
/// for each time, "results/flow.pvd" names "results/flow_0000.pvtu", "results/flow_0001.pvtu", ...,
/// which op_write_pvtu writes. Times of the series from `time` on are replaced: a
/// program that goes on from a checkpoint goes on with its series, too. The series is written after
/// the file of the new time is complete.
///
/// A `series` that ends in .xdmf or .xmf is XDMF beside HDF5: "results/flow.xdmf" names datasets of
/// "results/flow_0000.h5", "results/flow_0001.h5", ..., in each of which all ranks write their
/// rows, in the declared order: "grid/cells", "grid/points", "cell_values/<dat>",
/// "point_values/<dat>".
/// @param time  of the values, finite, in the unit of the program
/// The other parameters are those of op_write_vtu.
/// @throws op2::Error as op_write_pvtu; bad_range (`time` is not finite), io_failure (`series` has
/// another ending, or is not a file that this function has written); for XDMF: bad_name (two fields
/// of one name), not_compiled (a libop2 without HDF5)
OP2_API void op_write_series(const char* series, double time, op_map cells_to_nodes,
                             op_dat coordinates, std::span<const op_dat> fields);
