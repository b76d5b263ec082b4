// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <core/hash.hpp>

#include "cut.hpp"
#include "files.hpp"

namespace op2::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* form = "libop2 cut";
constexpr int version = 3;

/// Of all fields but the hash itself.
std::string hash_of(const Json& json) {
  return core::to_hex(core::Hasher().field(json.dump()).finish());
}

Json json_of(const RankHalo& halo) {
  Json imports = Json::array();
  for (const Imports& some : halo.imports)
    imports.push_back({{"rank", some.rank}, {"rows", some.rows}});
  return {{"within", halo.within}, {"imports", std::move(imports)}};
}

RankHalo halo_of(const Json& json) {
  RankHalo halo{json.at("within").get<std::vector<std::vector<std::int32_t>>>(), {}};
  for (const Json& some : json.at("imports"))
    halo.imports.push_back(
        {some.at("rank"), some.at("rows").get<std::vector<std::vector<std::int32_t>>>()});
  return halo;
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

Cut cut_of(Json json) {
  if (!json.is_object() || json.value("form", "") != form)
    throw Failure("it is not a file that 'op2-model cut' has written");
  if (json.at("version") != version)
    throw Failure(fmt::format("it has version {}, and this program reads version {}",
                              json.at("version").dump(), version));
  const std::string hash = json.at("hash");
  json.erase("hash");
  if (hash_of(json) != hash) throw Failure("it is damaged: its hash is wrong");
  Cut cut{json.at("program"),
          json.at("maps_hash"),
          json.at("how"),
          json.at("parts"),
          json.at("level"),
          json.at("sets"),
          json.at("cut_seconds"),
          json.at("halo_seconds"),
          json.at("deepest"),
          json.at("local_maps").get<std::vector<char>>(),
          {}};
  for (const Json& rank : json.at("ranks")) cut.ranks.push_back(halo_of(rank));
  if (cut.parts < 1 || cut.level < 0 || cut.deepest > 0 || cut.deepest < core::deepest_tracked ||
      std::cmp_not_equal(cut.ranks.size(), cut.parts) || cut.local_maps.size() != cut.sets ||
      !std::ranges::all_of(cut.ranks, [&](const RankHalo& halo) { return is_sound(cut, halo); }))
    throw Failure("it is damaged: its numbers do not fit together");
  return cut;
}

}  // namespace

std::string as_json(const Cut& cut) {
  Json ranks = Json::array();
  for (const RankHalo& halo : cut.ranks) ranks.push_back(json_of(halo));
  Json json{{"form", form},
            {"version", version},
            {"program", cut.program},
            {"maps_hash", cut.maps_hash},
            {"how", cut.how},
            {"parts", cut.parts},
            {"level", cut.level},
            {"sets", cut.sets},
            {"cut_seconds", cut.cut_seconds},
            {"halo_seconds", cut.halo_seconds},
            {"deepest", cut.deepest},
            {"local_maps", cut.local_maps},
            {"ranks", std::move(ranks)}};
  json["hash"] = hash_of(json);
  return json.dump() + "\n";
}

Cut read_cut(const std::string& path, const core::RunRecord& record) {
  const std::string text = text_of_file(path);
  Cut cut;
  try {
    cut = cut_of(Json::parse(text));
  } catch (const Json::exception& error) {
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

}  // namespace op2::model
