// SPDX-License-Identifier: BSD-3-Clause
// Regions of the program, which have rows in the tables of OP2_TIMING and spans in OP2_TRACE.
//
//     {
//       const op_region step("step");
//       op_par_loop(...);                 // counts in "step", whenever it runs
//     }
//
// A loop counts in the innermost region in which it is called, although it runs later: the end of a
// region does not execute queued loops. So a region has three times: that from its begin to its end
// on the program's thread; how much of it went into executing loops, whoever called them; and what
// the loops took that were called in it. All include the regions inside. Loops that were fused
// share their time equally. Cost of begin and end: less than a microsecond; of loops: none.
#pragma once

#include <cstdint>

#include <op2/types.hpp>

namespace op2::detail {
OP2_API std::int64_t begin_region(const char* name);
OP2_API void end_region(std::int64_t begun) noexcept;
}  // namespace op2::detail

/// A region from here to the end of the scope. Regions that begin inside and are still open then
/// end with it. Local.
/// @throws op2::Error not_initialised, wrong_thread, bad_name (empty)
class op_region {
 public:
  /// Begins the region.
  /// @param name  is copied
  explicit op_region(const char* name) : begun_(op2::detail::begin_region(name)) {}
  /// Ends the region.
  ~op_region() { op2::detail::end_region(begun_); }
  op_region(const op_region&) = delete;
  op_region& operator=(const op_region&) = delete;

 private:
  std::int64_t begun_;
};

/// The same without a scope; may be nested. Those that are open at `op_exit` end there,
/// innermost first. Local.
/// @param name  is copied
/// @throws op2::Error not_initialised, wrong_thread, bad_name (empty)
OP2_API void op_region_begin(const char* name);

/// Ends the region that was begun last.
/// @throws op2::Error not_initialised, wrong_thread, bad_range (none is open)
OP2_API void op_region_end();
