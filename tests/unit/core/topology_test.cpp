// SPDX-License-Identifier: BSD-3-Clause
#include <core/topology.hpp>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <support/temporary_directory.hpp>

namespace op2::core {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t MiB = std::int64_t{1} << 20;

/// A process that may use cores from `first` on, each with one processor.
Topology process_on(int first, int cores) {
  Topology topology{{}};
  for (int core = first; core < first + cores; ++core) topology.cores.push_back({core});
  return topology;
}

std::vector<std::vector<int>> shares(const std::vector<Topology>& all) {
  std::vector<std::vector<int>> processors;
  for (std::size_t k = 0; k < all.size(); ++k) processors.push_back(share_of(all, k).processors());
  return processors;
}

std::vector<int> threads(const std::vector<Topology>& all) {
  std::vector<int> numbers;
  for (std::size_t k = 0; k < all.size(); ++k) numbers.push_back(share_of(all, k).threads());
  return numbers;
}

TEST(ShareOfMachine, OfProcessesThatMayUseTheSameCoresIsEven) {
  EXPECT_THAT(shares({process_on(0, 8), process_on(0, 8)}),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
  EXPECT_THAT(shares(std::vector(3, process_on(0, 8))),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5)));
}

TEST(ShareOfMachine, CountsCoresAndKeepsTheirSiblings) {
  const Topology process{{{0, 0, {1}}, {2, 0, {3}}, {4, 0, {5}}, {6, 0, {7}}}};
  EXPECT_THAT(shares({process}), ElementsAre(ElementsAre(0, 2, 4, 6, 1, 3, 5, 7)));
  EXPECT_THAT(shares({process, process}),
              ElementsAre(ElementsAre(0, 2, 1, 3), ElementsAre(4, 6, 5, 7)));
  EXPECT_THAT(threads({process, process}), ElementsAre(2, 2));
}

TEST(ShareOfMachine, OfProcessesBoundToSocketsKeepsTheSiblings) {
  const Topology first{{{0, 0, {4}}, {1, 0, {5}}}}, second{{{2, 0, {6}}, {3, 0, {7}}}};
  EXPECT_THAT(shares({first, second}),
              ElementsAre(ElementsAre(0, 1, 4, 5), ElementsAre(2, 3, 6, 7)));
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

TEST(ShareOfMachine, HasAThreadForEachCoreWithoutAQuotaThatIsLess) {
  Topology limited = process_on(0, 8);
  limited.quotas = {{8, 7}};
  EXPECT_EQ(share_of({limited}, 0).limit, 0);
  limited.quotas = {{4, 7}};
  EXPECT_EQ(share_of({limited}, 0).limit, 4);
  EXPECT_THAT(threads({limited, process_on(0, 8)}), ElementsAre(4, 4));
}

TEST(ShareOfMachine, OfAQuotaLimitsThreadsAndLeavesTheCores) {
  Topology limited = process_on(0, 8);
  limited.quotas = {{4, 7}};
  EXPECT_THAT(threads({limited, limited}), ElementsAre(2, 2));
  EXPECT_THAT(shares({limited, limited}), Each(SizeIs(8)));
  Topology other = limited;
  other.quotas = {{1, 8}};  // of another container
  EXPECT_THAT(threads({limited, other}), ElementsAre(4, 1));
}

TEST(ShareOfMachine, KeepsTheQuotasOfAllGroupsAbove) {
  std::vector<Topology> tasks(2, process_on(0, 8));
  tasks[0].quotas = {{4, 1}, {4, 7}};  // a task's own and its job's
  tasks[1].quotas = {{4, 2}, {4, 7}};
  EXPECT_THAT(threads(tasks), ElementsAre(2, 2));
  tasks[1].quotas.front().processors = 1;
  EXPECT_THAT(threads(tasks), ElementsAre(2, 1));
}

TEST(ShareOfMachine, DividesACacheByTheProcessesBelowIt) {
  std::vector<Topology> all{process_on(0, 4), process_on(0, 4), process_on(4, 4)};
  for (Topology& process : all) process.caches.shared = 32 * MiB;
  for (Core& core : all[2].cores) core.cache = 4;
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
      ASSERT_GE(share.threads(), 1);
      const std::vector<int> allowed = all[k].processors();
      for (const int core : share.processors()) {
        ASSERT_THAT(allowed, Contains(core));
        used.insert(core);
      }
    }
    // Each may use at least 4 cores; at most 6 processes do, of which some may have the same 4.
    const bool is_crowded = all.size() > 4;
    for (const int core : used) ASSERT_TRUE(is_crowded || used.count(core) == 1) << round;
  }
}

