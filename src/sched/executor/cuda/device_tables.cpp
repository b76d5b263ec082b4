// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/device_tables.hpp>

#include <cstring>

#include <fmt/format.h>

#include <core/arithmetic.hpp>

namespace op2::sched {
namespace {

/// Entries of a column begin at multiples of this many.
constexpr std::int64_t column_alignment = 64;

std::int64_t rows_of(const core::Map& map) {
  return static_cast<std::int64_t>(map.values().size()) / map.dim;
}

std::int64_t stride_of(const core::Map& map) {
  return core::round_up(rows_of(map), column_alignment);
}

core::HostBytes by_columns(const core::Map& map) {
  const std::int64_t rows = rows_of(map), stride = stride_of(map);
  core::HostBytes bytes = core::zeroed_bytes(sizeof(std::int32_t) * stride * map.dim);
  auto* const entries = reinterpret_cast<std::int32_t*>(bytes.memory.get());
  const std::int32_t* from = map.values().data();
  for (std::int64_t row = 0; row < rows; ++row)
    for (int column = 0; column < map.dim; ++column) entries[column * stride + row] = *from++;
  return bytes;
}

const std::int32_t* on_device(const core::Array& table) {
  return reinterpret_cast<const std::int32_t*>(table.device_read().value);
}

}  // namespace

const std::int32_t* DeviceTables::column_of(const core::Map& map, int column) {
  const auto [table, is_new] = columns_.try_emplace(&map);
  if (is_new) {
    table->second.set_label(fmt::format("map '{}' by columns", map.name_storage));
    table->second.replace(by_columns(map));
    table->second.use(&copies_);
  }
  const std::int32_t* const entries = on_device(table->second);
  return entries == nullptr ? nullptr : entries + column * stride_of(map);
}

const std::int32_t* DeviceTables::numbers_of(const core::Set& set) {
  if (set.global_indices.empty()) return nullptr;
  const auto [table, is_new] = numbers_.try_emplace(&set);
  if (is_new) {
    core::HostBytes bytes = core::zeroed_bytes(sizeof(std::int32_t) * set.global_indices.size());
    std::memcpy(bytes.memory.get(), set.global_indices.data(), bytes.size);
    table->second.set_label(fmt::format("indices of set '{}'", set.name_storage));
    table->second.replace(std::move(bytes));
    table->second.use(&copies_);
  }
  return on_device(table->second);
}

core::DeviceAddress DeviceTables::second_of(const core::Dat& dat) {
  core::ListedBuffer& rows = second_[&dat];
  if (const std::size_t bytes = dat.rows.bytes(); rows == nullptr && bytes > 0) {
    rows = copies_.allocate("second buffer of " + dat.rows.label(), bytes,
                            "set OP2_DEBUG=no_fuse, which needs no second buffers");
    copies_.space().main_stream().fill(rows.get(), std::byte{0}, bytes);
  }
  return rows.get();
}

void DeviceTables::clear() {
  second_.clear();
  columns_.clear();
  numbers_.clear();
  pull_.clear();
  parts_.clear();
}

}  // namespace op2::sched
