// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "files.hpp"

namespace op2::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* form = "libop2 machine";
constexpr int version = 1;
constexpr double micro = 1e-6, nano = 1e-9, giga = 1e9;

constexpr Limits limits_of_nanoseconds{0, 1e6}, limits_of_sizes{1, 1e12};

/// @throws Failure if this is not an object, or has something else, such as a name with a mistake
void check_names(const Json& json, std::initializer_list<std::string_view> known) {
  if (!json.is_object())
    throw Failure(fmt::format("{} is not an object with {}", json.dump(), fmt::join(known, ", ")));
  for (const auto& [name, value] : json.items())
    if (std::ranges::find(known, name) == known.end())
      throw Failure(
          fmt::format("'{}' is not known here; there are {}", name, fmt::join(known, ", ")));
}

/// A number of the file.
double number(const Json& json, const std::string& name, Limits limits) {
  if (!json.contains(name)) throw Failure(fmt::format("'{}' is missing", name));
  const Json& value = json.at(name);
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value < limits.least ||
      value > limits.most)
    throw Failure(fmt::format("'{}' is {}, which is not in {} .. {}", name, value.dump(),
                              limits.least, limits.most));
  return value;
}

int count(const Json& json, const std::string& name, int least, int most) {
  const double value = number(json, name, {static_cast<double>(least), static_cast<double>(most)});
  if (value != std::floor(value)) throw Failure(fmt::format("'{}' is not a whole number", name));
  return static_cast<int>(value);
}

/// The points of a table that may be missing, each with another size.
/// @param known  what a point has
/// @param read   makes a point of an object
template <class Point, class Read>
std::vector<Point> table_of(const Json& json, const char* name,
                            std::initializer_list<std::string_view> known, const Read& read) {
  std::vector<Point> points;
  if (!json.contains(name)) return points;
  try {
    for (const Json& one : json.at(name)) {
      check_names(one, known);
      points.push_back(read(one));
    }
  } catch (const Failure& failure) {
    throw Failure(fmt::format("{}: {}", name, failure.what()));
  }
  for (std::size_t k = 1; k < points.size(); ++k)
    if (points[k].bytes <= points[k - 1].bytes)
      throw Failure(fmt::format("{}: {} bytes follow {}; sizes must ascend", name, points[k].bytes,
                                points[k - 1].bytes));
  return points;
}

Json json_of(const Link& link) {
  Json json{{"latency_us", link.latency / micro},
            {"overhead_us", link.overhead / micro},
            {"bandwidth_GBs", 1 / (link.seconds_per_byte * giga)}};
  for (const sched::MessageSize& size : link.sizes)
    json["messages"].push_back({{"bytes", size.bytes},
                                {"latency_us", size.latency / micro},
                                {"overhead_us", size.overhead / micro}});
  return json;
}

Link link_of(const Json& json, const char* name) {
  if (!json.contains(name)) throw Failure(fmt::format("'{}' is missing", name));
  const Json& link = json.at(name);
  try {
    check_names(link, {"latency_us", "overhead_us", "bandwidth_GBs", "messages"});
    return {number(link, "latency_us", limits_of_microseconds) * micro,
            number(link, "overhead_us", limits_of_microseconds) * micro,
            1 / (number(link, "bandwidth_GBs", limits_of_gigabytes) * giga),
            table_of<sched::MessageSize>(
                link, "messages", {"bytes", "latency_us", "overhead_us"}, [](const Json& one) {
                  return sched::MessageSize{
                      number(one, "bytes", limits_of_sizes),
                      number(one, "latency_us", limits_of_microseconds) * micro,
                      number(one, "overhead_us", limits_of_microseconds) * micro};
                })};
  } catch (const Failure& failure) {
    throw Failure(fmt::format("{}: {}", name, failure.what()));
  }
}

