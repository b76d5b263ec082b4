// SPDX-License-Identifier: BSD-3-Clause
// One dataset of an open HDF5 file: find, make, describe and read. Rows are written by the caller,
// at `offset`. All ranks that have the file open call every member, in the same order. Throws Error
// io_failure and bad_dataset.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <comm/files/hdf5_handle.hpp>
#include <comm/files/row_range.hpp>

namespace op2::comm {

/// Names for messages.
struct Hdf5Location {
  std::string file, dataset;
};

class Hdf5Dataset {
 public:
  /// Opens the dataset; nothing if there is none of this name.
  /// @throws Error bad_dataset if it is a group, or in another file while this one is written
  static std::optional<Hdf5Dataset> find(hid_t file, const Hdf5Location& location);

  /// Opens it if rows of this type and these extents can be written in place; nothing otherwise.
  static std::optional<Hdf5Dataset> find_alike(hid_t file, const Hdf5Location& location, Type type,
                                               const std::vector<std::int64_t>& extents);

  /// Makes a new one, and the groups on its path; removes another of this name.
  static Hdf5Dataset make(hid_t file, const Hdf5Location& location, Type type,
                          const std::vector<std::int64_t>& extents);

  const std::vector<std::int64_t>& extents() const { return extents_; }

  /// Sets the attributes size, dim and type.
  void describe(std::int64_t size, int dim, const char* type);

  /// Bytes of the buffer that reading these rows needs; 0 without conversion. Local.
  std::size_t buffer_size(const RowRange& rows, int dim, Type type) const;

  /// Reads rows of `dim` values each as values of `type`.
  /// @param buffer      of the size above, aligned as by new; scratch
  /// @param collective  every rank takes part, perhaps with no rows
  void read(const RowRange& rows, int dim, Type type, void* values, std::span<std::byte> buffer,
            bool collective) const;

  /// Where the values are in the file, in bytes from its beginning, if they are there in one piece,
  /// as in memory; otherwise (compressed, empty, ...) nothing.
  std::optional<std::int64_t> offset() const;

  /// Checks that closing it loses nothing; no other member may follow.
  void close();

 private:
  Hdf5Dataset(Hdf5Handle dataset, const Hdf5Location& location);
  void set_attribute(const char* name, hid_t type, const void* value);
  void read_stored(const RowRange& rows, int dim, hid_t type, void* values, bool collective) const;
  bool is_alike(Type type) const;
  template <class Wide>
  void convert(const RowRange& rows, int dim, Type type, void* values,
               std::span<std::byte> buffer) const;
  Hdf5Handle space_of(const RowRange& rows) const;
  [[noreturn]] void fail(const char* action) const;

  Hdf5Handle dataset_;
  Hdf5Handle stored_;   ///< the type in the file
  Hdf5Handle numbers_;  ///< the same, but for an enumeration its integer type
  std::vector<std::int64_t> extents_;
  Hdf5Location location_;
};

}  // namespace op2::comm
