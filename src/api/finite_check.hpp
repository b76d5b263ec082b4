// SPDX-License-Identifier: BSD-3-Clause
// OP2_CHECK=finite: the first loop after which a dat has NaN or infinity, and the first such value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include <op2/par_loop.hpp>

#include <api/runtime.hpp>

namespace op2::api {

/// Surrounds the execution of one loop. Cost: two passes over the owned rows of its dats, on the
/// host, and two reductions over the ranks.
class FiniteCheck {
 public:
  /// Before the loop. Values that are not finite are allowed only in dats that it does not read
  /// (OP_WRITE); they are kept in mind. Collective; brings the mesh to local rows.
  /// @param args  of a loop that was checked
  /// @throws Error not_finite, on all ranks
  FiniteCheck(Runtime& runtime, const op_loop_name& loop, std::span<const op_arg> args);

  /// After the loop. Collective. @throws Error not_finite, on all ranks
  void check_results();

 private:
  /// A value of an owned row.
  struct Fault {
    std::size_t arg;
    std::int64_t element;  ///< global index
    int component;
    double value;
    std::int64_t count;  ///< of such values in the dat on this rank
  };
  using Values = std::unordered_set<std::int64_t>;  ///< row * dim + component
  bool is_compared(const op_arg& arg) const;
  std::optional<Fault> find(std::size_t arg, const Values& known) const;
  void throw_first(const std::optional<Fault>& mine, const char* when, const char* advice);

  Runtime& runtime_;
  const op_loop_name& loop_;
  std::span<const op_arg> args_;
  std::vector<Values> before_;  ///< per argument
};

}  // namespace op2::api
