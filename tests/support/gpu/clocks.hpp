// SPDX-License-Identifier: BSD-3-Clause
// What streams, events and waits of the host say about the order of work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace op2::test::gpu {

/// How much of the work of each participant (0 is the host, then the streams) is known to be over.
class Clock {
 public:
  void join(const Clock& other);
  void advance(std::size_t participant) { ++at(participant); }
  std::uint64_t of(std::size_t participant) const {
    return participant < ticks_.size() ? ticks_[participant] : 0;
  }

 private:
  std::uint64_t& at(std::size_t participant);
  std::vector<std::uint64_t> ticks_;
};

/// A call that adds work to a stream, and what comes before it.
struct Ticket {
  std::size_t participant = 0;
  std::uint64_t tick = 0;
  Clock known;

  bool is_after(const Ticket& other) const { return known.of(other.participant) >= other.tick; }
  bool is_same(const Ticket& other) const {
    return participant == other.participant && tick == other.tick;
  }
};

class Clocks {
 public:
  static constexpr std::size_t host = 0;

  void add_stream() { clocks_.emplace_back(); }
  /// A participant begins a piece of work.
  Ticket begin(std::size_t participant);
  /// What its work so far must wait for, and what it has done.
  const Clock& clock(std::size_t participant) const { return clocks_[participant]; }
  /// All later work of the participant comes after what the clock knows.
  void order_after(std::size_t participant, const Clock& clock);
  void host_waits_for_all();

 private:
  std::deque<Clock> clocks_{1};
};

}  // namespace op2::test::gpu
