// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <core/array.hpp>

namespace op2::sched {

/// Stores lists of increments one after the other, with a copy on the device.
/// @param set  whose elements add, for messages
inline void store_lists(core::Array& to,
                        std::initializer_list<const std::vector<std::int32_t>*> lists,
                        const std::string& set, core::DeviceCopies& copies) {
  std::size_t all = 0;
  for (const auto* list : lists) all += list->size();
  core::HostBytes bytes = core::zeroed_bytes(sizeof(std::int32_t) * all);
  auto* at = reinterpret_cast<std::int32_t*>(bytes.memory.get());
  for (const auto* list : lists) at = std::ranges::copy(*list, at).out;
  to.set_label(fmt::format("increments by elements of set '{}', row by row", set));
  to.replace(std::move(bytes));
  to.use(&copies);
}

}  // namespace op2::sched
