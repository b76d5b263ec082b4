// SPDX-License-Identifier: BSD-3-Clause
// What the HDF5 library hands out, closed when it is no longer needed, and its error messages.
// Local. The one header that shows <hdf5.h>.
#pragma once

#include <string>
#include <utility>

#include <hdf5.h>

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

  /// False if the library reports an error; the object is given up either way.
  bool close() { return id_ < 0 || close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// As long as it lives the HDF5 library prints no errors; then whatever the program had chosen
/// holds again.
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

/// The message of the last call of the HDF5 library that failed: the outermost and the
/// innermost of its messages. Ask before the next call, also before a handle is closed.
std::string hdf5_message();

/// The type of values in memory; also that of the files which are written. bool is a byte.
hid_t hdf5_type_of(Type type);

/// All ranks open a file together by MPI-IO, in a build whose HDF5 library can do that.
struct Hdf5Ranks {
  /// True if it can.
  static bool available();
  /// Makes an access property list one of all ranks.
  /// @param communicator  MPI_Comm_c2f of theirs
  static bool open_by(hid_t access, int communicator);
  /// Makes a transfer property list collective.
  static bool move_by(hid_t transfer);
};

}  // namespace op2::comm
