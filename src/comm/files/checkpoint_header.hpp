// SPDX-License-Identifier: BSD-3-Clause
// What a checkpoint holds, and where. In the file it is JSON, with a digest; the rows of dats are
// outside it.
//
// | bytes | content |
// |---|---|
// | 0 .. 15 | "op2 checkpoint 2": the number is that of this form |
// | 16 .. 31 | where the JSON text begins, and its length: two 64-bit integers, little-endian |
// | 32 .. 63 | BLAKE2b of the text |
// | from multiples of 4096 | the rows of each dat: shape [size of the set x row_bytes] |
// | at the end | the text |
//
// Names may be any bytes: a byte is the character of that number in the text, which is UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <comm/files/open_file.hpp>

namespace op2::comm {

struct CheckpointHeader {
  struct Set {
    std::string name;
    std::int64_t size = 0;
  };
  struct Map {
    std::string name, from, to;
    int dim = 0;
    std::uint64_t checksum = 0;  ///< of the global indices (core/hash.hpp)
  };
  struct Dat {
    std::string name, set, type;
    int dim = 0;
    std::int64_t row_bytes = 0;
    std::int64_t offset = 0;     ///< of the rows in the file, in bytes
    std::uint64_t checksum = 0;  ///< of the rows
  };
  struct Values {
    std::string name, type;
    int dim = 0;
    std::vector<std::uint8_t> bytes;  ///< shape [dim] of the type
  };
  std::vector<Set> sets;
  std::vector<Map> maps;
  std::vector<Dat> dats;
  std::vector<Values> globals;
  std::vector<Values> kept;  ///< by the program
};

/// What the file has otherwise than the program, for a message: "the file has no dat 'q' (number
/// 3)"; empty: nothing. Values, offsets and checksums of dats are not compared.
std::string first_difference(const CheckpointHeader& file, const CheckpointHeader& program);

/// Gives each dat its place. @return where the text can begin
std::int64_t assign_offsets(CheckpointHeader& header);

/// Writes the text and what leads to it. Local. @throws Error io_failure
void write_header(OpenFile& file, std::int64_t begin, CheckpointHeader header);

/// The text. Local.
/// @throws Error bad_checkpoint (no checkpoint, of another form, damaged), io_failure
std::string read_header(const OpenFile& file);

/// Whether the file is the one that has this text: it has the checksums of all rows. Local.
/// @throws Error io_failure
bool has_header(const OpenFile& file, const std::string& text);

/// @param text  of `read_header`
/// @param path  of the file, for messages
/// @throws Error bad_checkpoint (not what `write_header` writes, or values of another length than
/// their type and dim say)
CheckpointHeader header_of(const std::string& text, const std::string& path);

/// Throws Error bad_checkpoint unless the rows of dats are where they would be written.
/// @param program  without `first_difference`, after `assign_offsets`
/// @param path     of the file, for messages
void check_offsets(const CheckpointHeader& file, const CheckpointHeader& program,
                   const std::string& path);

}  // namespace op2::comm
