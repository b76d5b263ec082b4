// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/core.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <core/clock.hpp>
#include <core/hash.hpp>
#include <core/log.hpp>

#include "commands.hpp"
#include "cut.hpp"
#include "files.hpp"

namespace op2::model {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Imports, rank, rows)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankHalo, within, imports)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Cut, program, maps_hash, how, parts, level, sets, cut_seconds,
                                   halo_seconds, deepest, local_maps, ranks)

namespace {

constexpr const char* form_of_cuts = "libop2 cut";
constexpr int version_of_cuts = 4;

/// Of all fields but the hash itself.
std::string hash_of(const nlohmann::json& json) {
  return core::to_hex(core::Hasher().field(json.dump()).finish());
}

/// Every number that `predict` uses as an index or adds up.
bool is_sound(const Cut& cut, const RankHalo& halo) {
  const auto levels = static_cast<std::size_t>(cut.level);
  const auto has = [](const auto& rows, std::size_t sets, std::size_t length) {
    return rows.size() == sets && std::ranges::all_of(rows, [&](const auto& row) {
             return row.size() == length && std::ranges::all_of(row, [](auto n) { return n >= 0; });
           });
  };
  return has(halo.within, cut.sets, levels + static_cast<std::size_t>(1 - core::deepest_tracked)) &&
         std::ranges::all_of(halo.imports, [&](const Imports& some) {
           return some.rank >= 0 && some.rank < cut.parts && has(some.rows, cut.sets, levels);
         });
}

Cut cut_of(nlohmann::json json) {
  if (!json.is_object() || json.value("form", "") != form_of_cuts)
    throw Failure("it is not a file that 'op2-model cut' has written");
  if (json.at("version") != version_of_cuts)
    throw Failure(fmt::format("it has version {}, and this program reads version {}",
                              json.at("version").dump(), version_of_cuts));
  const std::string hash = json.at("hash");
  json.erase("hash");
  if (hash_of(json) != hash) throw Failure("it is damaged: its hash is wrong");
  Cut cut = json;
  if (cut.parts < 1 || cut.level < 0 || cut.deepest > 0 || cut.deepest < core::deepest_tracked ||
      std::cmp_not_equal(cut.ranks.size(), cut.parts) || cut.local_maps.size() != cut.sets ||
      !std::ranges::all_of(cut.ranks, [&](const RankHalo& halo) { return is_sound(cut, halo); }))
    throw Failure("it is damaged: its numbers do not fit together");
  return cut;
}

Cut cut_into(const core::RunRecord& record, const comm::BlockMesh& mesh, int parts,
             core::Level level) {
  auto begin = core::Clock::now();
  const Parts owned = parts_of(record, mesh, parts);
  const double cut_seconds = core::seconds_since(begin);
  begin = core::Clock::now();
  std::vector<RankHalo> ranks = halo_sizes(mesh, owned.owners, parts, level);
  return {record.program,
          record.maps_hash,
          owned.how,
          parts,
          level,
          record.sets.size(),
          cut_seconds,
          core::seconds_since(begin),
          level_limit(mesh, owned.owners, parts),
          sets_with_local_map(mesh, owned.owners),
          std::move(ranks)};
}

/// One line: what decides how well so many ranks work together.
void print(const core::RunRecord& record, const Cut& cut, const std::string& path) {
  const int set = set_to_divide(record);
  std::int64_t most = 0, ghosts = 0;
  std::size_t neighbours = 0, most_neighbours = 0;
  for (const RankHalo& rank : cut.ranks) {
    most = std::max<std::int64_t>(most, rank.rows(set, 0));
    ghosts += rank.rows(set, std::min(cut.level, 2)) - rank.rows(set, 0);
    neighbours += rank.imports.size();
    most_neighbours = std::max(most_neighbours, rank.imports.size());
  }
  const double mean =
      static_cast<double>(record.sets[static_cast<std::size_t>(set)].size) / cut.parts;
  fmt::print("{:>6} {:>12.0f} {:>10.3f} {:>12.0f} {:>8.1f} {:>6} {:>8.2f} {:>8.2f}  {}\n",
             cut.parts, mean, static_cast<double>(most) / mean,
             static_cast<double>(ghosts) / cut.parts, static_cast<double>(neighbours) / cut.parts,
             most_neighbours, cut.cut_seconds, cut.halo_seconds, path);
}

}  // namespace

std::string as_json(const Cut& cut) {
  nlohmann::json json = cut;
  json["form"] = form_of_cuts;
  json["version"] = version_of_cuts;
  json["hash"] = hash_of(json);
  return json.dump() + "\n";
}

Cut read_cut(const std::string& path, const core::RunRecord& record) {
  const std::string text = text_of_file(path);
  Cut cut;
  try {
    cut = cut_of(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    throw Failure(fmt::format("cannot use '{}': it is damaged: {}", path, error.what()));
  } catch (const Failure& failure) {
    throw Failure(fmt::format("cannot use '{}': {}; make it again with 'op2-model cut'", path,
                              failure.what()));
  }
  if (cut.maps_hash != record.maps_hash || cut.sets != record.sets.size())
    throw Failure(
        fmt::format("the cut is that of another mesh: '{}', of program '{}', and the "
                    "record is of program '{}'; cut the mesh of this record",
                    path, cut.program, record.program));
  return cut;
}

int cut(const CutOptions& options) {
  core::Log log = core::tool_log("op2-model");
  const core::Progress reading(log, fmt::format("reading '{}' and its maps", options.run));
  const core::RunRecord record = read_run(options.run);
  const comm::BlockMesh mesh = read_maps(record, options.run, options.maps);
  const int layers = options.layers > 0 ? options.layers : record.depth_max;
  for (const int parts : options.parts) check_parts(record, parts);
  std::set<int> known;
  for (const int parts : options.parts) {
    if (!known.insert(parts).second) continue;
    const core::Progress cutting(log, fmt::format("cutting the mesh into {} parts", parts));
    const Cut made = cut_into(record, mesh, parts, 2 * layers);
    const std::string path =
        (std::filesystem::path(options.folder) / fmt::format("cut_{}.json", parts)).string();
    write_file(path, as_json(made));
    if (known.size() == 1)
      fmt::print(
          "{}, halos of {} layers\n{:>6} {:>12} {:>10} {:>12} {:>8} {:>6} {:>8} {:>8}  file\n",
          made.how, layers, "ranks", "elements", "imbalance", "ghosts", "neigh-", "most", "cut",
          "halos");
    print(record, made, path);
  }
  return 0;
}

}  // namespace op2::model
