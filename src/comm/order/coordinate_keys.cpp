// SPDX-License-Identifier: BSD-3-Clause
#include <comm/order/coordinate_keys.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <comm/halo/row_request.hpp>
#include <comm/messages/records.hpp>
#include <comm/order/dense_places.hpp>
#include <comm/order/hilbert.hpp>

namespace op2::comm {
namespace {

/// An integer with the order of the number, and back; -0 and 0 are equal.
std::int64_t ordered_bits(double number) {
  const auto bits = std::bit_cast<std::int64_t>(number + 0.0);
  return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
}
double number_of(std::int64_t bits) {
  return std::bit_cast<double>(bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits);
}

/// A cube around all finite coordinates.
struct Cube {
  std::array<double, 3> half_low;  ///< half of each lower bound, so that no difference overflows
  double half_width = 0;

  /// @param dim  of the coordinates, for the number of steps
  std::uint32_t steps(double coordinate, std::size_t d, int dim) const {
    const int bits = hilbert_bits(dim);
    const double most = std::ldexp(1.0, bits) - 1;
    const double part = (coordinate / 2 - half_low[d]) / half_width;  // NaN: no width
    const double scaled = std::ldexp(part, bits);
    return scaled > 0 ? static_cast<std::uint32_t>(std::min(scaled, most)) : 0U;
  }
};

/// Collective.
Cube cube_around(Communicator& ranks, const Coordinates& coordinates) {
  const auto dim = static_cast<std::size_t>(coordinates.dim);
  const std::int64_t lowest = ordered_bits(-std::numeric_limits<double>::max()),
                     highest = ordered_bits(std::numeric_limits<double>::max());
  WordReduction words{{}, std::vector(dim, highest), std::vector(dim, lowest)};
  for (std::size_t k = 0; k < coordinates.values.size(); ++k) {
    if (!std::isfinite(coordinates.values[k])) continue;
    const std::int64_t bits = ordered_bits(coordinates.values[k]);
    words.minima[k % dim] = std::min(words.minima[k % dim], bits);
    words.maxima[k % dim] = std::max(words.maxima[k % dim], bits);
  }
  ranks.reduce(words, "the box of all coordinates");
  Cube cube{};
  for (std::size_t d = 0; d < dim; ++d) {
    cube.half_low[d] = number_of(words.minima[d]) / 2;
    cube.half_width = std::max(cube.half_width, number_of(words.maxima[d]) / 2 - cube.half_low[d]);
  }
  return cube;
}

/// Of the elements that have the coordinates.
std::vector<std::int64_t> positions_on_curve(Communicator& ranks, const Coordinates& coordinates) {
  const Cube cube = cube_around(ranks, coordinates);
  const auto dim = static_cast<std::size_t>(coordinates.dim);
  std::vector<std::int64_t> keys(coordinates.values.size() / dim);
  for (std::size_t element = 0; element < keys.size(); ++element) {
    const auto x = coordinates.values.subspan(element * dim, dim);
    std::array<std::uint32_t, 3> point{};
    for (std::size_t d = 0; d < dim; ++d) point[d] = cube.steps(x[d], d, coordinates.dim);
    const bool unknown = std::ranges::any_of(x, [](double value) { return std::isnan(value); });
    keys[element] = unknown ? last_key : hilbert_position(point, coordinates.dim);
  }
  return keys;
}

const DeclaredMap* map_to(const DeclaredMaps& mesh, int set) {
  const auto found = std::ranges::find_if(
      mesh.maps, [&](const DeclaredMap& map) { return map.from == mesh.ordered && map.to == set; });
  return found == mesh.maps.end() ? nullptr : &*found;
}

/// The keys of first targets. Collective.
/// @param keys  of the elements of the map's target set that this rank declares
std::vector<std::int64_t> keys_behind(const DeclaredMaps& mesh, const DeclaredMap& map,
                                      const std::vector<std::int64_t>& keys) {
  const Blocks& set = mesh.blocks_of(map.to);
  const GlobalId first = mesh.first_of(map.to);
  const auto is_here = [&](GlobalId id) { return set.declares(mesh.ranks.rank(), id); };
  const auto arity = static_cast<std::size_t>(map.arity);
  std::vector<GlobalId> wanted;
  for (std::size_t k = 0; k < map.targets.size(); k += arity)
    if (!is_here(map.targets[k])) wanted.push_back(map.targets[k]);
  std::ranges::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  const auto arrived =
      from_bytes<std::int64_t>(RowRequest(mesh.ranks, set, wanted)
                                   .rows(std::as_bytes(std::span(keys)), sizeof(std::int64_t)));
  std::vector<std::int64_t> found;
  found.reserve(map.targets.size() / arity);
  for (std::size_t k = 0; k < map.targets.size(); k += arity) {
    const GlobalId id = map.targets[k];
    const auto position =
        is_here(id) ? id - first : std::ranges::lower_bound(wanted, id) - wanted.begin();
    found.push_back((is_here(id) ? keys : arrived)[static_cast<std::size_t>(position)]);
  }
  return found;
}

}  // namespace

std::optional<std::vector<std::int64_t>> coordinate_keys(const DeclaredMaps& mesh,
                                                         const Coordinates& coordinates) {
  if (coordinates.set < 0) return {};
  if (coordinates.set == mesh.ordered) return positions_on_curve(mesh.ranks, coordinates);
  const DeclaredMap* const map = map_to(mesh, coordinates.set);
  if (map == nullptr) return {};
  return keys_behind(mesh, *map, positions_on_curve(mesh.ranks, coordinates));
}

}  // namespace op2::comm
