// SPDX-License-Identifier: BSD-3-Clause
// How long parts of a flush take, for the choice of schedules.
#pragma once

#include <comm/messages/communicator.hpp>

namespace op2::sched {

/// Adds the seconds of its life, by the clock of the ranks.
class AddSeconds {
 public:
  AddSeconds(const comm::Communicator& ranks, double& sum)
      : ranks_(ranks), sum_(sum), begin_(ranks.seconds()) {}
  ~AddSeconds() { sum_ += ranks_.seconds() - begin_; }
  AddSeconds(const AddSeconds&) = delete;
  AddSeconds& operator=(const AddSeconds&) = delete;

 private:
  const comm::Communicator& ranks_;
  double& sum_;
  const double begin_;
};

}  // namespace op2::sched
