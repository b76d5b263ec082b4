// SPDX-License-Identifier: BSD-3-Clause
#include <api/whole_dat.hpp>

#include <comm/messages/records.hpp>

namespace op2::api {

comm::Bytes rows_on_root(comm::Communicator& ranks, std::span<const std::byte> mine) {
  comm::Bytes all;
  for (const comm::Message& m : comm::gather_on_root(ranks, {mine.begin(), mine.end()}))
    all.insert(all.end(), m.bytes.begin(), m.bytes.end());
  return all;
}

WholeDat whole_dat(api::Runtime& runtime, const core::Dat& dat) {
  WholeDat whole{dat, {}, {}};
  whole.rows = runtime.fetch(dat, whole.storage);
  if (runtime.alone()) return whole;
  whole.storage = runtime.collectively([&] { return rows_on_root(runtime.ranks(), whole.rows); });
  whole.rows = whole.storage;
  return whole;
}

}  // namespace op2::api
