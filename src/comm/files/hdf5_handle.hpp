// SPDX-License-Identifier: BSD-3-Clause
// Handles of the HDF5 library, closed at the end of their scope, and its error messages. Local. The
// only header that includes <hdf5.h>.
#pragma once

#include <string>
#include <utility>

#include <hdf5.h>
#if __has_include(<H5FDdevelop.h>)  // HDF5 1.13 and later: the part for drivers
#include <H5FDdevelop.h>
#endif

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

}  // namespace op2::comm
