// SPDX-License-Identifier: BSD-3-Clause
#include <compat/profile.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <core/clock.hpp>

namespace op2::compat {
namespace {

Section& inner_named(Section& section, const std::string& name) {
  const auto found = std::ranges::find(section.inner, name, &Section::name);
  if (found != section.inner.end()) return *found;
  // Only the innermost open section grows, so that no open section moves in memory.
  section.inner.emplace_back().name = name;
  return section.inner.back();
}

void append_lines(std::string& text, const Section& section, int depth) {
  for (const Section& inner : section.inner) {
    const std::string name = std::string(static_cast<std::size_t>(2 * depth), ' ') + inner.name;
    text += fmt::format("{:<34} {:>9} {:>10.4f}\n", name, inner.calls, inner.seconds);
    append_lines(text, inner, depth + 1);
  }
}

}  // namespace

void Profile::enter(const std::string& name) {
  Section& section = inner_named(innermost(), name);
  ++section.calls;
  open_.push_back({&section, core::Clock::now()});
}

void Profile::leave() {
  if (open_.empty()) return;
  open_.back().section->seconds += core::seconds_since(open_.back().begin);
  open_.pop_back();
}

void Profile::leave_all() {
  while (!open_.empty()) leave();
}

void Profile::add(const std::string& name, double seconds) {
  Section& section = inner_named(innermost(), name);
  ++section.calls;
  section.seconds += seconds;
}

nlohmann::json to_json(const Section& section) {
  nlohmann::json inner = nlohmann::json::array();
  for (const Section& each : section.inner) inner.push_back(to_json(each));
  return {{"name", section.name},
          {"calls", section.calls},
          {"seconds", section.seconds},
          {"sections", std::move(inner)}};
}

Section from_json(const nlohmann::json& json) {
  Section section{json["name"], json["calls"], json["seconds"], {}};
  for (const nlohmann::json& inner : json["sections"]) section.inner.push_back(from_json(inner));
  return section;
}

void merge(Section& into, const Section& other) {
  into.calls = std::max(into.calls, other.calls);
  into.seconds = std::max(into.seconds, other.seconds);
  for (const Section& inner : other.inner) merge(inner_named(into, inner.name), inner);
}

std::string to_text(const Section& all) {
  if (all.inner.empty()) return "";
  std::string text = fmt::format("{:<34} {:>9} {:>10}\n", "section", "calls", "seconds");
  append_lines(text, all, 0);
  return text;
}

}  // namespace op2::compat
