// SPDX-License-Identifier: BSD-3-Clause
// Time series as XDMF beside HDF5: each rank writes its rows of a file for each time.
#pragma once

#include <string>

#include <api/grid_values.hpp>

namespace op2::api {

/// Whether a series of this name is XDMF: "flow.xdmf" or "flow.xmf".
bool is_xdmf(const std::string& series);

/// Adds a time; those from it on are replaced. Collective; nothing is queued.
/// @throws Error as op_write_series
void write_xdmf_series(Runtime& runtime, const std::string& series, double time,
                       const GridArguments& grid);

}  // namespace op2::api
