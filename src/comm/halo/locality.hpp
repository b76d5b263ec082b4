// SPDX-License-Identifier: BSD-3-Clause
// An order of the elements of all sets in which what is used together lies together. Local.
#pragma once

#include <cstdint>
#include <vector>

#include <comm/halo/local_mesh.hpp>
#include <core/options.hpp>

namespace op2::comm {

/// order[position] is the element that comes there; empty: the elements stay as they are.
using Order = std::vector<std::int32_t>;

/// The order of each set. The set with most data is put into an order of small bandwidth
/// (Gibbs, Poole and Stockmeyer 1976, as Scotch implements it); every other set follows the set to
/// which a map connects it (one that reaches all of it, over few others, a large one): its elements
/// come when the last element that they access, or that accesses them, has come. Equal meshes give
/// equal orders.
///
/// RenumberMode::automatic leaves sets of few elements alone, and those whose order is good as it
/// is. Cost: a few passes over the maps, and about 0.2 microseconds for each element of the largest
/// set if that is reordered.
std::vector<Order> locality_orders(const LocalMesh& mesh, core::RenumberMode mode);

/// The position of each element in an order.
std::vector<std::int32_t> positions_in(const Order& order);

}  // namespace op2::comm
