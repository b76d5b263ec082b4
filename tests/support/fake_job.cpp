// SPDX-License-Identifier: BSD-3-Clause
#include <support/fake_job.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace op2::comm {

namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point in_seconds(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

void FakeJob::set_signature(int rank, CollectiveSignature signature) {
  state(rank).signature = std::move(signature);
}

bool FakeJob::all_wait_in_vain() const {
  return std::all_of(states_.begin(), states_.end(), [this](const RankState& one) {
    return one.ended || (one.in_vain && one.seen == events_);
  });
}

void FakeJob::wait(Lock& lock, int rank, const char* operation, const std::function<bool()>& done) {
  const auto deadline = in_seconds(options.seconds_before_mismatch);
  RankState& mine = state(rank);
  mine.operation = operation;
  while (throw_if_failed(), !done()) {
    mine.seen = events_;
    mine.in_vain = true;
    if (all_wait_in_vain() || Clock::now() >= deadline) fail_mismatch(rank);
    changed_.wait_until(lock, deadline);
  }
  mine.operation = nullptr;
  mine.in_vain = false;
}

FakeJob::Round& FakeJob::round(std::size_t number) {
  Round& contributions = rounds_[number].contributions;
  contributions.resize(states_.size());
  return contributions;
}

void FakeJob::leave_round(std::size_t number) {
  if (++rounds_[number].left == static_cast<int>(states_.size())) rounds_.erase(number);
}

void FakeJob::posted() {
  ++events_;
  changed_.notify_all();
}

void FakeJob::note_failure(const Error& error) {
  if (!failure_) failure_ = error;
  changed_.notify_all();
}

void FakeJob::fail(const Error& error) {
  note_failure(error);
  throw Error(*failure_);
}

/// A rank that waits is blocked by the mutex, so its description may be asked for from here.
Position FakeJob::position(int rank) const {
  const RankState& one = state(rank);
  if (one.ended) return {rank, 0, "the end of its program"};
  if (one.operation == nullptr)
    return {rank, one.signature.fingerprint, "computation; it does not wait for another rank"};
  const std::string steps = one.signature.describe ? one.signature.describe() : "";
  return {rank, one.signature.fingerprint,
          fmt::format("{}{}{}", steps, steps.empty() ? "" : "\n", one.operation)};
}

void FakeJob::fail_mismatch(int rank) {
  const Position mine = position(rank);
  for (int other = 0; other < static_cast<int>(states_.size()); ++other) {
    const Position theirs = position(other);
    if (theirs.fingerprint != mine.fingerprint || theirs.steps != mine.steps)
      fail(collective_mismatch(mine, theirs));
  }
  fail(Error(ErrorCode::collective_mismatch,
             fmt::format("all ranks wait for a message that nobody sends; they are at: {}",
                         mine.steps.substr(0, mine.steps.find('\n')))));
}

void FakeJob::report_mismatch(Lock& lock, int rank, int peer, const char* operation) {
  constexpr double patience = 5;  // seconds; a rank that computes for longer is not described
  const auto deadline = in_seconds(std::min(patience, options.seconds_before_mismatch));
  const RankState& theirs = state(peer);
  state(rank).operation = operation;
  changed_.notify_all();
  while (throw_if_failed(), !theirs.ended && theirs.operation == nullptr)
    if (changed_.wait_until(lock, deadline) == std::cv_status::timeout) break;
  throw_if_failed();
  fail(collective_mismatch(position(rank), position(peer)));
}

void FakeJob::end_rank(int rank) {
  state(rank).ended = true;
  changed_.notify_all();
}

}  // namespace op2::comm
