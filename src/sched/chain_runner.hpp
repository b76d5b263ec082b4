// SPDX-License-Identifier: BSD-3-Clause
// Runs the chains of a plan on any executor: the two phases around a halo exchange, reductions over
// the ranks, and the rows of the per-loop table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <core/measurements/measurements.hpp>
#include <core/queue.hpp>
#include <op2/runtime.hpp>
#include <sched/executor/executor.hpp>
#include <sched/plan.hpp>

namespace op2::sched {

/// What packing has taken so far on a rank, with the sending of messages, and what unpacking has.
struct PackTimes {
  double seconds = 0, messages = 0, rows = 0;
  double unpacking_seconds = 0, bytes_received = 0;
};

class ChainRunner {
 public:
  /// All references must outlive it.
  ChainRunner(comm::Communicator& communicator, core::Measurements& measurements)
      : communicator_(communicator), measurements_(measurements) {}

  /// Executes the plan once, with the values of the queue. Collective.
  /// @param fingerprint  goes with the messages
  double run(const Plan& plan, PreparedPlan& prepared, core::Queue& queue,
             std::uint64_t fingerprint);

  const op_chain_statistics& statistics() const { return statistics_; }
  op_halo_statistics statistics_of(const core::Dat& dat) const;
  PackTimes packing() const {
    return {packing_seconds_, static_cast<double>(statistics_.messages),
            static_cast<double>(statistics_.packed_rows), unpacking_seconds_, bytes_received_};
  }

 private:
  /// What is being executed.
  struct Running {
    const Plan& plan;
    PreparedPlan& prepared;
    core::Queue& queue;
    std::size_t chain;
  };
  /// Does work that counts in a part, and is a span in a lane of the trace. @return its seconds
  template <class Work>
  double in_part(core::Part part, const char* lane, const char* what, const Work& work);
  void run_chain(const Running& r, std::uint64_t fingerprint);
  void combine_globals(const Running& r);
  void count_exchange(const Running& r);
  void send(const Running& r, std::uint64_t fingerprint);
  void receive(const Running& r);
  void reduce(const Running& r, std::size_t step);
  void finish(const Running& r, std::size_t step);
  double credit_regions(const Plan& plan, const core::Queue& queue);

  comm::Communicator& communicator_;
  core::Measurements& measurements_;
  op_chain_statistics statistics_{};
  std::vector<op_halo_statistics> exchanged_;  ///< per dat of the mesh, by its index
  double packing_seconds_ = 0, unpacking_seconds_ = 0, bytes_received_ = 0;
};

}  // namespace op2::sched
