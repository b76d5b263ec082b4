// SPDX-License-Identifier: BSD-3-Clause
// N ranks as N threads of one process: the message layer of the tests.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <comm/messages/communicator.hpp>

namespace op2::comm {

struct FakeOptions {
  /// Deliver nothing before `wait` or the last possible `test`, so that code which reads halos too
  /// early computes with what was there before.
  bool late_delivery = true;
  double seconds_before_mismatch = 20;  ///< a wait that lasts longer is one that never ends
  /// If not null: per rank, the bytes that it has handed to the message layer
  /// in reductions.
  std::vector<std::int64_t>* reduced_bytes = nullptr;
  /// If not null: per rank, how often it has called another collective.
  std::vector<std::int64_t>* other_collectives = nullptr;
};

/// Runs `program` once per rank, each on a separate thread, and returns when all have ended.
/// Rethrows the first error in time; it makes the other ranks' waits throw too.
void run_fake_ranks(int ranks, const std::function<void(Communicator&)>& program,
                    const FakeOptions& options = {});

}  // namespace op2::comm
