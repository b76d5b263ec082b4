// SPDX-License-Identifier: BSD-3-Clause
// Orders the elements of all sets so that data used together are close in memory. Local.
#pragma once

#include <cstdint>
#include <vector>

#include <comm/halo/local_mesh.hpp>
#include <core/options.hpp>

namespace op2::comm {

/// order[position] is an element; empty: the elements keep their positions.
using Order = std::vector<std::int32_t>;

/// The order of each set. The set with most data is put into an order of small bandwidth
/// (Gibbs, Poole and Stockmeyer 1976, as Scotch implements it). Every other set follows one to
/// which a map connects it: its elements are sorted by the last element that they access, or that
/// accesses them. Equal meshes give equal orders.
///
/// RenumberMode::canonical sorts as the canonical order says (core/ordering_map.hpp), and by that
/// the sets from which no map starts.
/// RenumberMode::automatic keeps the order of small sets and of sets whose locality is good. Cost:
/// a few passes over the maps, and about 0.2 microseconds for each element of the largest set if
/// that is reordered.
std::vector<Order> locality_orders(const LocalMesh& mesh, core::RenumberMode mode);

/// The position of each element in an order.
std::vector<std::int32_t> positions_in(const Order& order);

}  // namespace op2::comm
