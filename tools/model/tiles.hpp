// SPDX-License-Identifier: BSD-3-Clause
// What tiles save in a chain, if the library would execute its steps tile by tile, by its own rule.
#pragma once

#include <span>

#include <core/measurements/run_record.hpp>

#include "costs.hpp"

namespace op2::model {

/// The part of the traffic between memory and core that tiles save
/// (sched/executor/cpu/tiles.hpp); 0 if the library would not execute the steps in tiles. That
/// data do not fit into caches shows in records of such sizes, see Costs::of.
/// @param steps  of a chain, in their order; loops that were fused are one
double saved_in_tiles(const core::RunRecord& record, std::span<const LoopNames> steps);

}  // namespace op2::model
