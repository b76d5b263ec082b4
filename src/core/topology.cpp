// SPDX-License-Identifier: BSD-3-Clause
#include <core/topology.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>

namespace op2::core {
namespace {

namespace fs = std::filesystem;

/// Processes that may use the same cores.
struct Group {
  std::span<const Core> cores;
  std::vector<std::size_t> processes{};
  std::vector<Core> share{};  ///< cores of which no other group has any, unless there are too few
};

std::vector<Group> groups_of(const std::vector<Topology>& all) {
  std::vector<Group> groups;
  for (std::size_t process = 0; process < all.size(); ++process) {
    const std::span<const Core> cores = all[process].cores;
    const auto is_same = [](const Core& a, const Core& b) { return a.processor == b.processor; };
    auto group = std::ranges::find_if(groups, [&](const Group& known) {
      return std::ranges::equal(known.cores, cores, is_same);
    });
    if (group == groups.end()) group = groups.insert(group, Group{cores});
    group->processes.push_back(process);
  }
  return groups;
}

/// Gives each core to the group that has the fewest for a process so far. Cores of few groups come
/// first, so that the others can make up for what they lack there.
void divide(std::vector<Group>& groups) {
  std::map<int, std::vector<Group*>> users;  // of each core
  for (Group& group : groups)
    for (const Core& core : group.cores) users[core.processor].push_back(&group);
  std::map<const Group*, std::size_t> number;
  std::map<int, const Group*> owners;
  for (std::size_t most = 1; most <= groups.size(); ++most)
    for (const auto& [core, who] : users) {
      if (who.size() != most) continue;
      const Group* const poorest = *std::ranges::min_element(who, [&](auto* a, auto* b) {
        return number[a] * b->processes.size() < number[b] * a->processes.size();
      });
      ++number[poorest];
      owners[core] = poorest;
    }
  for (Group& group : groups) {
    for (const Core& core : group.cores)
      if (owners[core.processor] == &group) group.share.push_back(core);
    if (group.share.empty()) group.share.assign(group.cores.begin(), group.cores.end());
  }
}

/// Equally many cores for each process of the group, which are neighbours. With more processes than
/// cores they take turns.
/// @param k  which of the processes
std::span<const Core> part_of(const Group& group, std::size_t k) {
  const std::span<const Core> share = group.share;
  const std::size_t each = share.size() / group.processes.size();
  return each > 0 ? share.subspan(k * each, each) : share.subspan(k % share.size(), 1);
}

std::int64_t processes_below(int cache, const std::vector<Group>& groups) {
  std::int64_t processes = 0;
  for (const Group& group : groups)
    for (std::size_t k = 0; k < group.processes.size(); ++k)
      processes += std::ranges::count(part_of(group, k), cache, &Core::cache) > 0 ? 1 : 0;
  return processes;
}

/// Of the threads of one process.
int limit_of_quotas(const std::vector<Topology>& all, std::size_t mine) {
  int limit = std::numeric_limits<int>::max();
  for (const Quota& quota : all[mine].quotas) {
    const auto sharers = std::ranges::count_if(all, [&](const Topology& process) {
      return std::ranges::count(process.quotas, quota.group, &Quota::group) > 0;
    });
    limit = std::min(limit, std::max(1, quota.processors / static_cast<int>(sharers)));
  }
  return limit;
}

std::optional<std::int64_t> number_in(std::istream& words) {
  std::int64_t number = 0;
  return words >> number ? std::optional(number) : std::nullopt;
}

/// Processors' worth of time in one control group; nothing: no limit.
std::optional<double> limit_of(const fs::path& group) {
  if (std::ifstream both(group / "cpu.max"); both) {
    const auto quota = number_in(both), period = number_in(both);  // "max" is no number
    if (quota && period && *period > 0)
      return static_cast<double>(*quota) / static_cast<double>(*period);
    return std::nullopt;
  }
  std::ifstream of_quota(group / "cpu.cfs_quota_us"), of_period(group / "cpu.cfs_period_us");
  const auto quota = number_in(of_quota), period = number_in(of_period);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

/// The same in all containers, which see a group by different paths.
std::optional<std::uint64_t> identity_of(const fs::path& group) {
  struct stat status{};
  if (stat(group.c_str(), &status) != 0) return std::nullopt;
  return std::hash<std::string>()(fmt::format("{} {}", status.st_dev, status.st_ino));
}

/// Whether a line of /proc/self/cgroup is of the controller "cpu" or of version 2.
bool limits_time(std::string_view controllers) {
  if (controllers.empty()) return true;
  const std::string list = fmt::format(",{},", controllers);
  return list.find(",cpu,") != std::string::npos;
}

}  // namespace

int Topology::threads() const {
  return limit > 0 ? limit : static_cast<int>(cores.size());
}

int Topology::most_threads() const {
  return limit > 0 ? limit : static_cast<int>(processors().size());
}

std::vector<int> Topology::processors() const {
  std::vector<int> all;
  for (const Core& core : cores) all.push_back(core.processor);
  for (const Core& core : cores) all.insert(all.end(), core.siblings.begin(), core.siblings.end());
  return all;
}

Topology share_of(const std::vector<Topology>& all, std::size_t mine) {
  std::vector<Group> groups = groups_of(all);
  divide(groups);
  const auto place_in = [&](const Group& group) {
    return std::ranges::find(group.processes, mine) - group.processes.begin();
  };
  const Group& group = *std::ranges::find_if(
      groups, [&](const Group& any) { return place_in(any) < std::ssize(any.processes); });
  const std::span<const Core> part = part_of(group, static_cast<std::size_t>(place_in(group)));
  Topology share = all[mine];
  share.caches.shared /= processes_below(part.front().cache, groups);
  const int limit = limit_of_quotas(all, mine);
  if (limit < std::ssize(part))
    share.limit = limit;
  else
    std::erase_if(share.cores, [&](const Core& core) {
      return std::ranges::count(part, core.processor, &Core::processor) == 0;
    });
  return share;
}

std::vector<Quota> quotas_of_process(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  std::vector<Quota> quotas;
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (!limits_time(line.substr(first + 1, second - first - 1))) continue;
    for (fs::path group = line.substr(second + 1);; group = group.parent_path()) {
      for (const char* mount : {"", "/unified", "/cpu", "/cpu,cpuacct"}) {
        const fs::path folder = fs::path(root + "/sys/fs/cgroup" + mount) / group.relative_path();
        const auto limit = limit_of(folder);
        const auto identity = identity_of(folder);
        if (limit && identity) quotas.push_back({std::max(1, static_cast<int>(*limit)), *identity});
      }
      if (!group.has_relative_path()) break;
    }
  }
  return quotas;
}

std::vector<int> processors_of_thread() {
  constexpr int most = 1 << 20;
  for (int count = CPU_SETSIZE; count <= most; count *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(count), [](cpu_set_t* mask) { CPU_FREE(mask); });
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    if (set == nullptr) break;
    CPU_ZERO_S(bytes, set.get());
    if (sched_getaffinity(0, bytes, set.get()) != 0) {
      if (errno != EINVAL) break;
      continue;  // the system has more processors
    }
    std::vector<int> processors;
    for (int processor = 0; processor < count; ++processor)
      if (CPU_ISSET_S(processor, bytes, set.get())) processors.push_back(processor);
    return processors;
  }
  return {};
}

