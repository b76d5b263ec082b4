// SPDX-License-Identifier: BSD-3-Clause
#include <api/bits_check.hpp>

#include <utility>

#include <api/first_of_ranks.hpp>
#include <api/jit_options.hpp>
#include <api/runtime.hpp>
#include <core/counted.hpp>
#include <core/error.hpp>
#include <core/progress.hpp>
#include <sched/loop_requests.hpp>

namespace op2::api {
namespace {

/// What OP2_TARGET=reference means for the reproducible mode, with the same local rows.
core::Options plain_way(core::Options options) {
  options.target = core::Target::cpu;
  options.threads = 1;
  options.simd = core::SimdMode::off;
  options.tile.mode = core::TileMode::off;
  options.chain = core::ChainMode::off;
  options.fuse = false;
  options.eliminate_dead_loops = false;
  options.dump = {};
  return options;
}

/// "loop 'flux' (flow.cpp:12)".
std::string text_of(const core::LoopRecord& record) {
  if (record.is_assignment()) return "op_set_global";
  return sched::named_with_site(record);
}

}  // namespace

BitsCheck::BitsCheck(Runtime& runtime)
    : runtime_(runtime),
      options_(plain_way(runtime.options)),
      log_(core::LogLevel::off),  // the engine says the same
      trace_(false),
      pool_(1, runtime.topology),
      jit_(jit_options(options_, runtime.mesh, trace_), log_),
      plain_({options_, runtime.topology, pool_, runtime.rows, jit_, nullptr, nullptr, table_,
              trace_, log_, sched::prover_of(options_, jit_, nullptr)}) {}

void BitsCheck::flush() {
  if (runtime_.queue.empty()) return;
  const core::Progress progress(
      runtime_.log, "OP2_CHECK=bits for " + core::counted(runtime_.queue.size(), "queued call"));
  runtime_.rows.ensure_rows(0);
  const core::Queue calls = runtime_.queue.first(runtime_.queue.size());
  const sched::SavedValues before = sched::save_values(calls, runtime_.mesh);
  std::optional<Finding> whole = compare(calls, calls.size(), before);
  runtime_.queue.clear();
  if (whole) fail(calls, first_loop(calls, before, std::move(*whole)));
}

/// Executes the first `loops` calls in both ways, which begin with the present values.
/// @param before  the present values, of all calls
std::optional<BitsCheck::Finding> BitsCheck::compare(const core::Queue& calls, std::size_t loops,
                                                     const sched::SavedValues& before) {
  core::Queue queue = calls.first(loops), again = calls.first(loops);
  for (const auto& dat : runtime_.mesh.dats()) {
    plain_.forget_halo(*dat);
    static_cast<void>(dat->rows.host_write());  // its executor knows of no device
  }
  plain_.flush(queue, runtime_.mesh);
  const core::Queue executed = calls.first(loops);
  const sched::SavedValues expected = sched::save_values(executed, runtime_.mesh);
  sched::restore(before);
  runtime_.engine.flush(again, runtime_.mesh);
  Finding found{loops, {}, sched::save_values(executed, runtime_.mesh)};
  runtime_.enter("OP2_CHECK=bits");
  auto mine = sched::find_difference(found.saved, expected, runtime_.ranks());
  std::optional<ElementPlace> place;
  if (mine) place = {mine->position, mine->element};
  const FirstOfRanks first = first_of_ranks(runtime_.ranks(), place);
  if (!first.any) return {};
  if (first.is_mine) found.mine = std::move(mine);
  return found;
}

/// The shortest beginning of the queue after which values differ; the whole, if shorter ones do
/// not.
BitsCheck::Finding BitsCheck::first_loop(const core::Queue& calls, const sched::SavedValues& before,
                                         Finding whole) {
  for (std::size_t loops = 1; loops < calls.size(); ++loops) {
    sched::restore(before);
    for (const auto& dat : runtime_.mesh.dats()) runtime_.engine.forget_halo(*dat);
    if (auto found = compare(calls, loops, before)) return std::move(*found);
  }
  return whole;
}

void BitsCheck::fail(const core::Queue& calls, const Finding& finding) {
  runtime_.enter("OP2_CHECK=bits has found a difference");
  runtime_.check_together([&] {
    if (!finding.mine) return;
    const sched::Difference& found = *finding.mine;
    core::fail(
        ErrorCode::bits_differ,
        "bits differ with OP2_CHECK=bits: {}, {} of {} queued calls: {}, component {} "
        "is {}, but {} if one thread executes one element after the other; values of it that "
        "differ on this rank: {}; see whether the kernel uses other rows than its arguments name, "
        "otherwise report it",
        text_of(calls.records()[finding.loops - 1]), finding.loops, calls.size(),
        sched::place_of(found, finding.saved), found.component, found.one, found.other,
        found.count);
  });
}

}  // namespace op2::api
