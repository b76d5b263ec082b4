// SPDX-License-Identifier: BSD-3-Clause
// Meshes and fields for ParaView: in one file, or in one piece per rank.
#include <span>

#include <op2/io.hpp>

#include <api/background.hpp>
#include <api/grid_pieces.hpp>
#include <api/session.hpp>

using namespace op2;

void op_write_vtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                  std::span<const op_dat> fields) {
  const api::GridArguments grid =
      api::checked_grid("op_write_vtu", path, cells_to_nodes, coordinates, fields);
  auto& runtime = api::usable();
  const core::InPart part(&runtime.profile, core::Part::files);
  runtime.flush();
  runtime.enter("op_write_vtu '{}'", path);
  runtime.compare_declarations(path);
  api::look_at_background(runtime);
  api::write_whole(runtime, path, grid);
}

void op_write_pvtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                   std::span<const op_dat> fields) {
  const api::GridArguments grid =
      api::checked_grid("op_write_pvtu", path, cells_to_nodes, coordinates, fields);
  auto& runtime = api::usable();
  const core::InPart part(&runtime.profile, core::Part::files);
  runtime.flush();
  api::log_fetched(runtime, coordinates, fields);
  runtime.enter("op_write_pvtu '{}'", path);
  runtime.compare_declarations(path);
  api::look_at_background(runtime);
  api::write_pieces(runtime, path, grid);
}
