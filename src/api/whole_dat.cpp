// SPDX-License-Identifier: BSD-3-Clause
#include <api/whole_dat.hpp>

#include <comm/messages/records.hpp>

namespace op2::api {

WholeDat whole_dat(api::Runtime& runtime, const core::Dat& dat) {
  WholeDat whole{dat, {}, {}, {}};
  const auto mine = runtime.fetch(dat, whole.declared);
  whole.rows = runtime.collectively(
      [&] { return comm::joined_on_root(runtime.ranks(), mine, whole.joined); });
  return whole;
}

}  // namespace op2::api
