// SPDX-License-Identifier: BSD-3-Clause
#include <comm/order/coordinate_keys.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <comm/halo/row_request.hpp>
#include <comm/messages/records.hpp>
#include <comm/messages/reduce_values.hpp>
#include <comm/order/dense_places.hpp>
#include <comm/order/hilbert.hpp>

namespace op2::comm {
namespace {

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
  constexpr double largest = std::numeric_limits<double>::max();
  std::vector<double> low(dim, largest), high(dim, -largest);
  for (std::size_t k = 0; k < coordinates.values.size(); ++k) {
    const double value = coordinates.values[k];
    if (!std::isfinite(value)) continue;
    low[k % dim] = std::min(low[k % dim], value);
    high[k % dim] = std::max(high[k % dim], value);
  }
  const FoldedValues bounds[] = {{Type::f64, Fold::least, coordinates.dim, low.data()},
                                 {Type::f64, Fold::greatest, coordinates.dim, high.data()}};
  reduce_values(ranks, bounds);
  Cube cube{};
  for (std::size_t d = 0; d < dim; ++d) {
    cube.half_low[d] = low[d] / 2;
    cube.half_width = std::max(cube.half_width, high[d] / 2 - cube.half_low[d]);
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
