// SPDX-License-Identifier: BSD-3-Clause
// Whether the library would execute the steps of a chain tile by tile, by its own rule.
#pragma once

#include <span>

#include <core/run_record.hpp>

#include "costs.hpp"

namespace op2::model {

/// By the traffic that tiles save (sched/executor/cpu/tile_model.hpp); that data do not fit into
/// caches shows in records of such sizes, see Costs::of.
/// @param steps  of a chain, in their order; loops that were fused are one
bool saves_traffic_in_tiles(const core::RunRecord& record, std::span<const LoopNames> steps);

}  // namespace op2::model
