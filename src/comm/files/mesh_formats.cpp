// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/mesh_formats.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

namespace op2::comm {

std::string advice_for_mesh(const std::string& path) {
  // The formats that docs/meshes.md lists.
  constexpr std::array<std::string_view, 18> endings{
      ".msh", ".cgns", ".e",    ".ex2", ".exo", ".exii", ".g",    ".inp", ".vtk",
      ".vtu", ".su2",  ".mesh", ".med", ".bdf", ".nas",  ".xdmf", ".ele", ".node"};
  const std::filesystem::path file(path);
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (std::ranges::find(endings, ending) == endings.end()) return "";
  return fmt::format("this is a file of a mesh generator: convert it with `op2-mesh convert {} {}`",
                     path, std::filesystem::path(file).replace_extension(".h5").string());
}

}  // namespace op2::comm
