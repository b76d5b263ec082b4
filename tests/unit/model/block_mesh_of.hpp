// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <comm/partition/block_mesh.hpp>
#include <support/halo_model.hpp>

namespace op2::test {

/// A mesh of the halo model as one rank declares it.
inline comm::BlockMesh block_mesh_of(const ModelMesh& model) {
  comm::BlockMesh mesh;
  for (const int size : model.set_sizes) mesh.sets.push_back({{0, size}});
  for (const ModelMap& map : model.maps) {
    const int arity = map.targets.empty() ? 1 : static_cast<int>(map.targets.front().size());
    mesh.maps.push_back({map.from, map.to, arity, {}});
    for (const auto& row : map.targets)
      mesh.maps.back().targets.insert(mesh.maps.back().targets.end(), row.begin(), row.end());
  }
  return mesh;
}

}  // namespace op2::test
