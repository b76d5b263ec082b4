// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/gpu/row_buffers.hpp>

#include <algorithm>
#include <utility>

#include <jit/target/cuda/gather.hpp>
#include <sched/loop_requests.hpp>

namespace op2::sched {
namespace {

/// What a step does with the rows of a dat.
enum class Use { none, accesses, replaces, moves };

Use use_of(const Step& step, const core::Dat* dat) {
  if (!step.runs()) return Use::none;
  const Dats moved = moved_by(step);
  if (std::ranges::find(moved, dat) != moved.end()) return Use::moves;
  int uses = 0;
  bool replaces = true;
  for (const core::LoopArg& arg : step.args) {
    if (!arg.is_active_dat() || arg.dat != dat) continue;
    replaces = replaces && arg.access == OP_WRITE && !arg.is_indirect();
    ++uses;
  }
  if (uses == 0) return Use::none;
  return uses == 1 && replaces ? Use::replaces : Use::accesses;
}

/// Whether rows that a step replaces come home by the moves behind it; if they are replaced again,
/// it does not matter where they are.
bool ends_in_second(std::vector<Use>::const_iterator next, std::vector<Use>::const_iterator end) {
  bool is_odd = false;
  for (; next != end; ++next) {
    if (*next == Use::replaces) return false;
    is_odd = is_odd != (*next == Use::moves);
  }
  return is_odd;
}

void place(const core::Dat* dat, const Steps& steps, RowBuffers& buffers) {
  std::vector<Use> uses;
  for (const Step& step : steps.all) uses.push_back(use_of(step, dat));
  bool in_second = false;
  std::size_t chain = 0;
  for (auto use = uses.cbegin(); use != uses.cend(); ++use) {
    for (; chain < buffers.sent.size() && std::cmp_equal(steps.begin[chain], use - uses.cbegin());
         ++chain)
      if (in_second) buffers.sent[chain].push_back(dat);
    if (*use == Use::replaces) in_second = ends_in_second(use + 1, uses.cend());
    if (in_second && *use != Use::none) buffers.second[use - uses.cbegin()].push_back(dat);
    if (*use == Use::moves) in_second = !in_second;
  }
  if (in_second) buffers.back.push_back(dat);
}

}  // namespace

Dats moved_by(const Step& step) {
  const std::vector<jit::ArgShape> shapes = arg_shapes(step.args);
  Dats dats;
  for (const int dat : jit::moved_dats(shapes, step.gathered()))
    dats.push_back(
        step.args[std::ranges::find(shapes, dat, &jit::ArgShape::dat) - shapes.begin()].dat);
  return dats;
}

RowBuffers choose_row_buffers(const Steps& steps) {
  RowBuffers buffers;
  buffers.second.resize(steps.all.size());
  buffers.sent.resize(steps.begin.size() - 1);
  Dats known;
  for (const Step& step : steps.all) {
    if (!step.gathers()) continue;
    for (const core::Dat* dat : moved_by(step))
      if (std::ranges::find(known, dat) == known.end()) known.push_back(dat);
  }
  for (const core::Dat* dat : known) place(dat, steps, buffers);
  return buffers;
}

}  // namespace op2::sched
