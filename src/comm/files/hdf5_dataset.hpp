// SPDX-License-Identifier: BSD-3-Clause
// Datasets of HDF5 files, by handles of the HDF5 library that are closed at the end of their scope.
// The only header that includes <hdf5.h>.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>
#if __has_include(<H5FDdevelop.h>)  // HDF5 1.13 and later: the part for drivers
#include <H5FDdevelop.h>
#endif

#include <comm/partition/block_mesh.hpp>
#include <core/error.hpp>
#include <op2/types.hpp>

namespace op2::comm {

/// An object of the HDF5 library.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { close(); }
  operator hid_t() const { return id_; }

  /// False if the library reports an error; the handle is invalid either way.
  bool close() { return id_ < 0 || close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// While it lives, the HDF5 library prints no errors; then the program's setting is restored.
class QuietHdf5 {
 public:
  QuietHdf5();
  ~QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// The outermost and the innermost message of the last failed call of the HDF5 library. To be
/// called before the next call, also before a handle is closed.
std::string hdf5_message();

/// The type of values in memory and in written files. bool is a byte.
hid_t hdf5_type_of(Type type);

/// Opening a file on all ranks by MPI-IO, if the HDF5 library of this build supports it.
struct Hdf5Ranks {
  /// True if it can.
  static bool available();
  /// Sets an access property list to open the file on all ranks.
  /// @param communicator  MPI_Comm_c2f of the ranks
  static bool open_by(hid_t access, int communicator);
  /// Makes a transfer property list (of reading) collective.
  static bool move_by(hid_t transfer);
};

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
