// SPDX-License-Identifier: BSD-3-Clause
#include "clocks.hpp"

#include <algorithm>
#include <utility>

namespace op2::model {
namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

/// Packs and sends; a sender's clock is that after its last message. Messages to other nodes queue
/// at the adapter of the node in the order in which they are ready.
void Clocks::send(std::span<const PairMessage> messages, double weight,
                  std::vector<double>& arrivals) {
  struct Ready {
    double time;
    const PairMessage* message;
  };
  std::vector<double> before = now_;
  for (const PairMessage& m : messages)
    now_[at(m.from)] += static_cast<double>(m.rows) * machine_.pack_row +
                        static_cast<double>(m.bytes) * machine_.pack_byte;
  std::vector<Ready> ready;
  ready.reserve(messages.size());
  for (const PairMessage& m : messages) {
    now_[at(m.from)] += machine_.messages_per_neighbour * overhead(m);
    ready.push_back({now_[at(m.from)], &m});
  }
  if (machine_.ranks_per_node > 0)
    std::ranges::stable_sort(ready, {}, [](const Ready& some) { return some.time; });
  for (const auto& [time, message] : ready) {
    const bool near = machine_.on_one_node(message->from, message->to);
    double& line =
        near ? line_[at(message->from)] : adapter_[at(message->from / machine_.ranks_per_node)];
    const Link& over = near ? machine_.on_node : machine_.across;
    const auto bytes = static_cast<double>(message->bytes);
    const double left = std::max(line, time) + over.line_seconds(bytes);
    if (over.line_seconds(bytes) > 0) line = left;
    double& arrival = arrivals[at(message->to)];
    arrival = std::max(arrival, left + over.message(bytes).latency);
  }
  for (std::size_t rank = 0; rank < now_.size(); ++rank)
    overheads_.messages += weight * (now_[rank] - before[rank]);
}

void Clocks::run(std::span<const PairMessage> messages, const PhaseTimes& phases, double weight) {
  std::vector<double> arrivals(now_.size(), 0.0);
  std::vector<double> receiving(now_.size(), 0.0);
  std::vector<bool> receives(now_.size());
  send(messages, weight, arrivals);
  for (const PairMessage& m : messages) {
    receives[at(m.to)] = true;
    receiving[at(m.to)] += machine_.messages_per_neighbour * overhead(m) +
                           static_cast<double>(m.bytes) * machine_.unpack_byte;
  }
  for (std::size_t rank = 0; rank < now_.size(); ++rank) {
    now_[rank] += phases.interior[rank];
    unwaited_[rank] += phases.interior[rank];
    const double late = receives[rank] ? delay(rank) : 0;
    unwaited_[rank] += phases.boundary[rank];
    const double wait = std::max(0.0, arrivals[rank] - now_[rank]) + late;
    now_[rank] += wait + receiving[rank] + phases.boundary[rank];
    overheads_.waits += weight * wait;
    overheads_.messages += weight * receiving[rank];
  }
}

double Clocks::delay(std::size_t rank) {
  return machine_.disturbance * std::exchange(unwaited_[rank], 0);
}

void Clocks::reduce(std::int64_t bytes, double weight) {
  const int ranks = static_cast<int>(now_.size());
  const int on_node =
      machine_.ranks_per_node > 0 ? std::min(machine_.ranks_per_node, ranks) : ranks;
  const int nodes = (ranks + on_node - 1) / on_node;
  const auto size = static_cast<double>(bytes);
  double last = 0;
  for (std::size_t rank = 0; rank < now_.size(); ++rank)
    last = std::max(last, now_[rank] + (ranks > 1 ? delay(rank) : 0));
  const double end =
      last + machine_.node_reduction(on_node, size) + tree_seconds(nodes, machine_.across, size);
  for (double& now : now_) {
    overheads_.reductions += weight * (end - now);
    now = end;
  }
}

void Clocks::work(double seconds, double weight) {
  for (auto* clocks : {&now_, &unwaited_})
    for (double& clock : *clocks) clock += seconds;
  overheads_.host += weight * seconds * static_cast<double>(now_.size());
}

void Clocks::skip(double seconds) {
  for (auto* clocks : {&now_, &line_, &adapter_})
    for (double& clock : *clocks) clock += seconds;
}

double Clocks::slowest() const {
  return *std::ranges::max_element(now_);
}

}  // namespace op2::model
