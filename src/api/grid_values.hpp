// SPDX-License-Identifier: BSD-3-Clause
// What is written of a grid: the whole one on the root, or the piece of each rank.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include <op2/io.hpp>

#include <api/runtime.hpp>
#include <comm/files/paraview.hpp>

namespace op2::api {

/// The arguments of a call that writes a grid.
struct GridArguments {
  const core::Map& cells;
  const core::Dat& points;
  std::vector<const core::Dat*> on_cells, on_points;
};

/// @throws Error wrong_set, bad handles
GridArguments checked_grid(const char* function, const char* path, op_map cells_to_nodes,
                           op_dat coordinates, std::span<const op_dat> fields);

/// A grid that this rank writes. Names and values are those of dats, unless `keep` was called.
class GridValues {
 public:
  /// The whole grid on the root, and nothing on other ranks. Executes what is queued. Collective.
  static GridValues whole(Runtime& runtime, const GridArguments& arguments);
  /// The cells that this rank owns, and the nodes that they lead to. Collective; nothing is queued.
  static GridValues piece(Runtime& runtime, const GridArguments& arguments);

  GridValues(GridValues&&) = default;  // a copy would show the values of the original
  GridValues& operator=(GridValues&&) = delete;

  /// A view of it.
  comm::VtuGrid view() const { return {points_, arity_, cell_nodes_, on_cells_, on_points_}; }

  /// Copies what belongs to dats: they may change and end afterwards. What is not viewed, as rows
  /// of this rank that the root has joined with others, is freed. Local.
  void keep();
  /// Of values and cells: what it holds after `keep`.
  std::int64_t bytes() const;

 private:
  explicit GridValues(int arity) : arity_(arity) {}
  bool is_stored(const void* values) const;
  bool is_viewed(const void* values) const;
  void keep(comm::Field& field);

  int arity_;
  comm::Field points_{};
  std::span<const std::int32_t> cell_nodes_;
  std::vector<comm::Field> on_cells_, on_points_;
  std::vector<std::int32_t> piece_nodes_;
  std::deque<comm::Bytes> stored_;
  std::deque<std::string> names_;
};

}  // namespace op2::api
