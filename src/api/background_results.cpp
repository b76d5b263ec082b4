// SPDX-License-Identifier: BSD-3-Clause
#include <api/background_results.hpp>

#include <algorithm>
#include <utility>

#include <comm/messages/agreement.hpp>

namespace op2::api {

void BackgroundResults::begin(Work work) {
  const Ticket ticket = queue_.push(work.bytes, std::exchange(work.write, nullptr));
  calls_.push_back({std::move(work), ticket});
}

/// How many of the calls this rank has written and may publish: none after a call that could not be
/// published, since a series would name its time.
std::int64_t BackgroundResults::written_calls(
    const core::BackgroundQueue::Progress& progress) const {
  const auto& failure = progress.failure;
  const bool failed_to_publish =
      failure && std::ranges::find(calls_, failure->ticket, &Call::ticket) == calls_.end();
  if (failed_to_publish) return 0;
  const auto first = std::ranges::find_if_not(
      calls_, [&](const Call& call) { return progress.includes(call.ticket); });
  return first - calls_.begin();
}

/// Begins to publish the first calls.
void BackgroundResults::publish(std::int64_t calls, bool is_root) {
  for (; calls > 0; --calls) {
    Call call = std::move(calls_.front());
    calls_.pop_front();
    if (!is_root || !call.work.publish) continue;
    call.ticket = queue_.push(0, std::exchange(call.work.publish, nullptr));
    publications_.push_back(std::move(call));
  }
}

void BackgroundResults::look(comm::Communicator& ranks, bool to_the_end) {
  if (to_the_end) queue_.wait();
  const core::BackgroundQueue::Progress progress = queue_.take_progress();
  comm::WordReduction words;
  words.minima = {written_calls(progress)};
  ranks.reduce(words, "results that are written");
  publish(words.minima.front(), ranks.is_root());
  if (to_the_end) queue_.wait();
  const auto failure = progress.failure ? progress.failure : queue_.take_progress().failure;
  while (!publications_.empty() && queue_.is_finished(publications_.front().ticket))
    publications_.pop_front();
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

}  // namespace op2::api
