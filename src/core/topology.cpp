// SPDX-License-Identifier: BSD-3-Clause
#include <core/topology.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>

namespace op2::core {
namespace {

namespace fs = std::filesystem;

/// Cores that the same processes may use, in the order of the first of these.
struct SharedCores {
  std::vector<std::size_t> users;
  std::vector<int> cores;
};

std::span<const int> cores_of(const Topology& topology) {
  return std::span(topology.processors).first(static_cast<std::size_t>(topology.cores));
}

/// Those of few users first, so that the others can make up for what they lack there.
std::vector<SharedCores> shared_cores(const std::vector<Topology>& all) {
  std::map<int, std::vector<std::size_t>> users;
  std::vector<int> order;
  for (std::size_t process = 0; process < all.size(); ++process)
    for (const int core : cores_of(all[process])) {
      auto& list = users[core];
      if (list.empty()) order.push_back(core);
      list.push_back(process);
    }
  std::map<std::vector<std::size_t>, std::size_t> known;
  std::vector<SharedCores> parts;
  for (const int core : order) {
    const auto [part, is_new] = known.try_emplace(users[core], parts.size());
    if (is_new) parts.push_back({users[core], {}});
    parts[part->second].cores.push_back(core);
  }
  std::ranges::stable_sort(parts, {}, [](const SharedCores& part) { return part.users.size(); });
  return parts;
}

/// Of each process, by its quota.
std::vector<std::size_t> most_cores(const std::vector<Topology>& all) {
  std::map<std::uint64_t, int> sharers;
  for (const Topology& process : all)
    if (process.quota.processors > 0) ++sharers[process.quota.group];
  std::vector<std::size_t> most;
  for (const Topology& process : all)
    most.push_back(process.quota.processors == 0
                       ? std::numeric_limits<std::size_t>::max()
                       : static_cast<std::size_t>(
                             std::max(1, process.quota.processors / sharers[process.quota.group])));
  return most;
}

/// Gives each core of the part to the user that has the fewest so far; neighbours stay together.
void divide(const SharedCores& part, const std::vector<std::size_t>& most,
            std::vector<std::vector<int>>& shares) {
  std::vector<std::size_t> more(part.users.size(), 0);
  for (std::size_t core = 0; core < part.cores.size(); ++core) {
    std::optional<std::size_t> poorest;
    const auto count = [&](std::size_t k) { return shares[part.users[k]].size() + more[k]; };
    for (std::size_t k = 0; k < part.users.size(); ++k)
      if (count(k) < most[part.users[k]] && (!poorest || count(k) < count(*poorest))) poorest = k;
    if (!poorest) break;
    ++more[*poorest];
  }
  auto next = part.cores.begin();
  for (std::size_t k = 0; k < part.users.size(); ++k) {
    const auto end = next + static_cast<std::ptrdiff_t>(more[k]);
    shares[part.users[k]].insert(shares[part.users[k]].end(), next, end);
    next = end;
  }
}

bool may_use_the_same(const Topology& a, const Topology& b) {
  return std::ranges::equal(cores_of(a), cores_of(b)) && a.quota.group == b.quota.group;
}

/// The cores of each process.
std::vector<std::vector<int>> divided(const std::vector<Topology>& all) {
  std::vector<std::vector<int>> shares(all.size());
  const auto most = most_cores(all);
  for (const SharedCores& part : shared_cores(all)) divide(part, most, shares);
  std::vector<std::vector<int>> even = shares;
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::size_t alike = 0;  // before this one
    for (std::size_t other = 0; other < all.size(); ++other) {
      if (!may_use_the_same(all[k], all[other])) continue;
      alike += other < k ? 1 : 0;
      if (shares[other].size() < even[k].size()) even[k].resize(shares[other].size());
    }
    if (even[k].empty())  // more processes than cores
      even[k] = {all[k].processors[alike % static_cast<std::size_t>(all[k].cores)]};
  }
  return even;
}

/// Of one of its cores.
int cache_above(const Topology& topology, int core) {
  if (topology.cache_of.empty()) return 0;
  return topology.cache_of[static_cast<std::size_t>(std::ranges::find(topology.processors, core) -
                                                    topology.processors.begin())];
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

/// Whether a line of /proc/self/cgroup is of the controller "cpu" or of version 2.
bool limits_time(std::string_view controllers) {
  if (controllers.empty()) return true;
  const std::string list = fmt::format(",{},", controllers);
  return list.find(",cpu,") != std::string::npos;
}

}  // namespace

Topology share_of(const std::vector<Topology>& all, std::size_t mine) {
  const auto shares = divided(all);
  const Topology& process = all[mine];
  Topology share = process;
  share.processors = shares[mine];
  share.cores = static_cast<int>(share.processors.size());
  share.cache_of.clear();
  for (const int core : share.processors) share.cache_of.push_back(cache_above(process, core));
  std::int64_t sharers = 0;
  for (std::size_t other = 0; other < all.size(); ++other)
    sharers += std::ranges::any_of(shares[other], [&](int core) {
      return cache_above(all[other], core) == share.cache_of.front();
    });
  share.caches.shared /= sharers;
  if (all.size() == 1 && share.cores == process.cores) share.processors = process.processors;
  return share;
}

Quota quota_of_process(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  std::optional<double> least;
  std::string where;
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!limits_time(controllers)) continue;
    for (fs::path group = line.substr(second + 1);; group = group.parent_path()) {
      for (const char* mount : {"", "/unified", "/cpu", "/cpu,cpuacct"}) {
        const fs::path folder = fs::path(root + "/sys/fs/cgroup" + mount) / group.relative_path();
        const auto limit = limit_of(folder);
        if (!limit || (least && *least <= *limit)) continue;
        least = limit;
        where = folder.string();
      }
      if (!group.has_relative_path()) break;
    }
  }
  if (!least) return {};
  std::error_code none;
  const fs::path names = fs::read_symlink(root + "/proc/self/ns/cgroup", none);
  return {std::max(1, static_cast<int>(*least)), std::hash<std::string>()(where + names.string())};
}

std::vector<int> processors_of_openmp() {
  const auto function = [](const char* name) { return ::dlsym(RTLD_DEFAULT, name); };
  const auto places = reinterpret_cast<int (*)()>(function("omp_get_num_places"));
  const auto count = reinterpret_cast<int (*)(int)>(function("omp_get_place_num_procs"));
  const auto list = reinterpret_cast<void (*)(int, int*)>(function("omp_get_place_proc_ids"));
  std::vector<int> processors;
  if (places == nullptr || count == nullptr || list == nullptr) return processors;
  for (int place = 0; place < places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(std::max(0, count(place))));
    list(place, ids.data());
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
