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
  others_.actions.push_back({held, std::move(action)});
  held_ += held;
  most_held_ = std::max(most_held_, held_);
  const Ticket ticket = ++others_.pushed;
  changed_.notify_all();
  if (bytes > most_bytes_) changed_.wait(lock, [&] { return others_.finished >= ticket; });
  return ticket;
}

BackgroundQueue::Ticket BackgroundQueue::push_urgent(std::function<void()> action) {
  const Lock lock(mutex_);
  urgent_.actions.push_back({0, std::move(action)});
  changed_.notify_all();
  return ++urgent_.pushed;
}

bool BackgroundQueue::urgent_is_finished(Ticket ticket) const {
  const Lock lock(mutex_);
  return urgent_.finished >= ticket;
}

bool BackgroundQueue::is_finished(Ticket ticket) const {
  const Lock lock(mutex_);
  return others_.finished >= ticket;
}

void BackgroundQueue::wait() {
  Lock lock(mutex_);
  changed_.wait(lock, [&] { return is_empty(); });
}

BackgroundQueue::Progress BackgroundQueue::take_progress() {
  Lock lock(mutex_);
  if (urgent_.failure || others_.failure)
    changed_.wait(lock, [&] { return is_empty(); });  // what is to be dropped is dropped
  return {others_.finished, std::exchange(others_.failure, std::nullopt),
          std::exchange(urgent_.failure, std::nullopt)};
}

std::int64_t BackgroundQueue::most_held() const {
  const Lock lock(mutex_);
  return most_held_;
}

/// Until the end of the queue.
void BackgroundQueue::work() {
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !is_empty(); });
    if (ends_) return;
    run_first(urgent_.actions.empty() ? others_ : urgent_, lock);
  }
}

void BackgroundQueue::run_first(Lane& lane, Lock& lock) {
  const bool drop = lane.failure || urgent_.failure;
  std::function<void()> run = std::move(lane.actions.front().run);
  std::optional<Error> error;
  lock.unlock();
  if (!drop) error = error_of("work in the background", run);
  run = nullptr;  // frees what it holds
  lock.lock();
  ++lane.finished;
  if (error) lane.failure.emplace(Failure{lane.finished, std::move(*error)});
  held_ -= lane.actions.front().bytes;
  lane.actions.pop_front();
  changed_.notify_all();
}

}  // namespace op2::core
