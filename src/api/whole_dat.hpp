// SPDX-License-Identifier: BSD-3-Clause
// All values of a dat on one rank, for files that one rank writes.
#pragma once

#include <span>

#include <api/runtime.hpp>
#include <comm/files/field.hpp>

namespace op2::api {

/// A dat with all its values, on the root, in the declared order.
struct WholeDat {
  const core::Dat& dat;
  comm::Bytes declared, joined;     ///< unused if the dat itself has the declared rows
  std::span<const std::byte> rows;  ///< empty on other ranks
  comm::Field field() const {
    return {dat.name_storage, dat.value_type, dat.dim, dat.on().global_size, rows.data()};
  }
};

/// Executes what is queued and collects. Collective. Memory: the whole dat on the root.
WholeDat whole_dat(Runtime& runtime, const core::Dat& dat);

}  // namespace op2::api
