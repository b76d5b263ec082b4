// SPDX-License-Identifier: BSD-3-Clause
// To which other files does an HDF5 file lead?
#pragma once

#include <string>

#include <comm/files/hdf5_handle.hpp>

namespace op2::comm {

/// A link access property list, and what has kept the library from following a link with it.
/// It must not be moved: the list refers to it.
class Hdf5Way {
 public:
  /// @param stay  no link to another file may be followed; otherwise none to what is not a regular
  ///              file, of which opening a FIFO or a device would wait for another process
  explicit Hdf5Way(bool stay);
  Hdf5Way(const Hdf5Way&) = delete;
  Hdf5Way& operator=(const Hdf5Way&) = delete;

  operator hid_t() const { return list_; }

  /// The name of the other file, as the link has it; empty: no link was refused.
  const std::string& refused() const { return refused_; }
  /// Why: "a FIFO", ..., or empty because it is another file.
  const std::string& kind() const { return kind_; }

 private:
  static herr_t check(const char* file, const char* group, const char* other, const char* object,
                      unsigned* flags, hid_t access, void* way);

  Hdf5Handle list_;
  bool stay_;
  std::string refused_, kind_;
};

/// What is not a regular file among those in which the values of a dataset are (external storage,
/// virtual datasets), with what it is: "'pipe' is a FIFO"; empty if there is none.
std::string irregular_storage(hid_t dataset);

}  // namespace op2::comm
