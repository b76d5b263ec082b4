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

/// The fields of an object of the file, which are written or read in the same order.
class Fields {
 public:
  Fields(Json& object, bool writes) : object_(object), writes_(writes) {}

  template <class T>
  Fields& operator()(const char* name, T& value) {
    transfer(at(name), value);
    return *this;
  }
  /// One that is written unless it has its usual value.
  Fields& operator()(const char* name, int& value, int usual) {
    return (writes_ && value != usual) || object_.contains(name) ? (*this)(name, value) : *this;
  }
  /// One that files of earlier versions do not have.
  template <class T>
  Fields& later(const char* name, T& value) {
    return writes_ || object_.contains(name) ? (*this)(name, value) : *this;
  }
  template <class Value, std::size_t N>
  Fields& operator()(const char* name, Value& value, const std::array<const char*, N>& words) {
    if (writes_)
      object_[name] = words[static_cast<std::size_t>(value)];
    else
      value = static_cast<Value>(find(words, object_.at(name)));
    return *this;
  }
  Fields group(const char* name) { return {at(name), writes_}; }

 private:
  Json& at(const char* name) { return writes_ ? object_[name] : object_.at(name); }

  template <class T>
  void transfer(Json& json, T& value) const {
    if constexpr (requires { value.emplace_back(); }) {
      if (writes_) {
        json = Json::array();
        for (auto& item : value) transfer(json.emplace_back(), item);
      } else {
        for (Json& item : json) transfer(item, value.emplace_back());
      }
    } else if constexpr (requires(Fields& fields) { list(fields, value); }) {
      Fields fields(json, writes_);
      list(fields, value);
    } else if (writes_) {
      json = value;
    } else {
      json.get_to(value);
    }
  }

  Json& object_;
  const bool writes_;
};

void list(Fields& of, RecordedSet& set) {
  of("name", set.name)("size", set.size);
}
void list(Fields& of, RecordedMap& map) {
  of("name", map.name)("from", map.from)("to", map.to)("arity", map.arity);
}
void list(Fields& of, RecordedDat& dat) {
  of("name", dat.name)("set", dat.set)("bytes", dat.bytes);
}
void list(Fields& of, RecordedArg& arg) {
  of("dat", arg.dat, -1)("map", arg.map, -1)("column", arg.column, -1)("global", arg.global, -1);
  of("bytes", arg.bytes, 0)("access", arg.access, access_names);
}
void list(Fields& of, RecordedLoop& loop) {
  of("loop", loop.name)("set", loop.set)("colour", loop.colour, 0)("args", loop.args);
}
void list(Fields& of, RecordedEvents& run) {
  of("of", run.events)("times", run.times);
}
void list(Fields& of, RecordedCost& cost) {
  of("loops", cost.loops)("way", cost.way, way_names)("calls", cost.calls);
  of("elements", cost.elements)("seconds", cost.seconds);
}
void list(Fields& of, RecordedHost& host) {
  of("times", host.times)("seconds", host.seconds);
}
void list(Fields& of, RecordedPartition& how) {
  of("partitioner", how.partitioner)("set", how.set)("map", how.map)("seconds", how.seconds);
}

void list(Fields& of, RunRecord& r) {
  of("program", r.program)("ranks", r.ranks)("threads", r.threads)("chains", r.chains);
  of("keep_dead", r.keep_dead)("depth_max", r.depth_max).later("all_in_tiles", r.all_in_tiles);
  of.group("mesh")("sets", r.sets)("maps", r.maps)("dats", r.dats)("maps_file", r.maps_file)(
      "maps_hash", r.maps_hash);
  of("partition", r.partition);
  of.group("execution")("sequences", r.sequences)("events", r.events)("events_left_out",
                                                                      r.events_left_out);
  of("costs", r.costs).later("host", r.host)("kernels", r.kernels);
  of("compile_seconds", r.compile_seconds)("plan_seconds", r.plan_seconds);
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

std::string as_json(RunRecord record) {
  Json json{{"form", form}, {"version", version}};
  Fields fields(json, true);
  list(fields, record);
  json["hash"] = hash_of(json);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

RunRecord record_from_json(std::string_view text) try {
  Json json = Json::parse(text);
  if (!json.is_object() || json.value("form", "") != form)
    refuse("it is not a file that OP2_MODEL has written");
  if (json.at("version") != version)
    refuse(fmt::format("it has version {}, and this program reads version {}",
                       json.at("version").dump(), version));
  RunRecord record;
  Fields fields(json, false);
  list(fields, record);
  check(record);
  if (json.value("hash", "") != hash_of(json))
    refuse("it was changed: its hash is not that of what it has beside times and costs");
  return record;
} catch (const Json::exception& error) {
  refuse(fmt::format("it is damaged: {}", error.what()));
}

}  // namespace op2::core
