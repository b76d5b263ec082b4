// SPDX-License-Identifier: BSD-3-Clause
#include <core/measurements/run_record.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <core/hash.hpp>

namespace op2::core {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view form = "libop2 run record";
constexpr int version = 1;
constexpr std::size_t longest_period = 64;
constexpr int most_layers = 64;  // as OP2_DEPTH_MAX

constexpr std::array access_names{"READ", "WRITE", "RW", "INC", "MIN", "MAX"};
constexpr std::array<const char*, ways> way_names{"alone", "tiled", "fused"};

[[noreturn]] void refuse(const std::string& what) {
  throw std::runtime_error(what);
}

/// The position of a word.
template <std::size_t N>
std::size_t find(const std::array<const char*, N>& words, const std::string& word) {
  const auto found = std::ranges::find_if(words, [&](const char* known) { return word == known; });
  if (found == words.end()) refuse(fmt::format("unknown word '{}'", word));
  return static_cast<std::size_t>(found - words.begin());
}

Json json_of(const RecordedArg& arg) {
  Json json;
  if (arg.dat >= 0) json["dat"] = arg.dat;
  if (arg.map >= 0) json["map"] = arg.map, json["column"] = arg.column;
  if (arg.global >= 0) json["global"] = arg.global;
  if (arg.dat < 0) json["bytes"] = arg.bytes;
  json["access"] = access_names[static_cast<std::size_t>(arg.access)];
  return json;
}

RecordedArg arg_of(const Json& json) {
  return {.dat = json.value("dat", -1),
          .map = json.value("map", -1),
          .column = json.value("column", -1),
          .global = json.value("global", -1),
          .bytes = json.value("bytes", 0),
          .access = static_cast<op_access>(find(access_names, json.at("access")))};
}

Json json_of(const RecordedLoop& loop) {
  Json json{{"loop", loop.name}, {"set", loop.set}};
  if (loop.colour != 0) json["colour"] = loop.colour;
  json["args"] = Json::array();
  for (const RecordedArg& arg : loop.args) json["args"].push_back(json_of(arg));
  return json;
}

RecordedLoop loop_of(const Json& json) {
  RecordedLoop loop{json.at("loop"), json.at("set"), json.value("colour", 0), {}};
  for (const Json& arg : json.at("args")) loop.args.push_back(arg_of(arg));
  return loop;
}

Json mesh_of(const RunRecord& r) {
  Json json{{"sets", Json::array()}, {"maps", Json::array()}, {"dats", Json::array()}};
  for (const RecordedSet& set : r.sets)
    json["sets"].push_back({{"name", set.name}, {"size", set.size}});
  for (const RecordedMap& map : r.maps)
    json["maps"].push_back(
        {{"name", map.name}, {"from", map.from}, {"to", map.to}, {"arity", map.arity}});
  for (const RecordedDat& dat : r.dats)
    json["dats"].push_back({{"name", dat.name}, {"set", dat.set}, {"bytes", dat.bytes}});
  json["maps_file"] = r.maps_file;
  json["maps_hash"] = r.maps_hash;
  return json;
}

void read_mesh(const Json& json, RunRecord& r) {
  for (const Json& set : json.at("sets")) r.sets.push_back({set.at("name"), set.at("size")});
  for (const Json& map : json.at("maps"))
    r.maps.push_back({map.at("name"), map.at("from"), map.at("to"), map.at("arity")});
  for (const Json& dat : json.at("dats"))
    r.dats.push_back({dat.at("name"), dat.at("set"), dat.at("bytes")});
  r.maps_file = json.at("maps_file");
  r.maps_hash = json.at("maps_hash");
}

Json costs_of(const RunRecord& r) {
  Json json = Json::array();
  for (const RecordedCost& cost : r.costs)
    json.push_back({{"loops", cost.loops},
                    {"way", way_names[static_cast<std::size_t>(cost.way)]},
                    {"calls", cost.calls},
                    {"elements", cost.elements},
                    {"seconds", cost.seconds}});
  return json;
}

Json host_of(const RunRecord& r) {
  Json json = Json::array();
  for (const RecordedHost& host : r.host)
    json.push_back({{"times", host.times}, {"seconds", host.seconds}});
  return json;
}

void read_costs(const Json& json, RunRecord& r) {
  for (const Json& cost : json)
    r.costs.push_back({cost.at("loops"), static_cast<Way>(find(way_names, cost.at("way"))),
                       cost.at("calls"), cost.at("elements"), cost.at("seconds")});
}

Json execution_of(const RunRecord& r) {
  Json json{{"sequences", Json::array()},
            {"events", Json::array()},
            {"events_left_out", r.events_left_out}};
  for (const RecordedSequence& sequence : r.sequences) {
    Json& loops = json["sequences"].emplace_back(Json::array());
    for (const RecordedLoop& loop : sequence) loops.push_back(json_of(loop));
  }
  for (const RecordedEvents& run : r.events)
    json["events"].push_back({{"of", run.events}, {"times", run.times}});
  return json;
}

void read_execution(const Json& json, RunRecord& r) {
  for (const Json& sequence : json.at("sequences")) {
    RecordedSequence& loops = r.sequences.emplace_back();
    for (const Json& loop : sequence) loops.push_back(loop_of(loop));
  }
  for (const Json& run : json.at("events")) r.events.push_back({run.at("of"), run.at("times")});
  r.events_left_out = json.at("events_left_out");
}

/// @param count  of what the index refers to; -1 is allowed if `optional`
void check_index(const char* what, int index, std::size_t count, bool optional = false) {
  if (!(optional && index == -1) && (index < 0 || static_cast<std::size_t>(index) >= count))
    refuse(fmt::format("{} {} is out of range, there are {}", what, index, count));
}

void check_arg(const RunRecord& r, const RecordedLoop& loop, const RecordedArg& arg) {
  if (loop.set < 0 && arg.global < 0) refuse("an assignment without a global");
  check_index("dat", arg.dat, r.dats.size(), true);
  check_index("map", arg.map, r.maps.size(), true);
  if (arg.bytes < 0)
    refuse(fmt::format("loop '{}': an argument of {} bytes", loop.name, arg.bytes));
  if (arg.map >= 0)
    check_index("column", arg.column,
                static_cast<std::size_t>(r.maps[static_cast<std::size_t>(arg.map)].arity));
  if (arg.dat < 0 || loop.set < 0) return;
  const int on = arg.map < 0 ? loop.set : r.maps[static_cast<std::size_t>(arg.map)].to;
  const int from = arg.map < 0 ? loop.set : r.maps[static_cast<std::size_t>(arg.map)].from;
  if (from != loop.set || on != r.dats[static_cast<std::size_t>(arg.dat)].set)
    refuse(fmt::format("loop '{}': set, map and dat of an argument do not belong together",
                       loop.name));
}

void check_execution(const RunRecord& r) {
  for (const RecordedSequence& sequence : r.sequences)
    for (const RecordedLoop& loop : sequence) {
      check_index("set", loop.set, r.sets.size(), true);
      if (loop.set < 0 && loop.args.size() != 1) refuse("an assignment without a global");
      if (loop.colour < 0) refuse(fmt::format("loop '{}' has colour {}", loop.name, loop.colour));
      for (const RecordedArg& arg : loop.args) check_arg(r, loop, arg);
    }
  for (const RecordedEvents& run : r.events) {
    if (run.times < 1 || run.events.empty()) refuse("events that never happened");
    for (const int event : run.events)
      if (event >= 0) check_index("sequence", event, r.sequences.size());
  }
}

void check(const RunRecord& r) {
  if (std::min({r.ranks, r.threads, r.depth_max}) < 1 || r.depth_max > most_layers)
    refuse(fmt::format("{} ranks, {} threads, OP2_DEPTH_MAX={}", r.ranks, r.threads, r.depth_max));
  for (const RecordedSet& set : r.sets)
    if (set.size < 0) refuse(fmt::format("set '{}' has {} elements", set.name, set.size));
  for (const RecordedMap& map : r.maps) {
    check_index("set", map.from, r.sets.size());
    check_index("set", map.to, r.sets.size());
    if (map.arity < 1) refuse(fmt::format("map '{}' has arity {}", map.name, map.arity));
  }
  for (const RecordedDat& dat : r.dats) {
    check_index("set", dat.set, r.sets.size());
    if (dat.bytes < 1) refuse(fmt::format("dat '{}' has {} bytes a row", dat.name, dat.bytes));
  }
  check_index("set", r.partition.set, r.sets.size(), true);
  check_index("map", r.partition.map, r.maps.size(), true);
  for (const RecordedCost& cost : r.costs)
    if (cost.loops.empty() || cost.calls < 0 || cost.elements < 0 || !(cost.seconds >= 0))
      refuse("a cost below zero, or of no loop");
  if (!r.host.empty() && r.host.size() != r.sequences.size())
    refuse(
        fmt::format("{} times of the program for {} sequences", r.host.size(), r.sequences.size()));
  for (const RecordedHost& host : r.host)
    if (host.times < 0 || !(host.seconds >= 0)) refuse("a time of the program below zero");
  check_execution(r);
}

/// Of all but times, costs and the hash itself.
std::string hash_of(Json json) {
  for (const char* name : {"costs", "host", "compile_seconds", "plan_seconds", "hash"})
    json.erase(name);
  json.at("partition").erase("seconds");
  return to_hex(Hasher().field(json.dump(-1, ' ', false, Json::error_handler_t::replace)).finish());
}

}  // namespace

