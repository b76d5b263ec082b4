// SPDX-License-Identifier: BSD-3-Clause
// The place of a number between ascending points.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace op2::model {

/// A point, and how far it is from there to the next one: 0 to 1. Beyond the ends: the end.
struct Between {
  std::size_t point = 0;
  double part = 0;

  double of(double at_point, double at_next) const {
    return (1 - part) * at_point + part * at_next;
  }
};

/// @param points  ascending by `key`; not empty
/// @param key     of a point, or a member of it
/// @param scale   in which distances are proportional, e.g. the logarithm: a growing function
template <class Point, class Key, class Scale = std::identity>
Between between(const std::vector<Point>& points, double x, Key key, Scale scale = {}) {
  const auto next = std::ranges::upper_bound(points, x, {}, key);
  if (next == points.begin()) return {};
  const auto point = static_cast<std::size_t>(next - points.begin()) - 1;
  if (next == points.end()) return {point, 0};
  const double low = std::invoke(key, points[point]), high = std::invoke(key, *next);
  return {point, (scale(x) - scale(low)) / (scale(high) - scale(low))};
}

}  // namespace op2::model
