// SPDX-License-Identifier: BSD-3-Clause
// Files that libop2 does not write itself, made with the HDF5 library alone. For tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hdf5.h>

namespace op2::test {

/// A new file, closed at the end of the scope.
class Hdf5Maker {
 public:
  explicit Hdf5Maker(const std::string& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~Hdf5Maker() { H5Fclose(file_); }
  Hdf5Maker(const Hdf5Maker&) = delete;
  Hdf5Maker& operator=(const Hdf5Maker&) = delete;

  /// @param stored  type in the file
  /// @param given   type of `values`
  void add(const char* name, std::vector<hsize_t> sizes, hid_t stored, hid_t given,
           const void* values, hid_t how = H5P_DEFAULT) const {
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t dataset = H5Dcreate2(file_, name, stored, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Dwrite(dataset, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dataset);
    H5Sclose(space);
  }
  void add_ints(const char* name, std::vector<hsize_t> sizes,
                const std::vector<int>& values) const {
    add(name, std::move(sizes), H5T_STD_I32LE, H5T_NATIVE_INT, values.data());
  }
  void add_group(const char* name) const {
    H5Gclose(H5Gcreate2(file_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  /// A link to an object of another file.
  void add_link(const char* name, const char* file, const char* object) const {
    H5Lcreate_external(file, object, file_, name, H5P_DEFAULT, H5P_DEFAULT);
  }
  void add_soft_link(const char* name, const char* object) const {
    H5Lcreate_soft(object, file_, name, H5P_DEFAULT, H5P_DEFAULT);
  }
  /// Ints that are in another file, which is not opened.
  void add_external(const char* name, hsize_t rows, const char* file) const {
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(how, file, 0, rows * sizeof(int));
    make_only(name, rows, how);
  }
  void add_virtual(const char* name, hsize_t rows, const char* file) const {
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(1, &rows, nullptr);
    H5Pset_virtual(how, space, file, "/v", space);
    H5Sclose(space);
    make_only(name, rows, how);
  }
  void add_text(const char* name) const {
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 4);
    add(name, {2}, text, text, "one\0two");
    H5Tclose(text);
  }
  /// The same numbers in compressed chunks, in the other byte order.
  void add_compressed(const char* name, hsize_t rows, const std::vector<int>& values) const {
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[] = {3, 1};
    H5Pset_chunk(how, 2, chunk);
    H5Pset_deflate(how, 4);
    add(name, {rows, values.size() / rows}, H5T_STD_I16BE, H5T_NATIVE_INT, values.data(), how);
    H5Pclose(how);
  }

 private:
  void make_only(const char* name, hsize_t rows, hid_t how) const {
    const hid_t space = H5Screate_simple(1, &rows, nullptr);
    H5Dclose(H5Dcreate2(file_, name, H5T_STD_I32LE, space, H5P_DEFAULT, how, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(how);
  }

  hid_t file_;
};

}  // namespace op2::test
