// SPDX-License-Identifier: BSD-3-Clause
// Levels: the one axis on which halos, cores, extents and validity are measured. For one rank and
// one set, W_h is a nested family of elements: W_0 the owned ones, W_1 and W_2 the first
// executable and readable halo layer (layer k is level 2k), W_-1 the core, and so on both ways.
#pragma once

#include <cstdint>

namespace op2::core {

using Level = std::int32_t;

/// No level: a value that is not needed, a loop that need not run, an empty interior. Below every
/// level that occurs, and far enough from the limits of the type for arithmetic.
inline constexpr Level no_level = -1'000'000;

/// Above every level that occurs: no limit.
inline constexpr Level every_level = 1'000'000;

/// The even level at or below h, also for negative h.
constexpr Level even_floor(Level h) {
  return h & ~Level{1};
}

/// Targets of an extent: all that W_h accesses through maps lies in W_up(h).
constexpr Level up(Level h) {
  return even_floor(h) + 2;
}

/// Extent that completes increments: all iterations with a target in W_j lie in W_need_exec(j).
constexpr Level need_exec(Level j) {
  return even_floor(j + 1) + 1;
}

/// Completion: after W_h has run, no target in W_cov(h) lacks a contribution.
constexpr Level cov(Level h) {
  return even_floor(h - 1);
}

/// Extent that a readable level permits: all targets of W_inside(h) through maps lie in W_h.
constexpr Level inside(Level h) {
  return even_floor(h) - 1;
}

/// For a set with a local map (ChainLoop::local_map): W_h of it is exactly what leads to
/// W_local_targets(h). So that is both what executing W_h accesses and what it completes.
constexpr Level local_targets(Level h) {
  if (h == 0) return 0;
  return h > 0 ? even_floor(h + 1) - 2 : even_floor(h + 2);
}

/// The same as `inside` through a local map: the largest g with local_targets(g) <= h.
constexpr Level local_inside(Level h) {
  return h < 0 ? inside(h) : even_floor(h + 2);
}

}  // namespace op2::core