std::vector<Core> cores_with(const std::vector<int>& processors, const std::string& root) {
  std::vector<Core> cores;
  std::map<int, std::size_t> known;  // by the first processor of the core, allowed or not
  for (const int processor : processors) {
    std::ifstream siblings(fmt::format(
        "{}/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", root, processor));
    const auto first = static_cast<int>(number_in(siblings).value_or(processor));
    const auto [core, is_new] = known.try_emplace(first, cores.size());
    if (is_new)
      cores.push_back({processor});
    else
      cores[core->second].siblings.push_back(processor);
  }
  return cores;
}

std::vector<int> processors_of_openmp() {
  const auto function = [](const char* name) { return ::dlsym(RTLD_DEFAULT, name); };
  const auto places = reinterpret_cast<int (*)()>(function("omp_get_num_places"));
  const auto current = reinterpret_cast<int (*)()>(function("omp_get_place_num"));
  const auto count = reinterpret_cast<int (*)(int)>(function("omp_get_place_num_procs"));
  const auto list = reinterpret_cast<void (*)(int, int*)>(function("omp_get_place_proc_ids"));
  if (!places || !current || !count || !list) return {};
  const auto processors_of = [&](int place) {
    std::vector<int> ids(static_cast<std::size_t>(std::max(0, count(place))));
    list(place, ids.data());
    std::ranges::sort(ids);
    return ids;
  };
  const int mine = current();
  if (mine < 0 || !std::ranges::includes(processors_of(mine), processors_of_thread())) return {};
  std::vector<int> processors;
  for (int place = 0; place < places(); ++place) {
    const std::vector<int> ids = processors_of(place);
    processors.insert(processors.end(), ids.begin(), ids.end());
  }
  return processors;
}

std::string ranges_as_text(std::vector<int> numbers) {
  std::ranges::sort(numbers);
  std::string text;
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto last = first;
    while (last + 1 != numbers.end() && *(last + 1) == *last + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", *first);
    if (last != first) text += fmt::format("-{}", *last);
    first = last + 1;
  }
  return text;
}

}  // namespace op2::core