std::int64_t bytes_of_maps(const RunRecord& record) {
  std::int64_t entries = 0;
  for (const RecordedMap& map : record.maps)
    entries += record.sets[static_cast<std::size_t>(map.from)].size * map.arity;
  return entries * static_cast<std::int64_t>(sizeof(std::int32_t));
}

std::vector<RecordedEvents> folded(const std::vector<int>& events) {
  std::vector<RecordedEvents> runs;
  bool open = false;  // the last run has no repetition
  for (std::size_t at = 0; at < events.size();) {
    std::size_t period = 1, covered = 1;
    for (std::size_t p = 1; p <= longest_period && at + 2 * p <= events.size(); ++p) {
      std::size_t end = at + p;
      while (end < events.size() && events[end] == events[end - p]) ++end;
      const std::size_t whole = (end - at) / p * p;
      if (whole >= 2 * p && whole > covered) period = p, covered = whole;
    }
    const auto first = events.begin() + static_cast<std::ptrdiff_t>(at);
    if (covered == 1 && open)
      runs.back().events.push_back(*first);
    else
      runs.push_back({{first, first + static_cast<std::ptrdiff_t>(period)},
                      static_cast<std::int64_t>(covered / period)});
    open = covered == 1;
    at += covered;
  }
  return runs;
}

