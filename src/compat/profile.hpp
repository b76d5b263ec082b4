// SPDX-License-Identifier: BSD-3-Clause
// Nested sections of a program with their wall clock times. Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <core/clock.hpp>

namespace op2::compat {

/// A section: all calls under one name within one enclosing section.
struct Section {
  std::string name;
  std::int64_t calls = 0;
  double seconds = 0;
  std::vector<Section> inner;  ///< in the order of their first calls
};

class Profile {
 public:
  /// Opens a section in the innermost open one.
  void enter(const std::string& name);
  /// Closes the innermost open section, if any.
  void leave();
  void leave_all();
  /// Adds a closed section to the innermost open one.
  void add(const std::string& name, double seconds);
  /// Number of open sections.
  std::size_t depth() const { return open_.size(); }
  const Section& all() const { return all_; }

 private:
  struct Open {
    Section* section;
    core::Clock::time_point begin;
  };
  Section& innermost() { return open_.empty() ? all_ : *open_.back().section; }

  Section all_;  ///< has no name and no time
  std::vector<Open> open_;
};

/// Sections as JSON, and back.
nlohmann::json to_json(const Section& section);
Section from_json(const nlohmann::json& json);

/// Merges the sections of another rank: calls and seconds become the greater ones.
void merge(Section& into, const Section& other);

/// A table, one line per section, indented; empty without sections.
std::string to_text(const Section& all);

}  // namespace op2::compat
