// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/xml_text.hpp>

#include <algorithm>
#include <array>

namespace op2::comm {

namespace {

struct Entity {
  char letter;
  std::string_view text;
};
constexpr std::array entities{Entity{'&', "&amp;"}, Entity{'<', "&lt;"}, Entity{'>', "&gt;"},
                              Entity{'"', "&quot;"}};

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto* const entity = std::ranges::find(entities, c, &Entity::letter);
    if (entity == entities.end())
      out += c;
    else
      out += entity->text;
  }
  return out;
}

std::string xml_unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto* const entity = std::ranges::find_if(
        entities, [&](const Entity& one) { return text.starts_with(one.text); });
    const bool found = entity != entities.end();
    out += found ? entity->letter : text.front();
    text.remove_prefix(found ? entity->text.size() : 1);
  }
  return out;
}

}  // namespace op2::comm
