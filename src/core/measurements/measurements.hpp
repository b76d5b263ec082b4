// SPDX-License-Identifier: BSD-3-Clause
// The one store of what a session measures of this rank, and who listens to it.
#pragma once

#include <core/measurements/listener.hpp>
#include <core/measurements/loop_table.hpp>
#include <core/measurements/profile.hpp>

namespace op2::core {

struct Measurements {
  Listeners listeners;
  LoopTable table;  ///< of the loops that have run
  Profile profile{listeners};
};

}  // namespace op2::core
