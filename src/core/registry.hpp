// SPDX-License-Identifier: BSD-3-Clause
// A table of rows that are looked up by name, in the order of registration.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <core/error.hpp>

namespace op2::core {

/// @tparam Row  has a member `std::string name`, in lower case
template <class Row>
class Registry {
 public:
  /// @param kind  of the rows, for messages: "partitioner"
  explicit Registry(std::string kind, std::vector<Row> rows = {}) : kind_(std::move(kind)) {
    for (Row& row : rows) add(std::move(row));
  }

  /// @throws Error bad_name if the name is registered, empty or not in lower case
  void add(Row row) {
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    if (row.name.empty() || std::ranges::any_of(row.name, is_upper))
      fail(ErrorCode::bad_name, "the name of a {} cannot be used: '{}'; use lower-case letters",
           kind_, row.name);
    if (find(row.name) != nullptr)
      fail(ErrorCode::bad_name,
           "two {}s have the same name: '{}' is already registered, with {} others; give the new "
           "one "
           "another name",
           kind_, row.name, rows_.size() - 1);
    rows_.push_back(std::move(row));
  }

  /// @return null if there is none; valid until the next `add`
  const Row* find(std::string_view name) const {
    const auto row = std::ranges::find(rows_, name, &Row::name);
    return row == rows_.end() ? nullptr : &*row;
  }

  /// All names, for messages: "ptscotch, rcb or block".
  std::string names() const {
    std::string text;
    for (std::size_t k = 0; k < rows_.size(); ++k)
      text += (k == 0 ? "" : k + 1 == rows_.size() ? " or " : ", ") + rows_[k].name;
    return text;
  }

 private:
  std::string kind_;
  std::vector<Row> rows_;
};

}  // namespace op2::core
