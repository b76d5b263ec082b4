// SPDX-License-Identifier: BSD-3-Clause
// The canonical order of elements, which follows from what the program declares: neither ranks nor
// the time of a flush have a part in it. Elements of the ordering set are in the order of their
// global indices or, if that has bad locality, in another one that follows from the mesh
// (Set::canonical_positions). Those of a set with a map to it follow: they are sorted by the last
// element that they access through that map, then by their global indices. All others are in the
// order of their indices.
#pragma once

#include <core/mesh.hpp>

namespace op2::core {

/// Chooses the ordering set unless that has been done since the last set or map was declared: of
/// those that maps lead to, the one with most bytes of dats, temporary ones apart. Local, uniform.
/// To be called where the program is at the same point whatever the settings: by its first loop.
/// Cost O(sets + maps + dats).
void choose_ordering_set(Mesh& mesh);

/// The map by which a set's elements follow others; null: they do not. Local, uniform.
/// Cost O(maps).
const Map* ordering_map(const Mesh& mesh, const Set& set);

}  // namespace op2::core
