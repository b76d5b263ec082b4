// SPDX-License-Identifier: BSD-3-Clause
// Two passes: where the queue must be cut into chains; then levels of all loops, exchanged halo
// layers, and validity afterwards. Local; uniform, because both follow from what all ranks know.
#pragma once

#include <cstddef>
#include <vector>

#include <core/levels.hpp>
#include <core/queue.hpp>
#include <sched/analysis/chain_analysis.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// Limits of a chain beside those that correctness sets.
struct ChainLimits {
  core::Level rows = core::every_level;  ///< highest level of rows that several loops may need
  bool keep_all = false;                 ///< no loop counts as dead
};

/// Cuts the queue where necessary: before a loop that reads a lazy global which an earlier loop of
/// the same chain reduces, or that reduces it by another operation, because it needs the value
/// combined over the ranks; and where `limits` says so. An assignment belongs to the chain of the
/// loop that follows it.
std::vector<RecordRange> cut_chains(const core::Queue& queue, const ChainLimits& limits = {});

/// A chain with dats and maps as numbers. A loop that modifies no dat counts as a reduction: it may
/// print, so its owned elements run.
struct ChainDescription {
  std::vector<core::ChainLoop> loops;  ///< per record; an assignment is a loop that does nothing
  std::vector<core::Dat*> dats;        ///< by the numbers used in `loops`
};
ChainDescription describe_chain(const core::Queue& queue, RecordRange chain, bool keep_all = false);

/// Per group: W_interior of its set runs before the messages have arrived.
/// @param levels  per record; only the extents are used
/// @param groups  all loops of the chain that are not dead, in their order
std::vector<core::Level> interiors_of(const core::Queue& queue, const Chain& chain,
                                      const std::vector<LoopLevels>& levels,
                                      const std::vector<LoopGroup>& groups);

/// How far loops run into halos.
enum class Halos {
  none,      ///< there are none: this rank has all elements
  per_loop,  ///< OP2_CHAIN=off: as far as each loop needs by itself
  per_chain  ///< as far as the rest of the chain needs
};

struct AnalysisOptions {
  Halos halos = Halos::per_chain;
  bool keep_all = false;  ///< no loop counts as dead
  bool widens = true;     ///< see widened_extents
};

/// With `per_loop`, no loop runs further than its own results need, so each may need an exchange;
/// loops that no exchange separates stay one chain; the first exchange of a queue begins before the
/// loops in front of it, if they leave its dats as they are. With `none`, every loop that runs has
/// extent 0, and every dat is valid there.
/// @param cut     chains into which the queue must be cut, see cut_chains
/// @param valid   validity of each dat of the mesh before the queue, by its index
/// @param groups  with `per_chain`: parts of the chains that are analysed one by one, as with
///                `per_loop` single loops are; each lies in one of the chains, together they cover
///                the records. Empty: the chains
Analysis analyse(const core::Queue& queue, const std::vector<RecordRange>& cut,
                 const std::vector<core::Level>& valid, const AnalysisOptions& options,
                 const std::vector<RecordRange>& groups = {});

/// Whether a chain exchanges layers of the dat.
bool exchanges(const Analysis& analysis, const core::Dat& dat);

/// Each loop of a range with the assignments before it; the last one with those after it.
std::vector<RecordRange> loops_of(const core::Queue& queue, RecordRange range);

}  // namespace op2::sched
