// SPDX-License-Identifier: BSD-3-Clause
// Linked into a program of the tests, this replaces the library's choice: the CPU, on which rank 1
// cannot prepare the second plan that it gets. What it lacks depends on what it owns, so no other
// rank knows.
#include <comm/halo/distributed_mesh.hpp>
#include <core/error.hpp>
#include <core/measurements/measurements.hpp>
#include <sched/executor/cpu/executor.hpp>
#include <sched/executor/executor.hpp>

namespace op2::sched {
namespace {

class RefusingExecutor : public CpuExecutor {
 public:
  explicit RefusingExecutor(const Resources& r)
      : CpuExecutor(r.options, r.topology, r.pool, r.rows, r.measurements.listeners),
        refuses_(r.rows.communicator().rank() == 1) {}

  std::unique_ptr<PreparedPlan> prepare(const Plan& plan, bool repeats) override {
    if (refuses_ && ++plans_ == 2) core::fail(ErrorCode::too_large, "too many increments: planted");
    return CpuExecutor::prepare(plan, repeats);
  }

 private:
  bool refuses_;
  int plans_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_executor(const Resources& resources) {
  return std::make_unique<RefusingExecutor>(resources);
}

}  // namespace op2::sched
