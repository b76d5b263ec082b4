// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files: reading and writing meshes and data (docs/files.md). Rows are in the original order
// for any number of ranks that read or write. All functions are collective; an error on one
// rank is an error on all.
//
// In a file a set is a dataset of one int, its size; a map or dat is a dataset [size of the set x
// dim]. A `name` may contain groups: "mesh/cells".
//
// Every function may throw op2::Error io_failure (file missing, not HDF5, damaged, no permission,
// disk full), bad_dataset (missing, not numeric, wrong extents, a value out of range for the
// type), bad_name (an empty name or path), out_of_memory, and not_compiled in a build
// without HDF5. Messages name the file and the dataset.
#pragma once

#include <op2/lengths.hpp>
#include <op2/types.hpp>

/// A set whose size is the single integer in dataset `name` of `file`, which is also its name.
/// Every rank declares an equal block; if the size is not divisible, the first ranks have one
/// element more.
/// @throws op2::Error bad_size (negative), too_large (2^31 elements or more)
OP2_API op_set op_decl_set_hdf5(const char* file, const char* name);

/// A set `name` that has as many elements as dataset `dataset` has rows, for files that do not
/// store the size.
/// @throws op2::Error too_large (2^31 elements or more)
OP2_API op_set op_decl_set_hdf5_infer_size(const char* file, const char* name, const char* dataset);

/// A map from dataset `name` of integers of `file`, shape [size of from x dim]. Each rank reads the
/// rows of its block of `from`, however that was declared.
/// @param base_index  index of the first element of `to` in the file: 0 or 1
/// @return null on all ranks, with a warning in the log, if the file has no such dataset; all other
/// problems are errors
/// @throws op2::Error bad_dim, bad_handle, map_out_of_range (names row, column and the file's
/// value)
OP2_API op_map op_decl_map_hdf5(op_set from, op_set to, int dim, const char* file, const char* name,
                                int base_index = 0);

/// A dat from dataset `name` of `file`, shape [size of set x dim]. Values are converted: integers
/// to any type that can represent them, floating-point values between double and float.
/// @param type  of the dat: "double", "float", "int", "uint", "ll", "ull" or "bool"
/// @return null as for a map, if the file has no such dataset
/// @throws op2::Error bad_dim, bad_type, bad_handle
OP2_API op_dat op_decl_dat_hdf5(op_set set, int dim, const char* type, const char* file,
                                const char* name);

namespace op2::detail {
OP2_API void get_const_hdf5(const char* name, int dim, const char* type, Type value_type,
                            void* values, const char* file);
OP2_API void write_const_hdf5(const char* name, int dim, const char* type, Type value_type,
                              const void* values, const char* file);
}  // namespace op2::detail

/// Reads the `dim` values of dataset `name` of `file` into `values`, equal on all ranks. Declares
/// no constant: see op_decl_const. Values are converted as for dats.
/// @param type    must name T
/// @param values  shape [dim]
/// @throws op2::Error bad_dim, bad_type, bad_size, null_data
template <op2::Value T>
void op_get_const_hdf5(const char* name, int dim, const char* type, T* values, const char* file) {
  op2::detail::get_const_hdf5(name, dim, type, op2::type_of<T>(), values, file);
}
template <op2::WritableArray C>
void op_get_const_hdf5(const char* name, int dim, const char* type, C&& values, const char* file) {
  op2::detail::check_length("op_get_const_hdf5", "constant", name, dim, op2::detail::given(values));
  op_get_const_hdf5(name, dim, type, std::data(values), file);
}
/// The same for memory of the type that `type` names.
OP2_API void op_get_const_hdf5(const char* name, int dim, const char* type, char* values,
                               const char* file);

/// Writes `dim` values to dataset `name` of `file`, which is created if needed; a dataset of this
/// name is replaced. Values must be equal on all ranks; those of the root are written.
/// @param values  shape [dim]
/// @throws op2::Error bad_dim, bad_type, bad_size, null_data
template <op2::Value T>
void op_write_const_hdf5(const char* name, int dim, const char* type, const T* values,
                         const char* file) {
  op2::detail::write_const_hdf5(name, dim, type, op2::type_of<T>(), values, file);
}
template <op2::SizedArray C>
void op_write_const_hdf5(const char* name, int dim, const char* type, const C& values,
                         const char* file) {
  op2::detail::check_length("op_write_const_hdf5", "constant", name, dim,
                            op2::detail::given(values));
  op_write_const_hdf5(name, dim, type, std::data(values), file);
}
/// The same for memory of the type that `type` names.
OP2_API void op_write_const_hdf5(const char* name, int dim, const char* type, const char* values,
                                 const char* file);

/// Executes pending loops and writes all sets, maps and dats (except temporary dats) to a new file,
/// from which the functions above can declare the same mesh again. The file appears when it is
/// complete; until then an existing file of this name is unchanged.
/// @param file        is replaced
/// @param base_index  index of the first element in map entries: 0 or 1
/// @throws op2::Error bad_name: two of them cannot be in one file ("a" and "a/b", or a set and a
/// dat of one name); everything that executing loops may throw
OP2_API void op_dump_to_hdf5(const char* file, int base_index = 0);

/// Executes pending loops and writes the dat to `file` under its name; a dataset of that name is
/// replaced, and a missing file is created. An existing file is copied, and replaced when the copy
/// is complete: until then it is unchanged.
/// @throws op2::Error bad_handle, and everything that executing loops may throw
OP2_API void op_fetch_data_hdf5_file(op_dat dat, const char* file);

/// The same under the name `path`; groups in it ("results/step_7/q") are created.
OP2_API void op_fetch_data_hdf5_file_path(op_dat dat, const char* file, const char* path);
