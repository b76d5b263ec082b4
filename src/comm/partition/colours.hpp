// SPDX-License-Identifier: BSD-3-Clause
// Colours of elements such that no two elements of one colour share a target. They depend on the
// global indices alone, not on which rank owns what.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

/// Targets in one set of the elements that a rank owns. Two elements with a target in common
/// conflict.
struct SharedTargets {
  const Blocks* set;  ///< of the targets
  int arity;
  std::vector<GlobalId> targets;  ///< shape [owned elements x arity]; may repeat
};

struct Colours {
  std::vector<std::uint16_t> colour;  ///< of each owned element
  int count;                          ///< on all ranks; 1: no two elements conflict
};

constexpr int most_colours = 1024;

/// The declared order is kept if it takes no more colours than this.
constexpr int most_colours_in_order = 8;

/// If no element depends on a chain of `most_colours_in_order` others before it, elements get
/// colours in which each conflicting element with a lower index has a lower colour, so that running
/// one colour after the other gives the result of the declared order. Otherwise they get colours in
/// an order that a hash of their indices decides, each the lowest that no
/// conflicting element before it has: the greedy colouring, found in rounds in which those elements
/// choose that come before all undecided ones they conflict with (Jones and Plassmann, SIAM Journal
/// on Scientific Computing 14, 1993). Collective. Cost: up to eight rounds for the declared order,
/// then some ten rounds of three exchanges, linear work; again for each 64 colours.
/// @param elements  global indices of the elements that this rank owns
/// @return nothing, on all ranks, if most_colours are too few
std::optional<Colours> colour_elements(Communicator& ranks, std::span<const GlobalId> elements,
                                       std::span<const SharedTargets> targets);

}  // namespace op2::comm