Machine machine_of(const Json& json) {
  if (!json.is_object() || json.value("form", "") != form)
    throw Failure("it is not a file that 'op2-model machine' has written, which is named last");
  if (!json.contains("version") || json.at("version") != version)
    throw Failure(fmt::format("it does not have version {}, which this program reads", version));
  check_names(
      json, {"form", "version", "origin", "ranks_per_node", "messages_per_neighbour", "on_node",
             "across", "pack_ns_per_row", "pack_ns_per_byte", "unpack_ns_per_byte", "reduction_us",
             "disturbance", "caches", "memory_GBs_per_rank"});
  Machine machine;
  sched::Network& network = machine.network;
  machine.origin = json.value("origin", "not said");
  network.ranks_per_node = count(json, "ranks_per_node", 0, most_ranks_per_node);
  network.messages_per_neighbour = count(json, "messages_per_neighbour", 1, 1000);
  network.on_node = link_of(json, "on_node");
  if (network.ranks_per_node > 0) network.across = link_of(json, "across");
  network.pack_row = number(json, "pack_ns_per_row", limits_of_nanoseconds) * nano;
  network.pack_byte = number(json, "pack_ns_per_byte", limits_of_nanoseconds) * nano;
  network.unpack_byte = number(json, "unpack_ns_per_byte", limits_of_nanoseconds) * nano;
  if (json.contains("reduction_us"))
    network.reduction = number(json, "reduction_us", limits_of_microseconds) * micro;
  if (json.contains("disturbance")) network.disturbance = number(json, "disturbance", {0, 100});
  machine.caches = table_of<CacheRate>(json, "caches", {"bytes", "GBs"}, [](const Json& one) {
    return CacheRate{number(one, "bytes", limits_of_sizes),
                     number(one, "GBs", limits_of_gigabytes) * giga};
  });
  if (!json.contains("memory_GBs_per_rank")) return machine;
  for (const Json& rate : json.at("memory_GBs_per_rank"))
    machine.memory.push_back(
        number({{"memory_GBs_per_rank", rate}}, "memory_GBs_per_rank", limits_of_gigabytes) * giga);
  return machine;
}

/// " after 'disturbance'": the last name in what could be read.
std::string after_name(std::string_view text) {
  const std::size_t colon = text.find_last_of(':');
  const std::size_t close = text.find_last_of('"', colon);
  if (colon == text.npos || close == text.npos || close == 0) return "";
  const std::size_t open = text.find_last_of('"', close - 1);
  return open == text.npos ? ""
                           : fmt::format(" after '{}'", text.substr(open + 1, close - open - 1));
}

}  // namespace

double Machine::seconds_per_byte(double bytes) const {
  const auto logarithm = [](double x) { return std::log(x); };
  const auto position = sched::interpolation(caches, bytes, &CacheRate::bytes, logarithm);
  const std::size_t next = std::min(position.point + 1, caches.size() - 1);
  return position.between(1 / caches[position.point].rate, 1 / caches[next].rate);
}

double Machine::rate(int ranks) const {
  return memory[std::min(static_cast<std::size_t>(std::max(ranks, 1)), memory.size()) - 1];
}

double Machine::slowdown(int before, int busy) const {
  return memory.empty() ? 1 : rate(before) / rate(busy);
}

std::string as_json(const Machine& machine) {
  const sched::Network& network = machine.network;
  Json json{{"form", form},
            {"version", version},
            {"origin", machine.origin},
            {"ranks_per_node", network.ranks_per_node},
            {"messages_per_neighbour", network.messages_per_neighbour},
            {"on_node", json_of(network.on_node)}};
  if (network.ranks_per_node > 0) json["across"] = json_of(network.across);
  json["pack_ns_per_row"] = network.pack_row / nano;
  json["pack_ns_per_byte"] = network.pack_byte / nano;
  json["unpack_ns_per_byte"] = network.unpack_byte / nano;
  if (network.reduction > 0) json["reduction_us"] = network.reduction / micro;
  json["disturbance"] = network.disturbance;
  for (const CacheRate& cache : machine.caches)
    json["caches"].push_back({{"bytes", cache.bytes}, {"GBs", cache.rate / giga}});
  if (!machine.memory.empty()) json["memory_GBs_per_rank"] = Json::array();
  for (const double rate : machine.memory) json["memory_GBs_per_rank"].push_back(rate / giga);
  return json.dump(1) + "\n";
}

Machine read_machine(const std::string& path) {
  const std::string text = text_of_file(path);
  try {
    return machine_of(Json::parse(text));
  } catch (const Json::parse_error& error) {
    throw Failure(fmt::format("cannot use '{}': it is damaged{}: {}", path,
                              after_name(std::string_view(text).substr(0, error.byte)),
                              error.what()));
  } catch (const Json::exception& error) {
    throw Failure(fmt::format("cannot use '{}': it is damaged: {}", path, error.what()));
  } catch (const Failure& failure) {
    throw Failure(fmt::format("cannot use '{}': {}; share/doc/op2/docs/model.md describes the file",
                              path, failure.what()));
  }
}

}  // namespace op2::model
