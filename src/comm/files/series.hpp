// SPDX-License-Identifier: BSD-3-Clause
// Files of time series, which name a file for ParaView at each time (.pvd), or datasets of HDF5
// files, one for each time (.xdmf). Local.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <op2/types.hpp>

namespace op2::comm {

struct TimeOfSeries {
  double time;
  std::string file;  ///< relative to the folder of the series
};

/// The times of a series that this library has written; none if there is no such file.
/// @throws op2::Error io_failure (not readable, or of another program)
std::vector<TimeOfSeries> read_series(const std::string& path);

/// Replaces the file. @throws op2::Error io_failure
void write_series(const std::string& path, const std::vector<TimeOfSeries>& times);

/// A dataset of rows.
struct XdmfData {
  std::string dataset;  ///< its path in the file
  Type type;
  int dim;
  std::int64_t rows;
};

struct XdmfField {
  std::string name;
  bool on_cells;  ///< or on nodes
  XdmfData data;
};

/// What the HDF5 file of one time holds.
struct XdmfGrid {
  std::string file;            ///< relative to the folder of the series
  XdmfData cells;              ///< rows of nodes
  XdmfData points;             ///< dim 2 or 3
  std::string name_of_points;  ///< for messages
  std::vector<XdmfField> fields;
};

struct XdmfTime {
  double time;
  std::string text;  ///< a grid with its time
};

/// @throws op2::Error bad_dim (arity, points), bad_type (points)
XdmfTime xdmf_time(double time, const XdmfGrid& grid);

/// The times of a series that this library has written; none if there is no such file.
/// @throws op2::Error io_failure (not readable, or of another program)
std::vector<XdmfTime> read_xdmf(const std::string& path);

/// Replaces the file. @throws op2::Error io_failure
void write_xdmf(const std::string& path, std::span<const XdmfTime> times);

}  // namespace op2::comm
