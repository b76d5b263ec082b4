// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of a session: what belongs to them, and when they are due (op2/checkpoint.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <op2/checkpoint.hpp>

#include <comm/files/checkpoint_header.hpp>
#include <comm/files/open_file.hpp>
#include <core/clock.hpp>
#include <core/signals.hpp>

namespace op2::api {

class Runtime;

/// Members throw what the functions of op2/checkpoint.hpp do. Collective, but for `keep`.
class Checkpoints {
 public:
  explicit Checkpoints(Runtime& runtime) : runtime_(runtime) {}

  void keep(const char* name, int count, Type type, void* values);
  void write(const std::string& path);
  bool restore(const std::string& path);
  void set_times(const std::string& path, const op_checkpoint_times& times);
  bool step();

 private:
  /// A variable of the program.
  struct Kept {
    std::string name;
    Type type;
    int count;
    std::byte* values;
  };
  /// What the ranks agree on when they look at the clock.
  struct Agreed {
    bool signal_came;
    double seconds_since_written, seconds_since_looked;
  };
  /// A file that every rank has open, and what it says that it holds.
  struct Opened {
    comm::OpenFile file;
    comm::CheckpointHeader header;
  };
  using Clock = core::Clock;

  comm::CheckpointHeader describe();
  std::vector<std::uint64_t> over_ranks(const std::vector<std::uint64_t>& mine);
  std::vector<std::uint64_t> checksums_of_maps();
  void write_rows(const std::string& path, comm::CheckpointHeader& header);
  std::optional<Opened> open_for_all(const std::string& path);
  void check_rows(const comm::OpenFile& file, const comm::CheckpointHeader& header);
  void read_rows(const comm::OpenFile& file, const comm::CheckpointHeader& header);
  void set_values(const comm::CheckpointHeader& header);
  Agreed look();

  Runtime& runtime_;
  std::vector<Kept> kept_;
  std::vector<std::uint64_t> map_checksums_;  ///< of the first maps of the mesh: known already

  std::string path_;  ///< empty: no times are set
  op_checkpoint_times times_;
  std::optional<core::SignalFlag> signal_;
  std::int64_t steps_ = 0;          ///< since the last one was written
  std::int64_t steps_to_look_ = 1;  ///< until the ranks agree again
  std::int64_t steps_looked_ = 0;   ///< since they have
  Clock::time_point written_, looked_;
};

}  // namespace op2::api