std::string as_json(const RunRecord& r) {
  Json json{{"form", form},
            {"version", version},
            {"program", r.program},
            {"ranks", r.ranks},
            {"threads", r.threads},
            {"chains", r.chains},
            {"keep_dead", r.keep_dead},
            {"depth_max", r.depth_max},
            {"all_in_tiles", r.all_in_tiles},
            {"mesh", mesh_of(r)},
            {"partition",
             {{"partitioner", r.partition.partitioner},
              {"set", r.partition.set},
              {"map", r.partition.map},
              {"seconds", r.partition.seconds}}},
            {"execution", execution_of(r)},
            {"costs", costs_of(r)},
            {"host", host_of(r)},
            {"kernels", r.kernels},
            {"compile_seconds", r.compile_seconds},
            {"plan_seconds", r.plan_seconds}};
  json["hash"] = hash_of(json);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

RunRecord record_from_json(std::string_view text) try {
  const Json json = Json::parse(text);
  if (!json.is_object() || json.value("form", "") != form)
    refuse("it is not a file that OP2_MODEL has written");
  if (json.at("version") != version)
    refuse(fmt::format("it has version {}, and this program reads version {}",
                       json.at("version").dump(), version));
  RunRecord r;
  r.program = json.at("program");
  r.ranks = json.at("ranks");
  r.threads = json.at("threads");
  r.chains = json.at("chains");
  r.keep_dead = json.at("keep_dead");
  r.depth_max = json.at("depth_max");
  r.all_in_tiles = json.value("all_in_tiles", false);  // files of before it was recorded
  read_mesh(json.at("mesh"), r);
  const Json& partition = json.at("partition");
  r.partition = {partition.at("partitioner"), partition.at("set"), partition.at("map"),
                 partition.at("seconds")};
  read_execution(json.at("execution"), r);
  read_costs(json.at("costs"), r);
  for (const Json& host : json.value("host", Json::array()))
    r.host.push_back({host.at("times"), host.at("seconds")});
  r.kernels = json.at("kernels");
  r.compile_seconds = json.at("compile_seconds");
  r.plan_seconds = json.at("plan_seconds");
  check(r);
  if (json.value("hash", "") != hash_of(json))
    refuse("it was changed: its hash is not that of what it has beside times and costs");
  return r;
} catch (const Json::exception& error) {
  refuse(fmt::format("it is damaged: {}", error.what()));
}

}  // namespace op2::core
