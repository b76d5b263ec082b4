// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/hdf5_links.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include <core/text_file.hpp>

namespace op2::comm {

namespace {

namespace fs = std::filesystem;

/// Folders of a list that the HDF5 library has in the environment; ${ORIGIN} is that of the file.
std::vector<fs::path> folders_of(const char* variable, const fs::path& origin) {
  std::vector<fs::path> folders;
  const char* const list = std::getenv(variable);
  std::istringstream text(list == nullptr ? "" : list);
  constexpr std::string_view here = "${ORIGIN}";
  for (std::string folder; std::getline(text, folder, ':');) {
    if (folder.starts_with(here)) folder = origin.string() + folder.substr(here.size());
    folders.emplace_back(folder);
  }
  return folders;
}

/// What is at any of the places where the library looks for another file, if it is not a regular
/// file; null otherwise.
const char* kind_of(const std::string& other, const std::string& file) {
  const fs::path name(other), origin = fs::path(file).parent_path();
  std::vector<fs::path> folders{"", origin, fs::absolute(file).parent_path()};
  for (const char* variable : {"HDF5_EXT_PREFIX", "HDF5_EXTFILE_PREFIX", "HDF5_VDS_PREFIX"})
    for (const fs::path& folder : folders_of(variable, origin)) folders.push_back(folder);
  for (const fs::path& folder : folders)
    for (const fs::path& place : {folder / name, folder / name.filename()})
      if (const char* kind = core::kind_if_irregular(place.c_str())) return kind;
  return nullptr;
}

constexpr std::size_t longest_name = 4096;

}  // namespace

Hdf5Way::Hdf5Way(bool stay) : list_(H5Pcreate(H5P_LINK_ACCESS), H5Pclose), stay_(stay) {
  H5Pset_elink_cb(list_, check, this);
}

herr_t Hdf5Way::check(const char* file, const char*, const char* other, const char*, unsigned*,
                      hid_t, void* way) {
  auto& self = *static_cast<Hdf5Way*>(way);
  const char* const kind = self.stay_ ? nullptr : kind_of(other, file);
  if (!self.stay_ && kind == nullptr) return 0;
  self.refused_ = other;
  self.kind_ = kind == nullptr ? "" : kind;
  return -1;
}

std::string irregular_storage(hid_t dataset) {
  const Hdf5Handle how(H5Dget_create_plist(dataset), H5Pclose);
  std::array<char, longest_name> name{};
  if (how < 0 || H5Fget_name(dataset, name.data(), name.size()) < 0) return "";
  const std::string file = name.data();
  std::vector<std::string> names;
  const int external = H5Pget_external_count(how);
  for (int k = 0; k < external; ++k)
    if (H5Pget_external(how, static_cast<unsigned>(k), name.size() - 1, name.data(), nullptr,
                        nullptr) >= 0)
      names.emplace_back(name.data());
  std::size_t sources = 0;
  if (H5Pget_layout(how) == H5D_VIRTUAL && H5Pget_virtual_count(how, &sources) >= 0)
    for (std::size_t k = 0; k < sources; ++k)
      if (H5Pget_virtual_filename(how, k, name.data(), name.size()) >= 0)
        names.emplace_back(name.data());
  for (const std::string& other : names)
    if (other != ".")  // the file itself
      if (const char* kind = kind_of(other, file)) return fmt::format("'{}' is {}", other, kind);
  return "";
}

}  // namespace op2::comm