/// Files of the system below a folder that stands for /.
struct FilesOfSystem : testing::Test {
  test::TemporaryDirectory root;

  void file(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = root.path().string() + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text << '\n';
  }
};

struct ControlGroups : FilesOfSystem {
  std::vector<int> quotas() {
    std::vector<int> processors;
    for (const Quota& quota : quotas_of_process(root.path().string()))
      processors.push_back(quota.processors);
    return processors;
  }
};

TEST_F(ControlGroups, WithoutALimitGiveNoQuota) {
  EXPECT_THAT(quotas(), IsEmpty());
  file("/proc/self/cgroup", "0::/job/step");
  file("/sys/fs/cgroup/job/step/cpu.max", "max 100000");
  EXPECT_THAT(quotas(), IsEmpty());
}

TEST_F(ControlGroups, OfVersion2GiveTheQuotasOfAllAbove) {
  file("/proc/self/cgroup", "0::/job/step");
  file("/sys/fs/cgroup/job/step/cpu.max", "800000 100000");
  file("/sys/fs/cgroup/job/cpu.max", "250000 100000");
  EXPECT_THAT(quotas(), ElementsAre(8, 2));
}

TEST_F(ControlGroups, OfVersion1GiveTheirQuota) {
  file("/proc/self/cgroup", "4:memory:/x\n3:cpu,cpuacct:/docker/a\n2:cpuset:/y");
  file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000");  // as a container sees its own
  file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  EXPECT_THAT(quotas(), ElementsAre(3));
  file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  EXPECT_THAT(quotas(), IsEmpty());
}

TEST_F(ControlGroups, OfLessThanAProcessorCountAsOne) {
  file("/proc/self/cgroup", "0::/");
  file("/sys/fs/cgroup/cpu.max", "50000 100000");
  EXPECT_THAT(quotas(), ElementsAre(1));
}

TEST_F(ControlGroups, OfTasksDifferAndTheGroupAboveIsTheSame) {
  for (const char* group : {"/job", "/job/task_0", "/job/task_1"})
    file(fmt::format("/sys/fs/cgroup{}/cpu.max", group), "400000 100000");
  std::vector<std::vector<Quota>> tasks;
  for (const char* task : {"0::/job/task_0", "0::/job/task_1"}) {
    file("/proc/self/cgroup", task);
    tasks.push_back(quotas_of_process(root.path().string()));
    ASSERT_THAT(tasks.back(), SizeIs(2));
  }
  EXPECT_NE(tasks[0].front().group, tasks[1].front().group);
  EXPECT_EQ(tasks[0].back().group, tasks[1].back().group);
  std::vector<Topology> all(2, process_on(0, 8));
  for (std::size_t k = 0; k < 2; ++k) all[k].quotas = tasks[k];
  EXPECT_THAT(threads(all), ElementsAre(2, 2));
}

/// Each container shows its own group at the same path, while /proc shows that of the machine.
TEST_F(ControlGroups, OfContainersDifferWhereTheyHaveTheSamePath) {
  std::vector<std::uint64_t> groups;
  for (const char* container : {"/a", "/b"}) {
    file(std::string(container) + "/proc/self/cgroup", "0::/docker/x");
    file(std::string(container) + "/sys/fs/cgroup/cpu.max", "400000 100000");
    const auto quotas = quotas_of_process(root.path().string() + container);
    ASSERT_THAT(quotas, SizeIs(1));
    groups.push_back(quotas.front().group);
  }
  EXPECT_NE(groups[0], groups[1]);
  std::filesystem::create_directory_symlink(root.path() / "a", root.path() / "c");
  EXPECT_EQ(quotas_of_process((root.path() / "c").string()).front().group, groups[0]);
}

using Cores = FilesOfSystem;

TEST_F(Cores, AreToldByTheSystem) {
  for (int processor = 0; processor < 4; ++processor)
    file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", processor),
         fmt::format("{},{}", processor % 2, processor % 2 + 2));
  const auto processors = [&](const std::vector<int>& allowed) {
    return Topology{cores_with(allowed, root.path().string())}.processors();
  };
  EXPECT_EQ(cores_with({0, 1, 2, 3}, root.path().string()).size(), 2U);
  EXPECT_THAT(processors({0, 1, 2, 3}), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(cores_with({1, 2, 3}, root.path().string()).size(), 2U);
  EXPECT_THAT(processors({1, 2, 3}), ElementsAre(1, 2, 3));
  EXPECT_EQ(cores_with({7, 8}, root.path().string()).size(), 2U) << "of which nothing is told";
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
