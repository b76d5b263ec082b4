// SPDX-License-Identifier: BSD-3-Clause
// Reads what OP2_MODEL has written, and writes files.
#pragma once

#include <stdexcept>
#include <string>

#include <comm/partition/block_mesh.hpp>
#include <core/measurements/run_record.hpp>

namespace op2::model {

/// What ends a command, with exit code 2: says what is wrong, with the file, the numbers and what
/// to do.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The content of a file. @throws Failure
std::string text_of_file(const std::string& path);

/// Writes a file that is complete or absent. @throws Failure
void write_file(const std::string& path, const std::string& text);

/// @throws Failure  it cannot be read, is not a record, or is damaged
core::RunRecord read_run(const std::string& path);

/// The maps of a record, as one rank declares them.
/// @param path   of the record, beside which they are
/// @param other  another file; empty: the one that the record names
/// @throws Failure  the file cannot be read, is that of another run, or leads out of its sets
comm::BlockMesh read_maps(const core::RunRecord& record, const std::string& path,
                          const std::string& other = "");

}  // namespace op2::model
