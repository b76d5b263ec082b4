// SPDX-License-Identifier: BSD-3-Clause
#include <core/measurements/profile.hpp>

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace op2::core {
namespace {

constexpr std::array<const char*, parts> part_names{
    "program", "start", "declarations", "partition", "files",    "results",
    "loops",   "plans", "code",         "packing",   "messages", "reductions"};

}  // namespace

const char* name_of(Part part) {
  return part_names[static_cast<std::size_t>(part)];
}

Profile::Profile(const Listeners& listeners)
    : listeners_(listeners), begun_(start_.time_since_epoch().count()) {
  count(part_);
  count(Part::program);
}

std::array<PartTime, parts> Profile::part_times() {
  enter(part_);
  return times_;
}

/// Seconds until now in the parts of executing loops.
double Profile::executing() {
  double sum = 0;
  const auto all = part_times();
  for (auto k = static_cast<std::size_t>(Part::loops); k < parts; ++k) sum += all[k].seconds;
  return sum;
}

int Profile::region_named(const std::string& name) {
  const int parent = region();
  if (const auto found = known_.find({parent, name}); found != known_.end()) return found->second;
  if (regions_.size() == most_regions) return static_cast<int>(most_regions - 1);
  Region added;
  if (regions_.size() + 1 == most_regions) {
    added.name = added.path = "others";
  } else {
    const std::string& outer = regions_[static_cast<std::size_t>(parent)].path;
    added.name = name;
    added.path = outer.empty() ? name : outer + "/" + name;
    added.parent = parent;
    known_[{parent, name}] = static_cast<int>(regions_.size());
  }
  regions_.push_back(std::move(added));
  return static_cast<int>(regions_.size() - 1);
}

std::int64_t Profile::begin_region(const char* name) {
  open_.push_back({region_named(name), ++begun_, Clock::now(), executing()});
  Region& begun = regions_[static_cast<std::size_t>(region())];
  ++begun.calls;
  for (const auto& listener : listeners_) listener->region_begins(begun.name.c_str());
  return begun_;
}

bool Profile::end_region() {
  if (open_.empty()) return false;
  const Open ended = open_.back();
  open_.pop_back();
  Region& region = regions_[static_cast<std::size_t>(ended.region)];
  const auto now = Clock::now();
  region.seconds += seconds_between(ended.begin, now);
  region.executing += executing() - ended.executing;
  for (const auto& listener : listeners_) {
    listener->span("region", region.path, ended.begin, now);
    listener->region_ends(region.name.c_str());
  }
  return true;
}

void Profile::end_region(std::int64_t begun) {
  const auto is_it = [begun](const Open& open) { return open.begun == begun; };
  while (std::any_of(open_.begin(), open_.end(), is_it)) end_region();
}

std::vector<Region> Profile::regions() {
  std::vector<Region> all = regions_;
  const double now = executing();
  for (const Open& open : open_) {
    Region& region = all[static_cast<std::size_t>(open.region)];
    region.seconds += seconds_since(open.begin);
    region.executing += now - open.executing;
  }
  return all;
}

namespace {

/// Adds what one of `ranks` ranks has; `seen` had a value before.
void add(Spread& spread, double value, int seen, int ranks) {
  spread.least = seen == 0 ? value : std::min(spread.least, value);
  spread.most = std::max(spread.most, value);
  spread.mean += value / ranks;
}

/// The rows of a name, in the order of first appearance, with the ranks that have them.
template <class Row>
struct Rows {
  std::vector<Row> all;
  std::vector<int> seen;
  std::size_t position_of(const std::string& name, std::string Row::* field) {
    const auto found = std::ranges::find(all, name, field);
    if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
    all.emplace_back().*field = name;
    seen.push_back(0);
    return all.size() - 1;
  }
};

void add_region(Rows<RegionRow>& rows, const nlohmann::json& region, int ranks) {
  const std::size_t k = rows.position_of(region[0], &RegionRow::region);
  RegionRow& row = rows.all[k];
  row.calls = std::max(row.calls, region[1].get<std::int64_t>());
  row.loops = std::max(row.loops, region[2].get<std::int64_t>());
  add(row.seconds, region[3], rows.seen[k], ranks);
  add(row.executing, region[4], rows.seen[k], ranks);
  add(row.loop_seconds, region[5], rows.seen[k], ranks);
  ++rows.seen[k];
}

/// The regions, with the loops of those inside; those of one path together: a name may have a "/".
std::vector<Region> regions_by_path(std::vector<Region> regions) {
  for (std::size_t k = regions.size(); k-- > 1;) {  // outer ones come first
    Region& outer = regions[static_cast<std::size_t>(regions[k].parent)];
    if (&outer == regions.data()) continue;
    outer.loops += regions[k].loops;
    outer.loop_seconds += regions[k].loop_seconds;
  }
  std::vector<Region> sums;
  std::map<std::string, std::size_t> known;
  for (const Region& region : std::span(regions).subspan(1)) {
    const auto [found, is_new] = known.try_emplace(region.path, sums.size());
    if (is_new) {
      sums.push_back(region);
      continue;
    }
    Region& sum = sums[found->second];
    sum.calls += region.calls;
    sum.loops += region.loops;
    sum.seconds += region.seconds;
    sum.executing += region.executing;
    sum.loop_seconds += region.loop_seconds;
  }
  return sums;
}

/// The columns of a spread: on one rank there is nothing to compare.
std::string columns(const Spread& spread, bool compared) {
  if (!compared) return fmt::format(" {:>10.4f}", spread.most);
  return fmt::format(" {:>10.4f} {:>10.4f} {:>10.4f}", spread.most, spread.mean, spread.least);
}

std::string headings(const char* alone, bool compared) {
  if (!compared) return fmt::format(" {:>10}", alone);
  return fmt::format(" {:>10} {:>10} {:>10}", "most", "mean", "least");
}

std::string part_line(const char* name, const std::string& entries, const Spread& seconds,
                      const RunTimes& times) {
  const double share = times.wall.mean > 0 ? seconds.mean / times.wall.mean : 0;
  return fmt::format("{:<24} {:>9}{} {:>6.1f}%\n", name, entries, columns(seconds, times.compared),
                     100 * share);
}

std::string memory_lines(const RunTimes& times) {
  if (times.memory.empty()) return "";
  std::string text =
      fmt::format("{:<24} {:>9}{}\n", "memory in MB", "", headings("", times.compared));
  for (const MemoryRow& row : times.memory) {
    const Spread in_mb{1e-6 * row.bytes.least, 1e-6 * row.bytes.mean, 1e-6 * row.bytes.most};
    text += fmt::format("{:<24} {:>9}{}\n", row.memory, "", columns(in_mb, times.compared));
  }
  return text;
}

void put(const char* name, const Spread& spread, nlohmann::json& row) {
  row[name] = spread.most;
  row[fmt::format("{}_mean", name)] = spread.mean;
  row[fmt::format("{}_min", name)] = spread.least;
}

}  // namespace

std::string times_of_rank(Profile& profile, std::span<const MemoryUse> memory) {
  nlohmann::json parts_of_rank = nlohmann::json::array(), regions_of_rank = nlohmann::json::array();
  nlohmann::json memory_of_rank = nlohmann::json::array();
  for (const MemoryUse& use : memory) memory_of_rank.push_back({use.what, use.bytes});
  const auto part_times = profile.part_times();
  double wall = 0;
  for (const PartTime& part : part_times) {
    parts_of_rank.push_back({part.entries, part.seconds});
    wall += part.seconds;
  }
  for (const Region& r : regions_by_path(profile.regions()))
    regions_of_rank.push_back({r.path, r.calls, r.loops, r.seconds, r.executing, r.loop_seconds});
  return nlohmann::json{{"wall", wall},
                        {"parts", parts_of_rank},
                        {"regions", regions_of_rank},
                        {"memory", memory_of_rank}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RunTimes times_of_run(std::span<const std::string> texts) {
  RunTimes times;
  const auto ranks = static_cast<int>(texts.size());
  times.compared = texts.size() > 1;
  times.parts.resize(parts);
  Rows<RegionRow> regions;
  Rows<MemoryRow> memory;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const nlohmann::json given = nlohmann::json::parse(texts[rank]);
    add(times.wall, given["wall"], static_cast<int>(rank), ranks);
    for (std::size_t k = 0; k < parts; ++k) {
      PartRow& row = times.parts[k];
      row.part = name_of(static_cast<Part>(k));
      row.entries = std::max(row.entries, given["parts"][k][0].get<std::int64_t>());
      add(row.seconds, given["parts"][k][1], static_cast<int>(rank), ranks);
    }
    for (const nlohmann::json& region : given["regions"]) add_region(regions, region, ranks);
    for (const nlohmann::json& use : given["memory"]) {
      const std::size_t k = memory.position_of(use[0], &MemoryRow::memory);
      add(memory.all[k].bytes, use[1], memory.seen[k]++, ranks);
    }
  }
  std::erase_if(times.parts, [](const PartRow& row) { return row.entries == 0; });
  for (std::size_t k = 0; k < regions.all.size(); ++k)
    if (RegionRow& row = regions.all[k]; regions.seen[k] < ranks)
      row.seconds.least = row.executing.least = row.loop_seconds.least = 0;
  times.regions = std::move(regions.all);
  times.memory = std::move(memory.all);
  return times;
}

std::string times_as_text(const RunTimes& times) {
  if (times.parts.empty()) return "";
  const std::string spread = headings("seconds", times.compared);
  std::string text =
      fmt::format("{:<24} {:>9}{} {:>7}\n", "part of the wall time", "entries", spread, "share");
  for (const PartRow& row : times.parts)
    text += part_line(row.part.c_str(), std::to_string(row.entries), row.seconds, times);
  text += part_line("wall time", "", times.wall, times);
  text += memory_lines(times);
  if (times.regions.empty()) return text;
  text += fmt::format("{:<24} {:>9}{} {:>10} {:>9} {:>10}\n", "region", "calls", spread,
                      "executing", "loops", "their time");
  for (const RegionRow& row : times.regions)
    text += fmt::format("{:<24} {:>9}{} {:>10.4f} {:>9} {:>10.4f}\n", row.region, row.calls,
                        columns(row.seconds, times.compared), row.executing.mean, row.loops,
                        row.loop_seconds.mean);
  return text;
}

void put_times(const RunTimes& times, nlohmann::json& table) {
  if (times.parts.empty()) return;
  put("wall_seconds", times.wall, table);
  nlohmann::json& part_rows = table["parts"] = nlohmann::json::array();
  for (const PartRow& row : times.parts)
    put("seconds", row.seconds,
        part_rows.emplace_back(nlohmann::json{{"part", row.part}, {"entries", row.entries}}));
  nlohmann::json& memory_rows = table["memory"] = nlohmann::json::array();
  for (const MemoryRow& row : times.memory)
    put("bytes", row.bytes, memory_rows.emplace_back(nlohmann::json{{"memory", row.memory}}));
  nlohmann::json& region_rows = table["regions"] = nlohmann::json::array();
  for (const RegionRow& row : times.regions) {
    nlohmann::json& region_row = region_rows.emplace_back(
        nlohmann::json{{"region", row.region}, {"calls", row.calls}, {"loops", row.loops}});
    put("seconds", row.seconds, region_row);
    put("executing", row.executing, region_row);
    put("loop_seconds", row.loop_seconds, region_row);
  }
}

}  // namespace op2::core
