// SPDX-License-Identifier: BSD-3-Clause
// Sets whose elements have the owner of their only target: boundary edges, for example, of which
// each belongs to one node. Halos of a chain are shallower with them (docs/design/halo-algebra.md).
#pragma once

#include <comm/halo/halo_plan.hpp>
#include <comm/messages/communicator.hpp>

namespace op2::comm {

/// Marks the layouts of sets with a local map (core::ChainLoop), for which the ranks agree that it
/// leads to owned elements everywhere. Collective. Cost: a reduction of a word for each set that
/// has a single map of one column and is not a target; nothing without such a set.
/// @param plan  has maps with their remote targets
void find_local_maps(Communicator& communicator, HaloPlan& plan);

}  // namespace op2::comm
