// SPDX-License-Identifier: BSD-3-Clause
#include "machine_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "failure.hpp"

namespace op2::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* form = "libop2 machine";
constexpr int version = 1;
constexpr double micro = 1e-6, nano = 1e-9, giga = 1e9;

struct Limits {
  double least, most;
};
constexpr Limits microseconds{0, 1e6}, gigabytes{1e-3, 1e6}, nanoseconds{0, 1e6};

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

Json json_of(const Link& link) {
  return {{"latency_us", link.latency / micro},
          {"overhead_us", link.overhead / micro},
          {"bandwidth_GBs", 1 / (link.seconds_per_byte * giga)}};
}

Link link_of(const Json& json, const char* name) {
  if (!json.contains(name)) throw Failure(fmt::format("'{}' is missing", name));
  const Json& link = json.at(name);
  try {
    return {number(link, "latency_us", microseconds) * micro,
            number(link, "overhead_us", microseconds) * micro,
            1 / (number(link, "bandwidth_GBs", gigabytes) * giga)};
  } catch (const Failure& failure) {
    throw Failure(fmt::format("{}: {}", name, failure.what()));
  }
}

Machine machine_of(const Json& json) {
  if (!json.is_object() || json.value("form", "") != form)
    throw Failure("it is not a file that 'op2-model machine' has written");
  if (!json.contains("version") || json.at("version") != version)
    throw Failure(fmt::format("it does not have version {}, which this program reads", version));
  Machine machine;
  machine.origin = json.value("origin", "not said");
  machine.ranks_per_node = count(json, "ranks_per_node", 0, 1 << 20);
  machine.messages_per_neighbour = count(json, "messages_per_neighbour", 1, 1000);
  machine.on_node = link_of(json, "on_node");
  if (machine.ranks_per_node > 0) machine.across = link_of(json, "across");
  machine.pack_row = number(json, "pack_ns_per_row", nanoseconds) * nano;
  machine.pack_byte = number(json, "pack_ns_per_byte", nanoseconds) * nano;
  machine.unpack_byte = number(json, "unpack_ns_per_byte", nanoseconds) * nano;
  if (!json.contains("memory_GBs_per_rank")) return machine;
  for (const Json& rate : json.at("memory_GBs_per_rank"))
    machine.memory.push_back(
        number({{"memory_GBs_per_rank", rate}}, "memory_GBs_per_rank", gigabytes) * giga);
  return machine;
}

}  // namespace

int rounds(int members) {
  return members <= 1 ? 0 : std::bit_width(static_cast<unsigned>(members - 1));
}

double tree_seconds(int members, const Link& link, double bytes) {
  return rounds(members) * (link.latency + 2 * link.overhead + bytes * link.seconds_per_byte);
}

double Machine::rate(int ranks) const {
  return memory[std::min(static_cast<std::size_t>(std::max(ranks, 1)), memory.size()) - 1];
}

double Machine::slowdown(int before, int busy) const {
  return memory.empty() ? 1 : rate(before) / rate(busy);
}

std::string as_json(const Machine& machine) {
  Json json{{"form", form},
            {"version", version},
            {"origin", machine.origin},
            {"ranks_per_node", machine.ranks_per_node},
            {"messages_per_neighbour", machine.messages_per_neighbour},
            {"on_node", json_of(machine.on_node)}};
  if (machine.ranks_per_node > 0) json["across"] = json_of(machine.across);
  json["pack_ns_per_row"] = machine.pack_row / nano;
  json["pack_ns_per_byte"] = machine.pack_byte / nano;
  json["unpack_ns_per_byte"] = machine.unpack_byte / nano;
  if (!machine.memory.empty()) json["memory_GBs_per_rank"] = Json::array();
  for (const double rate : machine.memory) json["memory_GBs_per_rank"].push_back(rate / giga);
  return json.dump(1) + "\n";
}

Machine read_machine(const std::string& path) {
  const std::string text = text_of_file(path);
  try {
    return machine_of(Json::parse(text));
  } catch (const Json::exception& error) {
    throw Failure(fmt::format("cannot use '{}': it is damaged: {}", path, error.what()));
  } catch (const Failure& failure) {
    throw Failure(fmt::format("cannot use '{}': {}; share/doc/op2/docs/model.md describes the file",
                              path, failure.what()));
  }
}

}  // namespace op2::model
