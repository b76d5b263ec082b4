// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

#include <api/listeners/listeners.hpp>
#include <api/runtime.hpp>
#include <comm/files/open_file.hpp>
#include <core/hash.hpp>
#include <core/log.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>

namespace op2::api {
namespace {

/// Each event adds a line, which the root writes.
class ValueLog : public core::Listener {
 public:
  explicit ValueLog(Runtime& runtime);

  void declared(const core::Set& set) override;
  void declared(const core::Map& map) override;
  void declared(const core::Dat& dat) override;
  void fetched(const core::Dat& dat) override;
  void fetched(const core::Global& global) override;
  /// Adds the variables of the program that a loop reduces.
  void loop_returns(const op_loop_name& loop, std::span<const op_arg> args, bool forced) override;
  /// Adds all dats and completes the file: without it there is none.
  void session_completes() override;

 private:
  /// Owned by this rank, or declared by it.
  struct Rows {
    const core::Set& set;
    std::span<const std::byte> bytes;
    std::size_t row_bytes;
    Type type;
  };

  void add_rows(const std::string& what, const core::Dat& dat);
  /// The line has the sum over the ranks.
  void add_rows(const std::string& what, const Rows& rows);
  /// @param hash  equal on all ranks; none: of something without values
  void add(const std::string& what, std::optional<std::uint64_t> hash);

  Runtime& runtime_;
  std::optional<comm::FileWriter> file_;  ///< of the root
};

ValueLog::ValueLog(Runtime& runtime) : runtime_(runtime) {
  runtime_.enter("OP2_HASH");
  runtime_.do_on_root([&] {
    file_.emplace(runtime_.options.hash_file);
    file_->write(core::first_line_of_hashes());
  });
}

void ValueLog::declared(const core::Set& set) {
  add(fmt::format("{}set '{}' of {} elements", core::declaration, set.name_storage,
                  set.global_size),
      {});
}

void ValueLog::declared(const core::Map& map) {
  const core::Set& from = *core::record_of(map.from);
  add_rows(fmt::format("{}map '{}' from '{}' to '{}' of arity {}", core::declaration,
                       map.name_storage, from.name_storage, map.to->name, map.dim),
           {from, std::as_bytes(map.values()),
            static_cast<std::size_t>(map.dim) * sizeof(std::int32_t), Type::i32});
}

void ValueLog::declared(const core::Dat& dat) {
  add_rows(fmt::format("{}dat '{}' of dim {} and type \"{}\" on '{}'", core::declaration,
                       dat.name_storage, dat.dim, dat.type, dat.set->name),
           dat);
}

void ValueLog::fetched(const core::Dat& dat) {
  add_rows(fmt::format("fetch of dat '{}'", dat.name_storage), dat);
}

void ValueLog::fetched(const core::Global& global) {
  add(fmt::format("fetch of global '{}'", global.name_storage),
      core::hash_of_values({runtime_.host_copy(global.value), global.value.bytes()},
                           global.value_type));
}

void ValueLog::loop_returns(const op_loop_name& loop, std::span<const op_arg> args, bool forced) {
  if (!forced) return;
  for (const op_arg& arg : args) {
    if (!core::is_raw_global(arg) || arg.acc == OP_READ) continue;
    const Type type = core::type_of(arg);
    const std::span values(reinterpret_cast<const std::byte*>(arg.data),
                           core::size_of(type, core::dim_of(arg)));
    add(fmt::format("loop '{}' arg {}", loop.name, &arg - args.data()),
        core::hash_of_values(values, type));
  }
}

void ValueLog::session_completes() {
  const core::Progress progress(runtime_.log,
                                fmt::format("writing '{}'", runtime_.options.hash_file));
  for (const auto& dat : runtime_.mesh.dats())
    if (!dat->temporary && runtime_.mesh.knows(dat.get()))
      add_rows(fmt::format("dat '{}' at op_exit", dat->name_storage), *dat);
  runtime_.enter("OP2_HASH, end");
  runtime_.check_together([&] {
    if (file_) file_->publish();
  });
}

void ValueLog::add_rows(const std::string& what, const core::Dat& dat) {
  const auto row_bytes = static_cast<std::size_t>(dat.size);
  const std::size_t owned = static_cast<std::size_t>(dat.on().layout->owned()) * row_bytes;
  add_rows(what, {dat.on(), {runtime_.host_copy(dat.rows), owned}, row_bytes, dat.value_type});
}

void ValueLog::add_rows(const std::string& what, const Rows& rows) {
  const core::Progress progress(runtime_.log, "OP2_HASH, " + what);
  const std::uint64_t hash = core::hash_of_rows(rows.set, rows.bytes, rows.row_bytes, rows.type);
  runtime_.enter("OP2_HASH, {}", what);
  comm::WordReduction sum{{static_cast<std::int64_t>(hash)}, {}, {}};
  runtime_.collectively([&] { runtime_.ranks().reduce(sum, "hashing values"); });
  add(what, static_cast<std::uint64_t>(sum.sums.front()));
}

void ValueLog::add(const std::string& what, std::optional<std::uint64_t> hash) {
  if (!file_) return;
  runtime_.collectively([&] { file_->write(core::line_of(hash, what)); });
}

}  // namespace

std::unique_ptr<core::Listener> make_value_log(Runtime& runtime) {
  return std::make_unique<ValueLog>(runtime);
}

}  // namespace op2::api
