// SPDX-License-Identifier: BSD-3-Clause
// The file of a time series (.pvd), which names a file for ParaView at each time. Local.
#pragma once

#include <string>
#include <vector>

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

}  // namespace op2::comm
