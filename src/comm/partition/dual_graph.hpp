// SPDX-License-Identifier: BSD-3-Clause
// The neighbours of every element of a set.
#pragma once

#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>
#include <comm/partition/rendezvous.hpp>

namespace op2::comm {

/// For each declared element of the map's target set: the global indices of the other elements that
/// share a source with it, ascending, without repetition. Symmetric. Collective. Cost: one
/// exchange; arity * (arity - 1) indices per row of the map.
Ragged<GlobalId> dual_graph(Communicator& communicator, const BlockMesh& mesh, const BlockMap& map);

}  // namespace op2::comm
