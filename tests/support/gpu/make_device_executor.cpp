// SPDX-License-Identifier: BSD-3-Clause
// Linked into a program of the tests, this replaces the library's choice: what would run on the CPU
// runs on an emulated device. Variables of the environment:
//   TEST_DEVICE_ORDER  order of its work; without it each rank has another one
//   TEST_DEVICE_STALE  a number k: on rank 1, what its k-th exchange has brought is not unpacked
//   TEST_DEVICE_LOST   a number k: on rank 1, the device is lost at that call
#include <array>
#include <cstdio>
#include <cstdlib>

#include <sched/executor/make_executor.hpp>
#include <sched/executor/reference/reference_executor.hpp>

#include "device_executor.hpp"
#include "device_of_thread.hpp"

namespace op2::sched {
namespace {

using namespace test::gpu;

DeviceOptions options_for(int rank) {
  constexpr std::array orders{"lazy", "others", "reversed", "random:1", "eager", "random:2"};
  const char* wanted = std::getenv("TEST_DEVICE_ORDER");
  const auto place = static_cast<std::size_t>(rank) % orders.size();
  return {.name = "gpu" + std::to_string(rank),
          .schedule = parse_schedule(wanted != nullptr ? wanted : orders[place])};
}

std::int64_t number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoll(text, nullptr, 10) : 0;
}

void plant_mistakes(Device& device, int rank) {
  if (rank != 1) return;
  device.omissions().leave_out(Request::launch, number_in("TEST_DEVICE_STALE"), "launch 'unpack'");
  device.failures().fail_at(number_in("TEST_DEVICE_LOST"), Failure::device_lost);
}

/// Ends the process if the device has found a mistake, so that nobody can overlook it.
struct OwnDevice {
  explicit OwnDevice(const DeviceOptions& options) : device(options) {}
  ~OwnDevice() {
    for (const std::string& finding : device.findings())
      std::fprintf(stderr, "%s\n", finding.c_str());
    if (!device.findings().empty()) std::abort();
  }
  Device device;
};

class ExecutorWithDevice : OwnDevice, public DeviceExecutor {
 public:
  ExecutorWithDevice(core::Grouping grouping, comm::DistributedMesh& rows)
      : OwnDevice(options_for(rows.communicator().rank())), DeviceExecutor(grouping, rows, device) {
    plant_mistakes(device, rows.communicator().rank());
  }
};

}  // namespace

std::unique_ptr<Executor> make_executor(const Resources& r) {
  if (r.options.target == core::Target::reference)
    return std::make_unique<ReferenceExecutor>(r.options, r.pool, r.rows);
  if (Device* given = DeviceOfThread::current())
    return std::make_unique<DeviceExecutor>(r.options.exchange, r.rows, *given);
  return std::make_unique<ExecutorWithDevice>(r.options.exchange, r.rows);
}

}  // namespace op2::sched
