// SPDX-License-Identifier: BSD-3-Clause
// OP2_HASH: writes a hash of each value that the program declares or sees (core/value_hashes.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <op2/par_loop.hpp>

#include <comm/files/file_writer.hpp>
#include <core/mesh.hpp>

namespace op2::api {

class Runtime;

/// All members are collective and add a line, which the root writes. They throw what a collective
/// call throws; io_failure of the root ends the job. Cost: a pass over the owned rows and a
/// reduction.
class ValueLog {
 public:
  /// @throws Error io_failure, on all ranks, if the root cannot write the file
  explicit ValueLog(Runtime& runtime);

  void declared(const core::Set& set);
  /// As declared.
  void declared(const core::Map& map);
  void declared(const core::Dat& dat);

  /// Of a dat which no queued loop modifies.
  void fetched(const core::Dat& dat);
  /// A global with the value that the program gets.
  void fetched(const core::Global& global);
  /// The variables of the program that a loop reduces. Precondition: it has run.
  void reduced(const op_loop_name& loop, std::span<const op_arg> args);

  /// Adds all dats and completes the file: without it there is none.
  void close();

 private:
  /// Owned by this rank, or declared by it.
  struct Rows {
    const core::Set& set;
    std::span<const std::byte> bytes;
    std::size_t row_bytes;
    Type type;
  };

  void add_rows(const std::string& what, const core::Dat& dat);
  /// The line has the sum over the ranks.
  void add_rows(const std::string& what, const Rows& rows);
  /// @param hash  equal on all ranks; none: of something without values
  void add(const std::string& what, std::optional<std::uint64_t> hash);

  Runtime& runtime_;
  std::optional<comm::FileWriter> file_;  ///< of the root
};

}  // namespace op2::api
