// SPDX-License-Identifier: BSD-3-Clause
// In which of a dat's two buffers its rows are while a plan runs. Steps that gather increments move
// rows from one to the other (jit/target/cuda/gather.hpp). Pure.
#pragma once

#include <vector>

#include <sched/plan.hpp>

namespace op2::sched {

struct RowPlaces {
  /// Per step: the dats whose rows it finds in the second buffer, or leaves there if it replaces
  /// them all.
  std::vector<std::vector<const core::Dat*>> second;
  /// The rows of these are in the second buffer after the last step, and must be copied back.
  std::vector<const core::Dat*> back;
};

/// A step that replaces all rows leaves them where they need no copy in the end.
/// Precondition: all steps run on the device, on all rows of their sets, if any step moves rows.
RowPlaces place_rows(const Steps& steps);

/// The dats whose rows a step moves.
std::vector<const core::Dat*> moved_by(const Step& step);

}  // namespace op2::sched
