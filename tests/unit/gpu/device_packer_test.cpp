// SPDX-License-Identifier: BSD-3-Clause
// A halo exchange of dats on emulated devices.
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include <comm/halo/halo_exchange.hpp>
#include <core/mesh.hpp>
#include <support/fake_communicator.hpp>
#include <support/gpu/device_packer.hpp>
#include <support/gpu/expect_misuse.hpp>

namespace op2::test::gpu {
namespace {

using ::testing::IsEmpty;

/// Each of two ranks owns rows 0 .. 2 of a dat on its device, sends rows 2 and 0, and has the
/// other's as rows 3 and 4. Row k of rank r is 10 r + k.
struct RankOnDevice {
  RankOnDevice(int rank, const std::string& order)
      : device({.name = "gpu" + std::to_string(rank), .schedule = parse_schedule(order)}) {
    const int other = 1 - rank;
    plan.sets[0].levels = {{{{other, 3, 2}}, {{other, {2, 0}}}}};
    mesh.use(&copies);
    const auto writer = q.rows.host_write();
    for (int k = 0; k < 5; ++k)
      reinterpret_cast<int*>(writer.get())[k] = k < 3 ? 10 * rank + k : -1;
  }
  comm::HaloMessages messages() { return halo_messages(plan, {{&q, 0, 1}}, {}); }
  core::Dat& add_dat() {
    core::Set& set = mesh.add_set({0, 3, 6}, "cells");
    set.layout = &layout;
    return mesh.add_dat(&set, 1, Type::i32, nullptr, "q", false);
  }
  /// Doubles the rows [0, rows) by a kernel.
  void launch_double(int rows) {
    std::byte* data = q.rows.device_write().get().value;
    launch(space.main_stream(), "double", {{data, q.rows.bytes(), Mode::read_write}}, [=] {
      for (int k = 0; k < rows; ++k) reinterpret_cast<int*>(data)[k] *= 2;
    });
  }
  /// Adds row 3, a ghost, to row 1.
  void launch_add() {
    std::byte* data = q.rows.device_write().get().value;
    launch(space.main_stream(), "add", {{data, q.rows.bytes(), Mode::read_write}},
           [rows = reinterpret_cast<int*>(data)] { rows[1] += rows[3]; });
  }
  std::vector<int> values() {
    const auto* rows = reinterpret_cast<const int*>(q.rows.host_read());
    return {rows, rows + 5};
  }

  Device device;
  DeviceSpace space{device};
  core::DeviceCopies copies{space};
  std::unique_ptr<core::Stream> halo = space.make_stream();
  core::Layout layout{std::vector<std::int32_t>(-core::deepest_tracked + 2, 5), {}, {}};
  core::Mesh mesh;
  core::Dat& q = add_dat();
  comm::HaloPlan plan{0, 2, std::vector<comm::IndexMap>(1), {}};
};

/// Two exchanges with kernels before and after. @return whether the values are right
bool exchange_twice(comm::Communicator& communicator, RankOnDevice& rank) {
  comm::HaloExchange exchange(communicator, rank.messages(),
                              make_device_packer({rank.space, *rank.halo}));
  for (std::uint64_t step = 0; step < 2; ++step) {
    rank.launch_double(3);
    exchange.start(step);
    exchange.finish();
    rank.launch_double(5);
    rank.launch_add();
  }
  const int mine = 10 * communicator.rank(), other = 10 - mine;
  return rank.values() == std::vector{16 * mine, 16 * (mine + 1) + 32 * (other + 2),
                                      16 * (mine + 2), 16 * (other + 2), 16 * other};
}

class DevicePacking : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Orders, DevicePacking,
                         ::testing::Values("eager", "lazy", "others", "reversed", "random:1",
                                           "random:2", "random:3"));

TEST_P(DevicePacking, MovesRowsBehindTheKernelsThatWriteAndBeforeThoseThatRead) {
  comm::run_fake_ranks(2, [](comm::Communicator& communicator) {
    RankOnDevice rank(communicator.rank(), GetParam());
    EXPECT_TRUE(exchange_twice(communicator, rank));
    EXPECT_THAT(rank.device.findings(), IsEmpty());
  });
}

TEST_P(DevicePacking, LeavesTheRowsOnTheDevice) {
  comm::run_fake_ranks(2, [](comm::Communicator& communicator) {
    RankOnDevice rank(communicator.rank(), GetParam());
    comm::HaloExchange exchange(communicator, rank.messages(),
                                make_device_packer({rank.space, *rank.halo}));
    exchange.start(1);
    exchange.finish();
    const Counters first = rank.device.counters();
    exchange.start(2);
    exchange.finish();
    const Counters& second = rank.device.counters();
    EXPECT_EQ(second.uploaded_bytes - first.uploaded_bytes, 32);  // header, two rows, padding
    EXPECT_EQ(second.downloaded_bytes - first.downloaded_bytes, 32);
    EXPECT_EQ(second.launches - first.launches, 2);
  });
}

/// Leaves out the `k`-th wait of rank 0. @return whether that is found
bool is_found_without_wait(std::int64_t k) {
  std::atomic<bool> right = true;
  try {
    comm::run_fake_ranks(2, [&](comm::Communicator& communicator) {
      RankOnDevice rank(communicator.rank(), "lazy");
      if (communicator.rank() == 0) rank.device.omissions().leave_out(Request::wait, k);
      if (!exchange_twice(communicator, rank)) right = false;
    });
  } catch (const Misuse&) {
    return true;
  }
  return !right;
}

TEST(DevicePackingMistake, ASenderThatDoesNotWaitIsFoundInEitherExchange) {
  for (const std::int64_t k : {1, 2}) EXPECT_TRUE(is_found_without_wait(k)) << k;
}

}  // namespace
}  // namespace op2::test::gpu
