// SPDX-License-Identifier: BSD-3-Clause
#include <sched/cost/network.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace op2::sched {
namespace {

std::size_t rank_index(int rank) {
  return static_cast<std::size_t>(rank);
}

}  // namespace

int rounds(int members) {
  return members <= 1 ? 0 : std::bit_width(static_cast<unsigned>(members - 1));
}

double tree_seconds(int members, const Link& link, double bytes) {
  const MessageSize message = link.message(bytes);
  return rounds(members) * (message.latency + 2 * message.overhead + link.line_seconds(bytes));
}

MessageSize Link::message(double bytes) const {
  if (sizes.empty()) return {bytes, latency, overhead};
  const Interpolation position = interpolation(sizes, bytes, &MessageSize::bytes);
  const MessageSize& low = sizes[position.point];
  if (position.point + 1 == sizes.size()) {
    const double more = std::max(1.0, bytes / low.bytes);
    return {bytes, more * low.latency, more * low.overhead};
  }
  const MessageSize& high = sizes[position.point + 1];
  return {bytes, position.between(low.latency, high.latency),
          position.between(low.overhead, high.overhead)};
}

double Network::node_reduction(int members, double bytes) const {
  return reduction > 0 ? rounds(members) * reduction : tree_seconds(members, on_node, bytes);
}

/// Packs and sends; a sender's clock is that after its last message. Messages to other nodes queue
/// at the adapter of the node in the order in which they are ready.
void Clocks::send(std::span<const Message> messages, double weight, std::vector<double>& arrivals) {
  struct Ready {
    double time;
    const Message* message;
  };
  std::vector<double> before = now_;
  for (const Message& m : messages)
    now_[rank_index(m.from)] += m.rows * network_.pack_row + m.bytes * network_.pack_byte;
  std::vector<Ready> ready;
  ready.reserve(messages.size());
  for (const Message& m : messages) {
    now_[rank_index(m.from)] += overhead(m);
    ready.push_back({now_[rank_index(m.from)], &m});
  }
  if (network_.ranks_per_node > 0) std::ranges::stable_sort(ready, {}, &Ready::time);
  for (const auto& [time, message] : ready) {
    const bool near = network_.on_one_node(message->from, message->to);
    double& line = near ? line_[rank_index(message->from)]
                        : adapter_[rank_index(message->from / network_.ranks_per_node)];
    const Link& over = near ? network_.on_node : network_.across;
    const double occupied = over.line_seconds(message->bytes);
    const double left = std::max(line, time) + occupied;
    if (occupied > 0) line = left;
    double& arrival = arrivals[rank_index(message->to)];
    arrival = std::max(arrival, left + over.message(message->bytes).latency);
  }
  for (std::size_t rank = 0; rank < now_.size(); ++rank)
    overheads_.messages += weight * (now_[rank] - before[rank]);
}

void Clocks::run(std::span<const Message> messages, const PhaseTimes& phases, double weight) {
  std::vector<double> arrivals(now_.size(), 0.0);
  std::vector<double> receiving(now_.size(), 0.0);
  std::vector<bool> receives(now_.size());
  send(messages, weight, arrivals);
  for (const Message& m : messages) {
    receives[rank_index(m.to)] = true;
    receiving[rank_index(m.to)] += overhead(m) + m.bytes * network_.unpack_byte;
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
  return network_.disturbance * std::exchange(unwaited_[rank], 0);
}

void Clocks::reduce(double bytes, double weight) {
  const int ranks = static_cast<int>(now_.size());
  const int on_node =
      network_.ranks_per_node > 0 ? std::min(network_.ranks_per_node, ranks) : ranks;
  const int nodes = (ranks + on_node - 1) / on_node;
  const bool waits = now_.size() > 1;
  double last = 0;
  for (std::size_t rank = 0; rank < now_.size(); ++rank)
    last = std::max(last, now_[rank] + (waits ? delay(rank) : 0));
  const double end =
      last + network_.node_reduction(on_node, bytes) + tree_seconds(nodes, network_.across, bytes);
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

}  // namespace op2::sched
