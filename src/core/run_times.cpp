// SPDX-License-Identifier: BSD-3-Clause
#include <core/run_times.hpp>

#include <algorithm>
#include <map>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace op2::core {
namespace {

using nlohmann::json;

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
  std::size_t of(const std::string& name, std::string Row::*field) {
    const auto found = std::ranges::find(all, name, field);
    if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
    all.emplace_back().*field = name;
    seen.push_back(0);
    return all.size() - 1;
  }
};

void add_region(Rows<RegionRow>& rows, const json& region, int ranks) {
  const std::size_t k = rows.of(region[0], &RegionRow::region);
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

void put(const char* name, const Spread& spread, json& row) {
  row[name] = spread.most;
  row[fmt::format("{}_mean", name)] = spread.mean;
  row[fmt::format("{}_min", name)] = spread.least;
}

}  // namespace

std::string times_of_rank(Profile& profile, std::span<const MemoryUse> memory) {
  json parts_of_rank = json::array(), regions_of_rank = json::array();
  json memory_of_rank = json::array();
  for (const MemoryUse& use : memory) memory_of_rank.push_back({use.what, use.bytes});
  const auto part_times = profile.part_times();
  double wall = 0;
  for (const PartTime& part : part_times) {
    parts_of_rank.push_back({part.entries, part.seconds});
    wall += part.seconds;
  }
  for (const Region& r : regions_by_path(profile.regions()))
    regions_of_rank.push_back({r.path, r.calls, r.loops, r.seconds, r.executing, r.loop_seconds});
  return json{{"wall", wall},
              {"parts", parts_of_rank},
              {"regions", regions_of_rank},
              {"memory", memory_of_rank}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

RunTimes times_of_run(std::span<const std::string> texts) {
  RunTimes times;
  const auto ranks = static_cast<int>(texts.size());
  times.compared = texts.size() > 1;
  times.parts.resize(parts);
  Rows<RegionRow> regions;
  Rows<MemoryRow> memory;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const json given = json::parse(texts[rank]);
    add(times.wall, given["wall"], static_cast<int>(rank), ranks);
    for (std::size_t k = 0; k < parts; ++k) {
      PartRow& row = times.parts[k];
      row.part = name_of(static_cast<Part>(k));
      row.entries = std::max(row.entries, given["parts"][k][0].get<std::int64_t>());
      add(row.seconds, given["parts"][k][1], static_cast<int>(rank), ranks);
    }
    for (const json& region : given["regions"]) add_region(regions, region, ranks);
    for (const json& use : given["memory"]) {
      const std::size_t k = memory.of(use[0], &MemoryRow::memory);
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

void put_times(const RunTimes& times, json& table) {
  if (times.parts.empty()) return;
  put("wall_seconds", times.wall, table);
  json& part_rows = table["parts"] = json::array();
  for (const PartRow& row : times.parts)
    put("seconds", row.seconds,
        part_rows.emplace_back(json{{"part", row.part}, {"entries", row.entries}}));
  json& memory_rows = table["memory"] = json::array();
  for (const MemoryRow& row : times.memory)
    put("bytes", row.bytes, memory_rows.emplace_back(json{{"memory", row.memory}}));
  json& region_rows = table["regions"] = json::array();
  for (const RegionRow& row : times.regions) {
    json& made = region_rows.emplace_back(
        json{{"region", row.region}, {"calls", row.calls}, {"loops", row.loops}});
    put("seconds", row.seconds, made);
    put("executing", row.executing, made);
    put("loop_seconds", row.loop_seconds, made);
  }
}

}  // namespace op2::core
