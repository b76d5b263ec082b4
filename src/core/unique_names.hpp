// SPDX-License-Identifier: BSD-3-Clause
// Names of records of one kind, none of them twice.
#pragma once

#include <string>
#include <unordered_map>

namespace op2::core {

/// Cost of each function: constant, however many records want one name.
class UniqueNames {
 public:
  /// Takes `name`, or the first free one of "name#2", "name#3", ...
  std::string take(const std::string& name) {
    std::string unique = name;
    while (users_[unique] > 0)
      unique = name + "#" + std::to_string(++last_number_.try_emplace(name, 1).first->second);
    ++users_[unique];
    return unique;
  }

  /// Of a record whose name need not be unique: while it has that name, `take` gives no other that.
  void share(const std::string& name) { ++users_[name]; }
  void end_share(const std::string& name) { --users_[name]; }

 private:
  std::unordered_map<std::string, int> users_;
  std::unordered_map<std::string, int> last_number_;  ///< that was given, by name
};

}  // namespace op2::core
