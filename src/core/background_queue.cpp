// SPDX-License-Identifier: BSD-3-Clause
#include <core/background_queue.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

#include <core/error_of.hpp>
#include <core/signals.hpp>

namespace op2::core {

BackgroundQueue::BackgroundQueue(std::int64_t most_bytes) : most_bytes_(most_bytes) {
  const SignalsBlocked leave_signals_to_the_program;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& refusal) {
    fail(ErrorCode::out_of_memory,
         "a thread cannot be started: that of OP2_ASYNC_IO, {}; set OP2_ASYNC_IO=off",
         refusal.what());
  }
}

BackgroundQueue::~BackgroundQueue() {
  {
    const Lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

BackgroundQueue::Ticket BackgroundQueue::push(std::int64_t bytes, std::function<void()> action) {
  Lock lock(mutex_);
  const std::int64_t held = std::min(bytes, most_bytes_);
  changed_.wait(lock, [&] { return held_ + held <= most_bytes_; });
  actions_.push_back({held, std::move(action)});
  held_ += held;
  most_held_ = std::max(most_held_, held_);
  const Ticket ticket = ++pushed_;
  changed_.notify_all();
  if (bytes > most_bytes_) changed_.wait(lock, [&] { return finished_ >= ticket; });
  return ticket;
}

bool BackgroundQueue::is_finished(Ticket ticket) const {
  const Lock lock(mutex_);
  return finished_ >= ticket;
}

void BackgroundQueue::wait() {
  Lock lock(mutex_);
  changed_.wait(lock, [&] { return actions_.empty(); });
}

BackgroundQueue::Progress BackgroundQueue::take_progress() {
  Lock lock(mutex_);
  if (failure_) changed_.wait(lock, [&] { return actions_.empty(); });  // they are dropped
  return {finished_, std::exchange(failure_, std::nullopt)};
}

std::int64_t BackgroundQueue::most_held() const {
  const Lock lock(mutex_);
  return most_held_;
}

/// Until the end of the queue.
void BackgroundQueue::work() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !actions_.empty(); });
    if (ends_) return;
    run_first(lock);
  }
}

void BackgroundQueue::run_first(Lock& lock) {
  const bool drop = failure_.has_value();
  std::function<void()> run = std::move(actions_.front().run);
  std::optional<Error> error;
  lock.unlock();
  if (!drop) error = error_of("work in the background", run);
  run = nullptr;  // frees what it holds
  lock.lock();
  ++finished_;
  if (error) failure_.emplace(Failure{finished_, std::move(*error)});
  held_ -= actions_.front().bytes;
  actions_.pop_front();
  changed_.notify_all();
}

}  // namespace op2::core
