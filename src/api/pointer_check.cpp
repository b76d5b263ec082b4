// SPDX-License-Identifier: BSD-3-Clause
#include <api/pointer_check.hpp>

#include <fmt/format.h>

#include <core/checksum.hpp>
#include <core/validate.hpp>

namespace op2::api {
namespace {

/// Of the host's copy.
std::uint64_t checksum_of(const core::Array& rows) {
  return core::checksum(0, {rows.host_read(), rows.bytes()});
}

}  // namespace

void PointerCheck::remember() {
  seen_.resize(mesh_.dats().size());
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    const core::Array& rows = mesh_.dats()[k]->rows;
    if (!rows.same_on_device())
      seen_[k] = {};
    else if (seen_[k].epoch != rows.epoch())
      seen_[k] = {rows.epoch(), checksum_of(rows)};
  }
}

bool PointerCheck::has_changed(const core::Dat& dat) const {
  const auto k = static_cast<std::size_t>(dat.index);
  return k < seen_.size() && seen_[k].epoch == dat.rows.epoch() &&
         seen_[k].checksum != checksum_of(dat.rows);
}

void PointerCheck::compare(const op_loop_name& loop, std::span<const op_arg> args) {
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (args[k].argtype != OP_ARG_DAT || args[k].opt == 0) continue;
    const core::Dat& dat = *core::record_of(args[k].dat);
    if (!has_changed(dat) || !told_.emplace(dat.index, loop.name).second) continue;
    log_.error(
        fmt::format("rows were written through a pointer, and the device was not told: {}, dat "
                    "'{}' on set '{}', {} bytes; the loop uses the values that are on the device; "
                    "call op_upload_dat after dat->data has been written",
                    core::text_of_place(loop, static_cast<int>(k)), dat.name_storage,
                    dat.on().name_storage, dat.rows.bytes()));
  }
}

}  // namespace op2::api
