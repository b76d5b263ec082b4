// SPDX-License-Identifier: BSD-3-Clause
// The interface of mesh formats: a format is one leaf file that implements MeshSource, and one row
// of the registry. Distribution over ranks and all checks are in mesh_reader.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <comm/files/row_range.hpp>
#include <core/registry.hpp>
#include <op2/types.hpp>

namespace op2::comm {

/// Receives the rows of one range, in any order and in any portions, each once. Local.
class RowSink {
 public:
  /// @param object  for messages: "map 'ends' of 'grid.txt'"
  /// @param values  shape [rows of the range x row_bytes]; outlives this object
  RowSink(std::string object, RowRange range, std::size_t row_bytes, std::byte* values);

  /// @param rows  shape [count x row_bytes]
  /// @throws Error bad_dataset if a row is outside the range, or was put before
  void put(std::int64_t first, std::int64_t count, const void* rows);

  /// @throws Error bad_dataset if a row is missing
  void check_complete() const;

 private:
  std::string object_;
  RowRange range_;
  std::size_t row_bytes_;
  std::byte* values_;
  std::vector<bool> has_come_;
};

/// Rows of a map or dat, and the values of each.
struct RowShape {
  std::int64_t rows;
  int values;
};

/// A mesh in a file. Local: every rank has one and reads what it declares. Members may throw; names
/// that the file does not have give nothing.
class MeshSource {
 public:
  virtual ~MeshSource() = default;

  /// For messages, e.g. the path.
  virtual std::string name() const = 0;

  virtual std::optional<std::int64_t> set_size(const std::string& set) = 0;
  virtual std::optional<RowShape> map_shape(const std::string& map) = 0;
  virtual std::optional<RowShape> dat_shape(const std::string& dat) = 0;

  /// Rows of std::int64_t: indices from 0.
  virtual void read_map(const std::string& map, RowRange range, RowSink& sink) = 0;
  /// Rows of values of `type`.
  virtual void read_dat(const std::string& dat, Type type, RowRange range, RowSink& sink) = 0;
};

struct MeshFormat {
  std::string name;  ///< in lower case
  std::unique_ptr<MeshSource> (*open)(const std::string& path);
};

using MeshFormats = core::Registry<MeshFormat>;

/// @throws Error bad_option if there is no format of this name; what the format throws
std::unique_ptr<MeshSource> open_mesh(const MeshFormats& formats, const std::string& format,
                                      const std::string& path);

}  // namespace op2::comm
