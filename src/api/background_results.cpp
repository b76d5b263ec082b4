// SPDX-License-Identifier: BSD-3-Clause
#include <api/background_results.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include <api/runtime.hpp>
#include <comm/messages/agreement.hpp>
#include <core/progress.hpp>
#include <core/text.hpp>

namespace op2::api {

void BackgroundResults::begin(Work work) {
  const Ticket ticket = queue_.push(work.bytes, std::exchange(work.write, nullptr));
  calls_.push_back({std::move(work), ticket});
}

/// How many of the calls this rank has written and may publish: none after a call that could not be
/// published, since a series would name its time.
std::int64_t BackgroundResults::written_calls(
    const core::BackgroundQueue::Progress& progress) const {
  if (progress.urgent_failure) return 0;
  const auto first = std::ranges::find_if_not(
      calls_, [&](const Call& call) { return progress.includes(call.ticket); });
  return first - calls_.begin();
}

/// Begins to publish the first calls, before what waits to be written: if that fails, what came
/// before it is published.
void BackgroundResults::publish(std::int64_t calls, bool is_root) {
  for (; calls > 0; --calls) {
    Call call = std::move(calls_.front());
    calls_.pop_front();
    if (!is_root || !call.work.publish) continue;
    call.ticket = queue_.push_urgent(std::exchange(call.work.publish, nullptr));
    publications_.push_back(std::move(call));
  }
}

/// Collective.
BackgroundResults::Written BackgroundResults::written_by_all(
    comm::Communicator& ranks, const core::BackgroundQueue::Progress& progress) const {
  comm::WordReduction words;
  words.minima = {written_calls(progress)};
  words.maxima = {progress.failed() ? 1 : 0};
  ranks.reduce(words, "results that are written");
  return {words.minima.front(), words.maxima.front() != 0};
}

/// After a failure of any rank, all wait for what came before it.
void BackgroundResults::look(comm::Communicator& ranks, bool to_the_end) {
  if (to_the_end) queue_.wait();
  core::BackgroundQueue::Progress progress = queue_.take_progress();
  Written written = written_by_all(ranks, progress);
  if (written.failed && !to_the_end) {
    queue_.wait();
    if (!progress.failed()) progress = queue_.take_progress();
    written = written_by_all(ranks, progress);
  }
  publish(written.calls, ranks.is_root());
  if (to_the_end) queue_.wait();
  if (to_the_end && !progress.failed()) progress = queue_.take_progress();
  while (!publications_.empty() && queue_.urgent_is_finished(publications_.front().ticket))
    publications_.pop_front();
  const auto& failure = progress.failure ? progress.failure : progress.urgent_failure;
  try {
    comm::throw_together(ranks, failure ? std::optional(failure->error) : std::nullopt);
  } catch (...) {
    calls_.clear();
    throw;
  }
}

std::optional<std::vector<comm::TimeOfSeries>> BackgroundResults::times_of(
    const std::string& series) const {
  for (const auto* calls : {&calls_, &publications_})
    for (auto call = calls->rbegin(); call != calls->rend(); ++call)
      if (call->work.series == series) return call->work.times;
  return {};
}

void begin_background(Runtime& runtime) {
  const std::int64_t bytes = runtime.options.async_io_bytes;
  if (bytes == 0) return;  // equal on all ranks
  runtime.enter("the thread of OP2_ASYNC_IO");
  runtime.check_together(
      [&] { runtime.background_results = std::make_unique<BackgroundResults>(bytes); });
}

void look_at_background(Runtime& runtime) {
  if (runtime.background_results == nullptr) return;
  const core::Progress progress(runtime.log, "looking at results in the background");
  runtime.background_results->look(runtime.ranks());
}

void finish_background(Runtime& runtime, const char* call) {
  if (runtime.background_results == nullptr) return;
  const core::Progress progress(runtime.log, "writing results that are left in the background");
  runtime.enter("{}", call);
  runtime.background_results->finish(runtime.ranks());
}

void end_background(Runtime& runtime) {
  if (runtime.background_results == nullptr) return;
  const core::InPart part(&runtime.measurements.profile, core::Part::files);
  if (runtime.others_wait()) {
    runtime.background_results->drain();
    return report_unfinished_results(runtime);
  }
  try {
    finish_background(runtime, "op_exit");
  } catch (const Error&) {
    runtime.background_results->drain();
    report_unfinished_results(runtime);
    throw;
  }
}

void report_unfinished_results(Runtime& runtime) {
  const std::size_t count =
      runtime.background_results ? runtime.background_results->unfinished() : 0;
  if (count > 0)
    runtime.log.warning(
        fmt::format("results may be incomplete: {} that OP2_ASYNC_IO left to the background; only "
                    "op_exit on all ranks completes them",
                    core::counted(count, "call")));
}

}  // namespace op2::api
