// SPDX-License-Identifier: BSD-3-Clause
#include "clocks.hpp"

#include <algorithm>

namespace op2::test::gpu {

std::uint64_t& Clock::at(std::size_t participant) {
  if (participant >= ticks_.size()) ticks_.resize(participant + 1);
  return ticks_[participant];
}

void Clock::join(const Clock& other) {
  for (std::size_t k = 0; k < other.ticks_.size(); ++k) at(k) = std::max(at(k), other.ticks_[k]);
}

Ticket Clocks::begin(std::size_t participant) {
  clocks_[participant].advance(participant);
  Ticket ticket{participant, clocks_[participant].of(participant), clocks_[participant]};
  ticket.known.join(clocks_[host]);
  return ticket;
}

void Clocks::order_after(std::size_t participant, const Clock& clock) {
  clocks_[participant].join(clock);
}

void Clocks::host_waits_for_all() {
  for (const Clock& clock : clocks_) clocks_[host].join(clock);
}

}  // namespace op2::test::gpu
