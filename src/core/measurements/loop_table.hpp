// SPDX-License-Identifier: BSD-3-Clause
// The per-loop table: how often, how long, how much memory traffic, and by what code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <core/measurements/profile.hpp>

namespace op2::core {

/// How the iterations of a loop run; the cost of one depends on it.
enum class Way {
  alone,  ///< all of one loop, then those of the next
  tiled,  ///< with those of other loops, tile by tile
  fused   ///< in one step with those of other loops over the same set
};
inline constexpr std::size_t ways = 3;

/// How the code of a row begins whose kernel could not be compiled: "host (OP2-E104)".
inline constexpr std::string_view fell_back = "host (OP2-E";

/// One row: all loops of one name. `bytes` is the useful traffic: each dat once per loop (twice if
/// read and written), each map row once; a cache that holds less moves more.
struct LoopRow {
  std::string name;
  std::string code;            ///< "jit", "host", or why it fell back
  std::int64_t calls = 0;      ///< as a separate loop; only these have seconds and bytes
  std::int64_t skipped = 0;    ///< calls whose results were overwritten before use
  std::int64_t elements = 0;   ///< iterations, those of fused calls too
  std::int64_t interior = 0;   ///< of them, those that ran while messages were in flight
  std::int64_t redundant = 0;  ///< of them, those for elements of other ranks
  double seconds = 0;
  double bytes = 0;
  double flops = 0;            ///< floating-point operations of its code
  std::int64_t uncounted = 0;  ///< iterations of code whose operations are not known
  std::int64_t tiled = 0;      ///< of the iterations, those that ran tile by tile
  /// Calls as part of other rows, which have their time, by the names of these.
  std::map<std::string, std::int64_t> fused_in = {};
  std::vector<std::string> loops = {};  ///< that were fused, if any
  std::vector<std::string> keys = {};   ///< of its entries in the cache, in the order of first use
  /// In a table of all ranks, where `seconds` are those of the slowest one: of the fastest one, and
  /// the mean.
  double least_seconds = 0, mean_seconds = 0;
};

class LoopTable {
 public:
  /// The row of a name; its address holds as long as the table.
  LoopRow& row(const std::string& name);
  /// Null if there is none.
  const LoopRow* find(std::string_view name) const;
  const std::deque<LoopRow>& rows() const { return rows_; }

  /// How many ranks the rows are of.
  int ranks() const { return ranks_; }
  void set_ranks(int ranks) { ranks_ = ranks; }

  const RunTimes& times() const { return times_; }
  void set_times(RunTimes times) { times_ = std::move(times); }

  /// A line below the rows; a later one of the same subject replaces it.
  void note(const std::string& subject, const std::string& text) { notes_[subject] = text; }
  const std::map<std::string, std::string>& notes() const { return notes_; }

 private:
  std::deque<LoopRow> rows_;
  std::map<std::string, std::size_t, std::less<>> positions_;  ///< of names in rows_
  int ranks_ = 1;
  RunTimes times_;
  std::map<std::string, std::string> notes_;
};

/// Which loops ran as host functions since their kernels could not be compiled, and how much of the
/// loops' time they took; empty if there are none.
std::string fallen_back_as_text(const LoopTable& table);

std::string table_as_text(const LoopTable& table);
std::string table_as_csv(const LoopTable& table);
std::string table_as_json(const LoopTable& table);

}  // namespace op2::core
