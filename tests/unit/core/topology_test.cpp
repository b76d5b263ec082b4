// SPDX-License-Identifier: BSD-3-Clause
#include <core/topology.hpp>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include <support/temporary_directory.hpp>

namespace op2::core {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t MiB = std::int64_t{1} << 20;

/// A process that may use cores from `first` on, each with one processor.
Topology process_on(int first, int cores) {
  Topology topology{std::vector<int>(static_cast<std::size_t>(cores)), cores};
  std::iota(topology.processors.begin(), topology.processors.end(), first);
  topology.cache_of.assign(topology.processors.size(), 0);
  return topology;
}

std::vector<std::vector<int>> shares(const std::vector<Topology>& all) {
  std::vector<std::vector<int>> processors;
  for (std::size_t k = 0; k < all.size(); ++k) processors.push_back(share_of(all, k).processors);
  return processors;
}

TEST(ShareOfMachine, OfProcessesThatMayUseTheSameCoresIsEven) {
  EXPECT_THAT(shares({process_on(0, 8), process_on(0, 8)}),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
  EXPECT_THAT(shares(std::vector(3, process_on(0, 8))),
              ElementsAre(ElementsAre(0, 1), ElementsAre(3, 4), ElementsAre(6, 7)));
}

TEST(ShareOfMachine, CountsCoresAndNotTheirSiblings) {
  Topology process{{0, 2, 4, 6, 1, 3, 5, 7}, 4};
  EXPECT_THAT(shares({process, process}), ElementsAre(ElementsAre(0, 2), ElementsAre(4, 6)));
  EXPECT_EQ(share_of({process}, 0).processors, process.processors);
}

TEST(ShareOfMachine, OfBoundProcessesIsWhatEachIsBoundTo) {
  EXPECT_THAT(shares({process_on(0, 2), process_on(2, 2), process_on(4, 1)}),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4)));
}

TEST(ShareOfMachine, OfProcessesBoundToSocketsIsAnEvenPartOfTheirSocket) {
  EXPECT_THAT(
      shares({process_on(0, 4), process_on(4, 4), process_on(0, 4), process_on(4, 4)}),
      ElementsAre(ElementsAre(0, 1), ElementsAre(4, 5), ElementsAre(2, 3), ElementsAre(6, 7)));
}

TEST(ShareOfMachine, LeavesCoresToTheProcessThatHasNoOthers) {
  EXPECT_THAT(shares({process_on(0, 8), process_on(0, 2)}),
              ElementsAre(ElementsAre(2, 3, 4, 5, 6, 7), ElementsAre(0, 1)));
}

TEST(ShareOfMachine, IsOneCoreAtLeast) {
  EXPECT_THAT(shares(std::vector(3, process_on(4, 2))),
              ElementsAre(ElementsAre(4), ElementsAre(5), ElementsAre(4)));
}

TEST(ShareOfMachine, KeepsTheQuotaOfAControlGroup) {
  Topology limited = process_on(0, 8);
  limited.quota = {4, 7};
  EXPECT_THAT(shares({limited}), ElementsAre(ElementsAre(0, 1, 2, 3)));
  EXPECT_THAT(shares({limited, limited}), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  Topology other = limited;
  other.quota = {1, 8};  // of another container
  EXPECT_EQ(share_of({limited, other}, 0).cores, 4);
  EXPECT_EQ(share_of({limited, other}, 1).cores, 1);
}

TEST(ShareOfMachine, DividesACacheByTheProcessesBelowIt) {
  std::vector<Topology> all{process_on(0, 4), process_on(0, 4), process_on(4, 4)};
  for (Topology& process : all) process.caches.shared = 32 * MiB;
  all[2].cache_of.assign(4, 4);
  EXPECT_EQ(share_of(all, 0).caches.shared, 16 * MiB);
  EXPECT_EQ(share_of(all, 1).caches.shared, 16 * MiB);
  EXPECT_EQ(share_of(all, 2).caches.shared, 32 * MiB);
}

TEST(ShareOfMachine, OfAnyProcessesIsDisjointWhereThereAreEnoughCores) {
  std::mt19937 random(1);
  const auto draw = [&](int most) {
    return 1 + static_cast<int>(random() % static_cast<unsigned>(most));
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<Topology> all;
    for (int k = draw(6); k > 0; --k) all.push_back(process_on(4 * (draw(8) - 1), 4 * draw(6)));
    std::multiset<int> used;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Topology share = share_of(all, k);
      ASSERT_GE(share.cores, 1);
      ASSERT_EQ(share.processors.size(), share.cache_of.size());
      for (const int core : share.processors) {
        ASSERT_NE(std::ranges::find(all[k].processors, core), all[k].processors.end());
        used.insert(core);
      }
    }
    // Each may use at least 4 cores; at most 6 processes do, of which some may have the same 4.
    const bool is_crowded = all.size() > 4;
    for (const int core : used) ASSERT_TRUE(is_crowded || used.count(core) == 1) << round;
  }
}

/// Files of control groups below a folder that stands for /.
struct ControlGroups : testing::Test {
  test::TemporaryDirectory root;

  void file(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = root.path().string() + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text << '\n';
  }
  Quota quota() { return quota_of_process(root.path().string()); }
};

TEST_F(ControlGroups, WithoutALimitGiveNoQuota) {
  EXPECT_EQ(quota().processors, 0);
  file("/proc/self/cgroup", "0::/job/step");
  file("/sys/fs/cgroup/job/step/cpu.max", "max 100000");
  EXPECT_EQ(quota().processors, 0);
}

TEST_F(ControlGroups, OfVersion2GiveTheLeastQuotaOfThoseAbove) {
  file("/proc/self/cgroup", "0::/job/step");
  file("/sys/fs/cgroup/job/step/cpu.max", "800000 100000");
  file("/sys/fs/cgroup/job/cpu.max", "250000 100000");
  EXPECT_EQ(quota().processors, 2);
}

TEST_F(ControlGroups, OfVersion1GiveTheirQuota) {
  file("/proc/self/cgroup", "4:memory:/x\n3:cpu,cpuacct:/docker/a\n2:cpuset:/y");
  file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000");  // as a container sees its own
  file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  EXPECT_EQ(quota().processors, 3);
  file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(quota().processors, 0);
}

TEST_F(ControlGroups, OfLessThanAProcessorCountAsOne) {
  file("/proc/self/cgroup", "0::/");
  file("/sys/fs/cgroup/cpu.max", "50000 100000");
  EXPECT_EQ(quota().processors, 1);
}

TEST_F(ControlGroups, ThatDifferHaveQuotasOfTheirOwn) {
  file("/proc/self/cgroup", "0::/a");
  file("/sys/fs/cgroup/a/cpu.max", "200000 100000");
  file("/sys/fs/cgroup/b/cpu.max", "200000 100000");
  const Quota first = quota(), again = quota();
  file("/proc/self/cgroup", "0::/b");
  EXPECT_EQ(first.group, again.group);
  EXPECT_NE(first.group, quota().group);
}

TEST(Ranges, AreWrittenShortly) {
  EXPECT_EQ(ranges_as_text({8, 0, 1, 2, 3}), "0-3,8");
  EXPECT_EQ(ranges_as_text({5}), "5");
  EXPECT_EQ(ranges_as_text({}), "");
}

TEST(OpenMp, HasNoPlacesInAProgramWithoutIt) {
  EXPECT_THAT(processors_of_openmp(), IsEmpty());
}

}  // namespace
}  // namespace op2::core
