// SPDX-License-Identifier: BSD-3-Clause
#include <api/background_results.hpp>

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include <api/runtime.hpp>
#include <comm/messages/agreement.hpp>
#include <core/error.hpp>
#include <core/log.hpp>
#include <core/signals.hpp>
#include <core/text.hpp>

namespace op2::api {

BackgroundResults::BackgroundResults(std::int64_t most_bytes) : most_bytes_(most_bytes) {
  const core::SignalsBlocked leave_signals_to_the_program;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& refusal) {
    core::fail(ErrorCode::out_of_memory,
               "a thread cannot be started: that of OP2_ASYNC_IO, {}; set OP2_ASYNC_IO=off",
               refusal.what());
  }
}

BackgroundResults::~BackgroundResults() {
  {
    const Lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundResults::begin(Work work) {
  Lock lock(mutex_);
  const std::int64_t bytes = work.bytes, held = std::min(bytes, most_bytes_);
  changed_.wait(lock, [&] { return held_ + held <= most_bytes_; });
  held_ += held;
  calls_.push_back({std::move(work), held, State::to_write});
  const Call& call = calls_.back();
  if (write_failure_ || publish_failure_) drop(false);
  changed_.notify_all();
  if (bytes > most_bytes_) changed_.wait(lock, [&] { return call.state != State::to_write; });
}

void BackgroundResults::drain() {
  Lock lock(mutex_);
  changed_.wait(lock, [&] { return next() == nullptr; });
}

/// What the thread does next, or does now; null: nothing.
BackgroundResults::Call* BackgroundResults::next() {
  for (const State wanted : {State::to_publish, State::to_write})
    if (const auto call = std::ranges::find(calls_, wanted, &Call::state); call != calls_.end())
      return &*call;
  return nullptr;
}

/// Until the end of the object.
void BackgroundResults::work() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || next() != nullptr; });
    if (ends_) return;
    run(*next(), lock);
  }
}

void BackgroundResults::run(Call& call, Lock& lock) {
  const bool publishes = call.state == State::to_publish;
  auto action = std::exchange(publishes ? call.work.publish : call.work.write, nullptr);
  lock.unlock();
  std::optional<Error> error = core::error_of("work in the background", action);
  action = nullptr;  // frees what it holds
  lock.lock();
  if (error) {
    (publishes ? publish_failure_ : write_failure_).emplace(std::move(*error));
    drop(publishes);
  } else {
    call.state = publishes ? State::published : State::written;
    held_ -= std::exchange(call.held, 0);
  }
  changed_.notify_all();
}

/// Drops what is to be written. @param all  also what is to be published, or may be later
void BackgroundResults::drop(bool all) {
  for (Call& call : calls_) {
    if (call.state == State::published || (call.state != State::to_write && !all)) continue;
    call.state = State::dropped;
    call.work.write = call.work.publish = nullptr;
    held_ -= std::exchange(call.held, 0);
  }
}

/// Lets the first calls that are written be published, before others are written: if that fails,
/// what came before them is published.
void BackgroundResults::publish(std::int64_t calls, bool is_root) {
  const Lock lock(mutex_);
  auto call = std::ranges::find(calls_, State::written, &Call::state);
  for (; calls > 0; --calls, ++call)
    call->state = is_root && call->work.publish ? State::to_publish : State::published;
  changed_.notify_all();
}

/// The error since the last call of this, if any; then nothing waits any more.
std::optional<Error> BackgroundResults::take_failure() {
  Lock lock(mutex_);
  if (!write_failure_ && !publish_failure_) return {};
  changed_.wait(lock, [&] { return next() == nullptr; });
  auto write = std::exchange(write_failure_, {}), publish = std::exchange(publish_failure_, {});
  return write ? write : publish;
}

/// Collective.
BackgroundResults::Written BackgroundResults::written_by_all(comm::Communicator& ranks,
                                                             bool failed) const {
  comm::WordReduction words;
  {
    const Lock lock(mutex_);
    words.minima = {std::ranges::count(calls_, State::written, &Call::state)};
  }
  words.maxima = {failed ? 1 : 0};
  ranks.reduce(words, "results that are written");
  return {words.minima.front(), words.maxima.front() != 0};
}

/// After a failure of any rank, all wait for what came before it.
void BackgroundResults::look(comm::Communicator& ranks, bool to_the_end) {
  if (to_the_end) drain();
  std::optional<Error> failure = take_failure();
  Written written = written_by_all(ranks, failure.has_value());
  if (written.failed && !to_the_end) {
    drain();
    if (!failure) failure = take_failure();
    written = written_by_all(ranks, failure.has_value());
  }
  publish(written.calls, ranks.is_root());
  if (to_the_end) drain();
  if (to_the_end && !failure) failure = take_failure();
  {
    const Lock lock(mutex_);
    std::erase_if(calls_, [](const Call& call) { return call.state == State::published; });
  }
  try {
    comm::throw_together(ranks, failure);
  } catch (...) {
    const Lock lock(mutex_);
    std::erase_if(calls_, [](const Call& call) { return call.state != State::to_publish; });
    throw;
  }
}

std::optional<std::vector<comm::SeriesTime>> BackgroundResults::times_of(
    const std::string& series) const {
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call)
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
