// SPDX-License-Identifier: BSD-3-Clause
// Orders the elements of all sets so that data used together are close in memory. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <comm/partition/rendezvous.hpp>
#include <core/options.hpp>

namespace op2::comm {

/// The canonical order (core::Mesh::ordering_set) of the elements of this process.
struct CanonicalOrder {
  std::vector<int> followed{};  ///< of each set: the map by whose targets it is sorted, or -1
  int reordered = -1;           ///< the ordering set, if its order is not the declared one
  std::span<const std::int32_t> places{};  ///< of the elements of that set
};

/// The sets and maps that this process holds.
struct LocalMesh {
  std::vector<std::int32_t> sizes;   ///< of each set
  std::vector<std::int64_t> weight;  ///< of each set: bytes of data on it
  std::vector<MapView> maps;         ///< targets: local indices from 0 on, or MapView::remote
  std::vector<char> keeps_order{};   ///< of each set: its rows keep their order; empty: none does

  CanonicalOrder canonical{};

  bool keeps(int set) const { return !keeps_order.empty() && keeps_order[set] != 0; }
};

/// order[position] is an element; empty: the elements keep their positions.
using Order = std::vector<std::int32_t>;

/// An order of small bandwidth; empty in a build without Scotch. Deterministic.
/// @param graph  symmetric: the neighbours of each vertex, without repetition and without itself
/// @throws Error internal (the library reports a fault)
Order order_of_small_bandwidth(const Ragged<std::int32_t>& graph);

/// The order of each set. The set with most data is put into an order of small bandwidth
/// (Gibbs, Poole and Stockmeyer 1976, as Scotch implements it). Every other set follows one to
/// which a map connects it: its elements are sorted by the last element that they access, or that
/// accesses them. Equal meshes give equal orders.
///
/// RenumberMode::canonical sorts as the canonical order says (core::Mesh::ordering_set), and by
/// that the sets from which no map starts. RenumberMode::automatic keeps the order of small sets
/// and of sets whose locality is good. Cost: a few passes over the maps, and about 0.2 microseconds
/// for each element of the largest set if that is reordered.
std::vector<Order> locality_orders(const LocalMesh& mesh, core::RenumberMode mode);

/// The position of each element in an order.
std::vector<std::int32_t> positions_in(const Order& order);

}  // namespace op2::comm
