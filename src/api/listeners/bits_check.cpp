// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <utility>

#include <api/code_makers.hpp>
#include <api/listeners/listeners.hpp>
#include <api/runtime.hpp>
#include <core/error.hpp>
#include <core/progress.hpp>
#include <core/text.hpp>
#include <sched/loop_requests.hpp>
#include <sched/saved_values.hpp>

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

/// Owns what executes loops in the plain way. Results are those of the session's engine, which
/// executes after it from the same values.
class BitsCheck : public core::Listener {
 public:
  explicit BitsCheck(Runtime& runtime);

  void flush_begins() override;
  void flush_ends() override;

 private:
  /// A difference after the first `loops` of a queue.
  struct Finding {
    std::size_t loops;
    std::optional<sched::Difference> mine;  ///< only on the rank that has the first one
    sched::SavedValues saved;
  };
  core::Progress report_progress(std::size_t calls) const {
    return {runtime_.log, "OP2_CHECK=bits for " + core::counted(calls, "queued call")};
  }
  sched::SavedValues run_plainly(std::size_t loops);
  std::optional<Finding> compare(std::size_t loops, const sched::SavedValues& expected);
  Finding first_loop(Finding whole);
  void fail(const Finding& finding);

  Runtime& runtime_;
  const core::Options options_;
  core::Log log_;
  core::Measurements measurements_;
  core::ThreadPool pool_;
  jit::Jit jit_;
  sched::Engine plain_;
  core::Queue calls_;  ///< of the flush
  sched::SavedValues before_, expected_;
};

BitsCheck::BitsCheck(Runtime& runtime)
    : runtime_(runtime),
      options_(plain_way(runtime.options)),
      log_(core::LogLevel::off),  // the engine says the same
      pool_(1, runtime.topology),
      jit_(jit_options(options_, runtime.mesh, measurements_.listeners), log_),
      plain_({options_, runtime.topology, pool_, runtime.rows, jit_, nullptr, nullptr,
              measurements_, log_, sched::prover_of(options_, jit_, nullptr)}) {
  runtime_.also_executes(jit_, plain_);
}

void BitsCheck::flush_begins() {
  const core::Progress progress = report_progress(runtime_.queue.size());
  runtime_.rows.ensure_rows(0);
  calls_ = runtime_.queue.first(runtime_.queue.size());
  before_ = sched::save_values(calls_, runtime_.mesh);
  expected_ = run_plainly(calls_.size());
}

void BitsCheck::flush_ends() {
  const core::Progress progress = report_progress(calls_.size());
  std::optional<Finding> whole = compare(calls_.size(), expected_);
  if (whole) fail(first_loop(std::move(*whole)));
}

/// Executes the first `loops` calls in the plain way. Leaves the values of before.
/// @return those of after
sched::SavedValues BitsCheck::run_plainly(std::size_t loops) {
  core::Queue queue = calls_.first(loops);
  for (const auto& dat : runtime_.mesh.dats()) {
    plain_.forget_halo(*dat);
    static_cast<void>(dat->rows.host_write());  // its executor knows of no device
  }
  plain_.flush(queue, runtime_.mesh);
  sched::SavedValues values = sched::save_values(calls_.first(loops), runtime_.mesh);
  sched::restore(before_);
  return values;
}

/// @param expected  after the first `loops` calls, which the session's engine has executed
std::optional<BitsCheck::Finding> BitsCheck::compare(std::size_t loops,
                                                     const sched::SavedValues& expected) {
  Finding found{loops, {}, sched::save_values(calls_.first(loops), runtime_.mesh)};
  runtime_.enter("OP2_CHECK=bits");
  auto mine = sched::find_difference(found.saved, expected, runtime_.ranks());
  std::optional<ElementPosition> position;
  if (mine) position = {mine->position, mine->element};
  const FirstOfRanks first = first_of_ranks(runtime_.ranks(), position);
  if (!first.any) return {};
  if (first.is_mine) found.mine = std::move(mine);
  return found;
}

/// The shortest beginning of the queue after which values differ; the whole, if shorter ones do
/// not.
BitsCheck::Finding BitsCheck::first_loop(Finding whole) {
  for (std::size_t loops = 1; loops < calls_.size(); ++loops) {
    sched::restore(before_);
    for (const auto& dat : runtime_.mesh.dats()) runtime_.engine.forget_halo(*dat);
    const sched::SavedValues expected = run_plainly(loops);
    core::Queue again = calls_.first(loops);
    runtime_.engine.flush(again, runtime_.mesh);
    if (auto found = compare(loops, expected)) return std::move(*found);
  }
  return whole;
}

void BitsCheck::fail(const Finding& finding) {
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
        text_of(calls_.records()[finding.loops - 1]), finding.loops, calls_.size(),
        sched::place_of(found, finding.saved), found.component, found.one, found.other,
        found.count);
  });
}

}  // namespace

std::unique_ptr<core::Listener> make_bits_check(Runtime& runtime) {
  return std::make_unique<BitsCheck>(runtime);
}

}  // namespace op2::api
