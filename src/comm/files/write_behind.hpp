// SPDX-License-Identifier: BSD-3-Clause
// Keeps small what the system has of a file that is written, but not yet on the disk. Local.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <comm/files/open_file.hpp>

namespace op2::comm {

/// The disk works while the next bytes are made and copied, the end waits for few of them, and a
/// large file neither fills the memory of the machine nor pushes out of it what others need.
class WriteBehind {
 public:
  /// @param file        outlives this object
  /// @param part_bytes  the disk gets so many at once, and has at most four parts to write; large
  ///                    enough for any disk
  explicit WriteBehind(OpenFile& file, std::int64_t part_bytes = std::int64_t{8} << 20)
      : file_(file), part_bytes_(part_bytes) {}

  /// Bytes that were written. Waits if too many are on their way.
  /// @throws Error io_failure
  void wrote(std::int64_t offset, std::int64_t bytes);

 private:
  struct Range {
    std::int64_t begin, end;
  };
  using Part = std::vector<Range>;

  OpenFile& file_;
  const std::int64_t part_bytes_;
  Part next_;  ///< written, not on its way to the disk
  std::int64_t next_bytes_ = 0;
  std::deque<Part> on_way_;
};

}  // namespace op2::comm
