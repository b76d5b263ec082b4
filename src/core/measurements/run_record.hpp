// SPDX-License-Identifier: BSD-3-Clause
// What OP2_MODEL records of a run: the mesh in numbers, which sequences of loops were executed, in
// which order, and what an element of each loop took. The library writes it, `op2-model` reads it.
// Plain data; indices count from 0, -1 is "none".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <op2/types.hpp>

#include <core/measurements/measurements.hpp>

namespace op2::core {

struct RecordedSet {
  std::string name;
  std::int64_t size = 0;  ///< on all ranks
  bool operator==(const RecordedSet&) const = default;
};

struct RecordedMap {
  std::string name;
  int from = -1, to = -1;  ///< sets
  int arity = 0;
  bool operator==(const RecordedMap&) const = default;
};

struct RecordedDat {
  std::string name;
  int set = -1;
  int bytes = 0;  ///< of a row
  bool operator==(const RecordedDat&) const = default;
};

/// An argument that is on: a dat, or a value that is the same for all elements.
struct RecordedArg {
  int dat = -1;
  int map = -1;     ///< -1: direct
  int column = -1;  ///< of the map
  int global = -1;  ///< a lazy global, if it is one
  int bytes = 0;    ///< of a value that is the same for all elements
  op_access access = OP_READ;
  bool operator==(const RecordedArg&) const = default;
};

/// A loop, or (set == -1) the assignment to the global of its only argument.
struct RecordedLoop {
  std::string name;
  int set = -1;
  int colour = 0;  ///< loops in colours are one for each
  std::vector<RecordedArg> args;
  bool operator==(const RecordedLoop&) const = default;
};

/// The loops of one flush, with the access that plans count with.
using RecordedSequence = std::vector<RecordedLoop>;

/// Events in a row: the flush of the sequence with that index; or the program asked for the value
/// of a global, as `fetch_of` numbers them.
struct RecordedEvents {
  std::vector<int> events;
  std::int64_t times = 0;
  bool operator==(const RecordedEvents&) const = default;
};
constexpr int fetch_of(int global) {
  return -1 - global;
}
constexpr int fetched_global(int event) {
  return -1 - event;
}

/// What the executions of a row of the per-loop table took in one way.
struct RecordedCost {
  std::vector<std::string> loops;  ///< several: they were fused
  Way way = Way::alone;
  std::int64_t calls = 0;     ///< of phases, on all ranks
  std::int64_t elements = 0;  ///< iterations, on all ranks
  double seconds = 0;         ///< on all ranks
  bool operator==(const RecordedCost&) const = default;
};

/// Flushes of a sequence on the root, without those that made plans: what passed since the end of
/// the flush before and was not spent on iterations. On one rank the program between its loops, and
/// the queue; on several also waits and messages.
struct RecordedHost {
  std::int64_t times = 0;
  double seconds = 0;  ///< of all
  bool operator==(const RecordedHost&) const = default;
};

/// How the program asked for its partition.
struct RecordedPartition {
  std::string partitioner;  ///< "ptscotch"; empty: op_partition was not called
  int set = -1, map = -1;
  double seconds = 0;
  bool operator==(const RecordedPartition&) const = default;
};

struct RunRecord {
  std::string program;
  int ranks = 1, threads = 1;
  bool chains = false;        ///< OP2_CHAIN
  bool keep_dead = false;     ///< no loop counted as dead
  int depth_max = 6;          ///< layers
  bool all_in_tiles = false;  ///< of a size that was given
  std::vector<RecordedSet> sets;
  std::vector<RecordedMap> maps;
  std::vector<RecordedDat> dats;
  RecordedPartition partition;
  std::vector<RecordedSequence> sequences;
  std::vector<RecordedEvents> events;
  std::int64_t events_left_out = 0;  ///< after the last of `events`
  std::vector<RecordedCost> costs;
  std::vector<RecordedHost> host;  ///< per sequence; may be empty
  int kernels = 0;                 ///< pieces of code that were made or loaded
  double compile_seconds = 0;      ///< for which loops waited
  double plan_seconds = 0;         ///< for all plans, without that wait
  std::string maps_file;           ///< name of the file with the maps, beside this one
  std::string maps_hash;           ///< 64 hexadecimal digits
  bool operator==(const RunRecord&) const = default;
};

/// Bytes of the file with the maps: the entries of one map after the other, int32, shape [rows of
/// `from` x arity], as declared.
std::int64_t bytes_of_maps(const RunRecord& record);

/// Runs of events whose repetition is written once. Cost: a comparison per event and candidate.
std::vector<RecordedEvents> folded(const std::vector<int>& events);

std::string as_json(RunRecord record);

/// @throws std::runtime_error  says what is wrong: not a record, another version, indices out of
///                             range
RunRecord record_from_json(std::string_view text);

}  // namespace op2::core
