// SPDX-License-Identifier: BSD-3-Clause
#include "work_queues.hpp"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace op2::test::gpu {

Schedule parse_schedule(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, Order>, 5> names{{{"eager", Order::eager},
                                                                     {"lazy", Order::lazy},
                                                                     {"others", Order::others},
                                                                     {"reversed", Order::reversed},
                                                                     {"random", Order::random}}};
  const std::size_t colon = text.find(':');
  for (const auto& [name, order] : names) {
    if (text.substr(0, colon) != name) continue;
    if (colon == std::string::npos) return {order};
    if (order == Order::random)
      return {order, static_cast<unsigned>(std::stoul(text.substr(colon + 1)))};
  }
  throw std::invalid_argument("the order of a device is not known: " + text);
}

std::size_t WorkQueues::add_stream() {
  queues_.emplace_back();
  return queues_.size() - 1;
}

void WorkQueues::add(std::size_t stream, std::function<void()> work) {
  put(stream, {std::move(work), {}});
}

void WorkQueues::add_dependency(std::size_t stream, Position before) {
  put(stream, {[] {}, {before}});
}

void WorkQueues::put(std::size_t stream, Item item) {
  queues_[stream].items.push_back(std::move(item));
  ++queues_[stream].added;
  if (order_ == Order::eager) run_until(position(stream));
  if (order_ == Order::random) run_burst();
}

void WorkQueues::run_next(Queue& queue) {
  const Item item = std::move(queue.items.front());
  queue.items.pop_front();
  ++queue.begun;
  for (const Position& before : item.after) run_until(before);
  try {
    item.work();
  } catch (...) {
    drop();
    throw;
  }
}

void WorkQueues::drop() {
  for (Queue& queue : queues_) {
    queue.items.clear();
    queue.begun = queue.added;
  }
}

void WorkQueues::run_until(Position position) {
  Queue& queue = queues_[position.stream];
  while (queue.begun < position.items && !queue.items.empty()) run_next(queue);
}

void WorkQueues::run_others(std::size_t stream) {
  for (std::size_t k = 0; k < queues_.size(); ++k) {
    const std::size_t other = order_ == Order::reversed ? queues_.size() - 1 - k : k;
    if (other != stream) run_until(position(other));
  }
}

void WorkQueues::run_burst() {
  if (dice_() % 3 != 0) return;
  Queue& queue = queues_[dice_() % queues_.size()];
  while (!queue.items.empty() && dice_() % 4 != 0) run_next(queue);
}

bool WorkQueues::poll(Position position) {
  Queue& queue = queues_[position.stream];
  if (queue.begun >= position.items) return true;
  run_next(queue);
  return false;
}

void WorkQueues::finish(Position position) {
  if (order_ == Order::others || order_ == Order::reversed) run_others(position.stream);
  if (order_ == Order::random) run_burst();
  run_until(position);
}

void WorkQueues::finish_all() {
  for (std::size_t k = 0; k < queues_.size(); ++k) {
    const std::size_t stream = order_ == Order::reversed ? queues_.size() - 1 - k : k;
    finish(position(stream));
  }
}

}  // namespace op2::test::gpu
