// SPDX-License-Identifier: BSD-3-Clause
#include <core/measurements/loop_table.hpp>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <numeric>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <core/text.hpp>

namespace op2::core {
namespace {

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
  const bool spread = table.times().compared;
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
  text += times_as_text(table.times());
  for (const auto& [subject, note] : table.notes()) text += fmt::format("{}: {}\n", subject, note);
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
                     {"ranks", table.ranks()},
                     {"total_seconds", total},
                     {"notes", table.notes()}};
  put_times(table.times(), all);
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace op2::core
