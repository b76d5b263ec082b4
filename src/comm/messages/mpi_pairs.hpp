// SPDX-License-Identifier: BSD-3-Clause
// The reduction of one block over all ranks of a communicator by messages of pairs of ranks. For so
// few bytes it takes less time than a non-blocking collective of MPI, and a block with few words is
// a short message.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include <comm/messages/mpi_calls.hpp>
#include <comm/messages/pair_turns.hpp>
#include <comm/messages/reduction_blocks.hpp>

namespace op2::comm {

/// At most one reduction is in flight. Making it is local.
class MpiPairs {
 public:
  explicit MpiPairs(MPI_Comm ranks);
  ~MpiPairs();
  MpiPairs(const MpiPairs&) = delete;
  MpiPairs& operator=(const MpiPairs&) = delete;

  void start(const ReductionBlock& mine);
  /// Makes progress; true once `result` is known.
  bool test();
  const ReductionBlock& result() const { return folded_; }

 private:
  /// Messages under way; MPI may access them after an error.
  struct Buffers {
    ShortBlock out, in;
  };
  void begin_turn();
  void end_turn();

  MPI_Comm ranks_;
  std::vector<PairTurn> turns_;
  std::size_t turn_;  ///< the one in flight; turns_.size(): none
  ReductionBlock folded_;
  std::unique_ptr<Buffers> buffers_;
  std::array<MPI_Request, 2> requests_;
};

}  // namespace op2::comm
