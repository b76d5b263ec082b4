// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/hdf5_handle.hpp>

#include <array>

namespace op2::comm {

namespace {

struct Messages {
  std::string first, last;
};

herr_t note(unsigned, const H5E_error2_t* error, void* data) {
  auto& messages = *static_cast<Messages*>(data);
  if (error->desc == nullptr || *error->desc == '\0') return 0;
  if (messages.first.empty()) messages.first = error->desc;
  messages.last = error->desc;
  return 0;
}

/// Joins the lines of a message of the HDF5 library.
std::string on_one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

}  // namespace

QuietHdf5::QuietHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() {
  H5Eset_auto2(H5E_DEFAULT, print_, data_);
}

std::string hdf5_message() {
  Messages messages;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, note, &messages);
  if (messages.first.empty()) return "the HDF5 library gives no reason";
  if (messages.first == messages.last) return on_one_line("HDF5: " + messages.first);
  return on_one_line("HDF5: " + messages.first + ": " + messages.last);
}

hid_t hdf5_type_of(Type type) {
  const std::array types{H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT,  H5T_NATIVE_INT32, H5T_NATIVE_UINT32,
                         H5T_NATIVE_INT64,  H5T_NATIVE_UINT64, H5T_NATIVE_UINT8};  // as in Type
  return types[static_cast<std::size_t>(type)];
}

}  // namespace op2::comm
