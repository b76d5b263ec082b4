// SPDX-License-Identifier: BSD-3-Clause
// A build without HDF5.
#include <comm/files/hdf5_file.hpp>

#include <core/error.hpp>

namespace op2::comm {

struct Hdf5File::State {};

Hdf5File::Hdf5File(Communicator&, const std::string& path, Access, const Hdf5Options&) {
  core::fail(ErrorCode::not_compiled,
             "cannot open '{}': this build of libop2 has no HDF5; configure with "
             "-DOP2_WITH_HDF5=ON",
             path);
}

// Never called: there is no open file.
Hdf5File::~Hdf5File() = default;
std::optional<Extents> Hdf5File::extents(const std::string&) {
  return {};
}
void Hdf5File::check_extents(const Hdf5Rows&) {}
void Hdf5File::read_rows(const Hdf5Rows&, void*) {}
void Hdf5File::read_values(const std::string&, Type, int, void*) {}
void Hdf5File::write_rows(const Hdf5Rows&, const void*) {}
void Hdf5File::write_values(const std::string&, Type, int, const void*) {}
void Hdf5File::publish() {}

}  // namespace op2::comm
