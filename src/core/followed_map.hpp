// SPDX-License-Identifier: BSD-3-Clause
// The canonical order of elements, which the declared mesh alone decides: neither ranks nor data on
// sets have a part in it. Elements of the set that most map entries lead to are in the order of
// their global indices. Those of a set with a map to it follow: they are sorted by the last element
// that they access through that map, then by their global indices. All others are in the order of
// their indices.
#pragma once

#include <core/mesh.hpp>

namespace op2::core {

/// The map by which a set's elements follow others; null: they do not. Local, uniform.
/// Cost O(maps).
const Map* followed_map(const Mesh& mesh, const Set& set);

}  // namespace op2::core
