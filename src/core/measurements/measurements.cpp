// SPDX-License-Identifier: BSD-3-Clause
#include <core/measurements/measurements.hpp>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <core/text.hpp>

namespace op2::core {
namespace {

constexpr std::array part_names{"program", "start",   "declarations", "partition",
                                "files",   "results", "loops",        "plans",
                                "code",    "packing", "messages",     "reductions"};
static_assert(part_names.size() == parts);

/// Adds what one of `ranks` ranks has; `seen` had a value before.
void add(Spread& spread, double value, int seen, int ranks) {
  spread.least = seen == 0 ? value : std::min(spread.least, value);
  spread.most = std::max(spread.most, value);
  spread.mean += value / ranks;
}

/// The rows of all ranks, in the order of first appearance.
/// @param which  [name, calls, loops, value, executing, loop_seconds] for each row of a rank
std::vector<TimesRow> rows_of(std::span<const nlohmann::json> all, const char* which) {
  std::vector<TimesRow> rows;
  std::map<std::string, int> seen;  // by how many ranks
  const auto ranks = static_cast<int>(all.size());
  for (const nlohmann::json& of_rank : all)
    for (const nlohmann::json& given : of_rank[which]) {
      const std::string name = given[0];
      auto row = std::ranges::find(rows, name, &TimesRow::name);
      if (row == rows.end()) row = rows.insert(row, {.name = name});
      row->calls = std::max(row->calls, given[1].get<std::int64_t>());
      row->loops = std::max(row->loops, given[2].get<std::int64_t>());
      const int before = seen[name]++;
      add(row->value, given[3], before, ranks);
      add(row->executing, given[4], before, ranks);
      add(row->loop_seconds, given[5], before, ranks);
    }
  for (TimesRow& row : rows)
    if (seen[row.name] < ranks) row.value.least = row.executing.least = row.loop_seconds.least = 0;
  return rows;
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
  for (const TimesRow& row : times.memory) {
    const Spread in_mb{1e-6 * row.value.least, 1e-6 * row.value.mean, 1e-6 * row.value.most};
    text += fmt::format("{:<24} {:>9}{}\n", row.name, "", columns(in_mb, times.compared));
  }
  return text;
}

void put(const char* name, const Spread& spread, nlohmann::json& row) {
  row[name] = spread.most;
  row[fmt::format("{}_mean", name)] = spread.mean;
  row[fmt::format("{}_min", name)] = spread.least;
}

std::string times_as_text(const RunTimes& times) {
  if (times.parts.empty()) return "";
  const std::string spread = headings("seconds", times.compared);
  std::string text =
      fmt::format("{:<24} {:>9}{} {:>7}\n", "part of the wall time", "entries", spread, "share");
  for (const TimesRow& row : times.parts)
    text += part_line(row.name.c_str(), std::to_string(row.calls), row.value, times);
  text += part_line("wall time", "", times.wall, times);
  text += memory_lines(times);
  if (times.regions.empty()) return text;
  text += fmt::format("{:<24} {:>9}{} {:>10} {:>9} {:>10}\n", "region", "calls", spread,
                      "executing", "loops", "their time");
  for (const TimesRow& row : times.regions)
    text += fmt::format("{:<24} {:>9}{} {:>10.4f} {:>9} {:>10.4f}\n", row.name, row.calls,
                        columns(row.value, times.compared), row.executing.mean, row.loops,
                        row.loop_seconds.mean);
  return text;
}

void put_times(const RunTimes& times, nlohmann::json& table) {
  if (times.parts.empty()) return;
  put("wall_seconds", times.wall, table);
  nlohmann::json& part_rows = table["parts"] = nlohmann::json::array();
  for (const TimesRow& row : times.parts)
    put("seconds", row.value,
        part_rows.emplace_back(nlohmann::json{{"part", row.name}, {"entries", row.calls}}));
  nlohmann::json& memory_rows = table["memory"] = nlohmann::json::array();
  for (const TimesRow& row : times.memory)
    put("bytes", row.value, memory_rows.emplace_back(nlohmann::json{{"memory", row.name}}));
  nlohmann::json& region_rows = table["regions"] = nlohmann::json::array();
  for (const TimesRow& row : times.regions) {
    nlohmann::json& region_row = region_rows.emplace_back(
        nlohmann::json{{"region", row.name}, {"calls", row.calls}, {"loops", row.loops}});
    put("seconds", row.value, region_row);
    put("executing", row.executing, region_row);
    put("loop_seconds", row.loop_seconds, region_row);
  }
}

double total_seconds(const LoopTable& table) {
  const auto add = [](double sum, const LoopRow& row) { return sum + row.seconds; };
  return std::accumulate(table.rows().begin(), table.rows().end(), 0.0, add);
}

double gigabytes_per_second(const LoopRow& row) {
  return row.seconds > 0 ? row.bytes / row.seconds * 1e-9 : 0;
}
double share(const LoopRow& row, double total) {
  return total > 0 ? row.seconds / total : 0;
}

std::int64_t fused_calls(const LoopRow& row) {
  const auto add = [](std::int64_t sum, const auto& part) { return sum + part.second; };
  return std::accumulate(row.fused_in.begin(), row.fused_in.end(), std::int64_t{0}, add);
}

/// The rows that have the time of fused calls: "save+add"; of several "200 in save+add, 800 in
/// add+save".
std::string fused_in(const LoopRow& row) {
  if (row.fused_in.size() == 1) return row.fused_in.begin()->first;
  std::vector<std::string> parts;
  for (const auto& [name, calls] : row.fused_in)
    parts.push_back(fmt::format("{} in {}", calls, name));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// "-" if they are not known.
std::string gigaflops_per_second(const LoopRow& row) {
  if (row.uncounted > 0 || row.seconds <= 0) return "-";
  return fmt::format("{:.2f}", row.flops / row.seconds * 1e-9);
}

/// ", key 364b6e04469d": as op2-jitinspect takes them.
std::string short_keys_of(const LoopRow& row) {
  constexpr std::size_t digits = 12;
  std::vector<std::string> keys;
  for (const std::string& key : row.keys) keys.push_back(key.substr(0, digits));
  if (keys.empty()) return "";
  return fmt::format(", {} {}", keys.size() == 1 ? "key" : "keys", fmt::join(keys, " "));
}

/// What became of calls that were not executed as separate loops.
std::string remark_of(const LoopRow& row) {
  std::vector<std::string> parts;
  if (row.skipped > 0)
    parts.push_back(fmt::format("{} skipped: overwritten before use", row.skipped));
  if (row.fused_in.size() == 1)
    parts.push_back(fmt::format("{} in {}", fused_calls(row), fused_in(row)));
  else if (!row.fused_in.empty())
    parts.push_back(fused_in(row));
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, "; "));
}

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

std::string times_of_rank(Profile& profile, std::span<const MemoryUse> memory) {
  auto parts_of_rank = nlohmann::json::array(), regions_of_rank = parts_of_rank;
  auto memory_of_rank = parts_of_rank;
  for (const auto& [what, bytes] : memory) memory_of_rank.push_back({what, 0, 0, bytes, 0, 0});
  const auto part_times = profile.part_times();
  double wall = 0;
  for (std::size_t k = 0; k < parts; ++k) {
    const auto& [entries, seconds] = part_times[k];
    parts_of_rank.push_back({part_names[k], entries, 0, seconds, 0, 0});
    wall += seconds;
  }
  for (const Region& r : regions_by_path(profile.regions()))
    regions_of_rank.push_back({r.path, r.calls, r.loops, r.seconds, r.executing, r.loop_seconds});
  const auto wall_of_rank = nlohmann::json::array({{"wall", 0, 0, wall, 0, 0}});
  return nlohmann::json{{"wall", wall_of_rank},
                        {"parts", parts_of_rank},
                        {"regions", regions_of_rank},
                        {"memory", memory_of_rank}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RunTimes times_of_run(std::span<const std::string> texts) {
  std::vector<nlohmann::json> given;
  for (const std::string& text : texts) given.push_back(nlohmann::json::parse(text));
  RunTimes times{given.size() > 1, rows_of(given, "wall").front().value, rows_of(given, "parts"),
                 rows_of(given, "regions"), rows_of(given, "memory")};
  std::erase_if(times.parts, [](const TimesRow& row) { return row.calls == 0; });
  return times;
}

LoopRow& LoopTable::row(const std::string& name) {
  const auto [position, is_new] = positions_.try_emplace(name, rows_.size());
  if (is_new) rows_.emplace_back().name = name;
  return rows_[position->second];
}

const LoopRow* LoopTable::find(std::string_view name) const {
  const auto position = positions_.find(name);
  return position == positions_.end() ? nullptr : &rows_[position->second];
}

std::string fallen_back_as_text(const LoopTable& table) {
  constexpr std::size_t most = 8;  // that are named
  const double total = total_seconds(table);
  std::vector<const LoopRow*> rows;
  double seconds = 0;
  for (const LoopRow& row : table.rows()) {
    if (!row.code.starts_with(fell_back)) continue;
    seconds += row.seconds;
    rows.push_back(&row);
  }
  if (rows.empty()) return {};
  std::ranges::stable_sort(rows, std::greater(), &LoopRow::seconds);
  std::vector<std::string> loops;
  for (const LoopRow* row : std::span(rows).first(std::min(most, rows.size())))
    loops.push_back(fmt::format("'{}' ({:.1f} %)", row->name, 100 * share(*row, total)));
  if (rows.size() > most) loops.push_back(counted(rows.size() - most, "other"));
  return fmt::format(
      "host functions on one thread took {:.1f} % of the time of all loops, because kernels could "
      "not be compiled: {}; correct the errors reported before, or set OP2_JIT=require to stop "
      "there",
      total > 0 ? 100 * seconds / total : 0, fmt::join(loops, ", "));
}

std::string table_as_text(const LoopTable& table) {
  const double total = total_seconds(table);
  const bool spread = table.times.compared;
  std::string text = fmt::format("{:<24} {:>9} {:>10}{} {:>10} {:>8} {:>8} {:>7}  {}\n", "loop",
                                 "calls", "seconds", spread ? "       mean      least" : "", "GB",
                                 "GB/s", "GFLOP/s", "share", "code");
  for (const LoopRow& row : table.rows()) {
    const std::string others =
        spread ? fmt::format(" {:>10.4f} {:>10.4f}", row.mean_seconds, row.least_seconds) : "";
    text += fmt::format("{:<24} {:>9} {:>10.4f}{} {:>10.3f} {:>8.2f} {:>8} {:>6.1f}%  {}{}{}\n",
                        row.name, row.calls, row.seconds, others, row.bytes * 1e-9,
                        gigabytes_per_second(row), gigaflops_per_second(row),
                        100 * share(row, total), row.code, short_keys_of(row), remark_of(row));
  }
  text += fmt::format("{:<24} {:>9} {:>10.4f}\n", "total", "", total);
  text += times_as_text(table.times);
  for (const auto& [subject, note] : table.notes) text += fmt::format("{}: {}\n", subject, note);
  return text;
}

std::string table_as_csv(const LoopTable& table) {
  const double total = total_seconds(table);
  std::string text =
      "loop,calls,skipped,elements,seconds,bytes,gb_per_s,share,code,fused,fused_in,"
      "seconds_mean,seconds_min,flops,keys\n";
  for (const LoopRow& row : table.rows()) {
    const std::string flops = row.uncounted == 0 ? fmt::format("{:.9g}", row.flops) : "";
    text +=
        fmt::format("{},{},{},{},{:.9g},{:.9g},{:.6g},{:.6g},{},{},{},{:.9g},{:.9g},{},{}\n",
                    quoted(row.name), row.calls, row.skipped, row.elements, row.seconds, row.bytes,
                    gigabytes_per_second(row), share(row, total), quoted(row.code),
                    fused_calls(row), quoted(fused_in(row)), row.mean_seconds, row.least_seconds,
                    flops, quoted(fmt::format("{}", fmt::join(row.keys, " "))));
  }
  return text;
}

std::string table_as_json(const LoopTable& table) {
  const double total = total_seconds(table);
  nlohmann::json rows = nlohmann::json::array();
  for (const LoopRow& row : table.rows()) {
    rows.push_back({{"loop", row.name},
                    {"calls", row.calls},
                    {"skipped", row.skipped},
                    {"fused", fused_calls(row)},
                    {"fused_in", fused_in(row)},
                    {"elements", row.elements},
                    {"tiled", row.tiled},
                    {"seconds", row.seconds},
                    {"seconds_min", row.least_seconds},
                    {"seconds_mean", row.mean_seconds},
                    {"bytes", row.bytes},
                    {"gb_per_s", gigabytes_per_second(row)},
                    {"share", share(row, total)},
                    {"code", row.code},
                    {"keys", row.keys}});
    if (row.uncounted == 0) rows.back()["flops"] = row.flops;
  }
  nlohmann::json all{{"program", program_invocation_short_name},
                     {"loops", std::move(rows)},
                     {"ranks", table.ranks},
                     {"total_seconds", total},
                     {"notes", table.notes}};
  put_times(table.times, all);
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace op2::core
