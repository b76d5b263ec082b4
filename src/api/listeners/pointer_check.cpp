// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <api/listeners/listeners.hpp>
#include <api/runtime.hpp>
#include <core/hash.hpp>
#include <core/validate.hpp>

namespace op2::api {
namespace {

/// Of the host's copy.
std::uint64_t checksum_of(const core::Array& rows) {
  return core::checksum(0, {rows.host_read(), rows.bytes()});
}

/// Local: each rank looks at its own rows.
class PointerCheck : public core::Listener {
 public:
  explicit PointerCheck(Runtime& runtime) : mesh_(runtime.mesh), log_(runtime.log) {}

  /// Reports dats whose rows are others than those remembered, although no call has said so.
  void loop_called(const op_loop_name& loop, std::span<const op_arg> args) override;
  /// Remembers a checksum of the rows that the device has, too.
  void dats_downloaded() override;

 private:
  struct Seen {
    std::uint64_t epoch = 0;  ///< of the rows; 0: not remembered
    std::uint64_t checksum = 0;
  };
  bool has_changed(const core::Dat& dat) const;

  const core::Mesh& mesh_;
  core::Log& log_;
  std::vector<Seen> seen_;                          ///< per dat of the mesh
  std::set<std::pair<int, std::string>> reported_;  ///< dats and loops
};

void PointerCheck::dats_downloaded() {
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

void PointerCheck::loop_called(const op_loop_name& loop, std::span<const op_arg> args) {
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (args[k].argtype != OP_ARG_DAT || args[k].opt == 0) continue;
    const core::Dat& dat = *core::record_of(args[k].dat);
    if (!has_changed(dat) || !reported_.emplace(dat.index, loop.name).second) continue;
    log_.error(
        fmt::format("rows were written through a pointer, and the device was not told: {}, dat "
                    "'{}' on set '{}', {} bytes; the loop uses the values that are on the device; "
                    "call op_upload_dat after dat->data has been written",
                    core::argument_site(loop, static_cast<int>(k)), dat.name_storage,
                    dat.on().name_storage, dat.rows.bytes()));
  }
}

}  // namespace

std::unique_ptr<core::Listener> make_pointer_check(Runtime& runtime) {
  return std::make_unique<PointerCheck>(runtime);
}

}  // namespace op2::api
