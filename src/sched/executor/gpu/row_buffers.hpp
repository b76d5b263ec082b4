// SPDX-License-Identifier: BSD-3-Clause
// In which of a dat's two buffers its rows are while a plan runs. Steps that gather increments move
// rows from one to the other (jit/target/cuda/gather.hpp). Pure.
#pragma once

#include <vector>

#include <sched/plan.hpp>

namespace op2::sched {

using Dats = std::vector<const core::Dat*>;

struct RowBuffers {
  /// Per step: the dats whose rows it finds in the second buffer, or leaves there if it replaces
  /// them all.
  std::vector<Dats> second;
  /// Per chain: those whose rows the exchange before it finds there.
  std::vector<Dats> sent;
  /// The rows of these are in the second buffer after the last step, and must be copied back.
  Dats back;
};

/// A step that replaces all rows leaves them where they need no copy in the end.
/// Precondition: all steps run on the device if any step moves rows. (On several ranks, rows beyond
/// the extent of a step stay where they are: nothing reads them before they are sent or replaced.)
RowBuffers choose_row_buffers(const Steps& steps);

/// The dats whose rows a step moves.
Dats moved_by(const Step& step);

}  // namespace op2::sched
