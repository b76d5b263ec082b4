// SPDX-License-Identifier: BSD-3-Clause
// Which work of a device does nothing order before the work that runs now? For work of which every
// access is seen when it runs, while streams and events say at the call what comes first.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "access_history.hpp"
#include "clocks.hpp"

namespace op2::test::gpu {

class AccessOrder {
 public:
  /// Time for the next work, which runs until the next `begin`.
  /// @param rivals  when work of the same call began that is not ordered before this one either
  void begin(const std::string& work, const Ticket& ticket,
             std::span<const std::uint64_t> rivals = {});
  Moment& moment() { return moment_; }
  const Moment& moment() const { return moment_; }
  /// Whose access that was; empty if it is long ago.
  std::string work_at(std::uint64_t time) const;

 private:
  struct Work {
    std::string name;
    Ticket ticket;
    std::uint64_t begin;
  };
  Moment moment_;
  std::deque<Work> past_;  ///< and what runs now, which is the last
};

}  // namespace op2::test::gpu
