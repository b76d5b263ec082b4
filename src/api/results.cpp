// SPDX-License-Identifier: BSD-3-Clause

#include <op2/io.hpp>
#include <op2/runtime.hpp>

#include <api/session.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>
#include <core/log.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>

namespace op2::api {

WholeDat whole_dat(Runtime& runtime, const core::Dat& dat) {
  WholeDat whole{dat, {}, {}};
  comm::Bytes joined;
  const auto mine = runtime.fetch(dat, whole.storage);
  whole.rows =
      runtime.collectively([&] { return comm::joined_on_root(runtime.ranks(), mine, joined); });
  if (!joined.empty()) whole.storage = std::move(joined);
  return whole;
}

}  // namespace op2::api

using namespace op2;

namespace {

void check_values(const char* function, const core::Dat& dat, Type value_type, const void* values) {
  if (dat.value_type != value_type)
    core::fail(ErrorCode::bad_type,
               "wrong type: {}, dat '{}' of type \"{}\", values of C++ type {}; pass values of the "
               "dat's type",
               function, dat.name_storage, dat.type, core::cxx_name_of(value_type));
  if (values == nullptr && dat.on().declared > 0)
    core::fail(ErrorCode::null_data,
               "the values are null: {}, dat '{}'; pass the address of an array for them", function,
               dat.name_storage);
}

using FileFunction = void (*)(const std::string&, const comm::Field&);

void print_dat(const char* function, op_dat dat, const char* path, FileFunction write) {
  core::check_path(function, path);
  const core::Dat& record = api::checked_dat(function, dat, api::readable);
  if (record.opaque)
    core::fail(ErrorCode::bad_type,
               "the rows are opaque: {}, dat '{}', whose values have another size than \"{}\"; "
               "fetch them and write them by the program",
               function, record.name_storage, record.type);
  auto& runtime = api::readable();
  const core::InPart part(&runtime.measurements.profile, core::Part::files);
  runtime.flush();
  const core::Progress progress(runtime.log, fmt::format("writing '{}'", path));
  const api::WholeDat whole = api::whole_dat(runtime, record);
  runtime.enter("{} '{}'", function, record.name_storage);
  runtime.do_on_root([&] { write(path, whole.field()); });
}

}  // namespace

void op2::detail::fetch_data(op_dat dat, Type value_type, void* values) {
  const core::Dat& record = api::checked_dat("op_fetch_data", dat, api::readable);
  auto& runtime = api::readable();
  const core::InPart part(&runtime.measurements.profile, core::Part::results);
  runtime.flush();
  runtime.enter("op_fetch_data '{}'", record.name_storage);
  runtime.check_together([&] { check_values("op_fetch_data", record, value_type, values); });
  for (const auto& listener : runtime.measurements.listeners) listener->fetched(record);
  runtime.collectively(
      [&] { runtime.rows.copy_declared(record, static_cast<std::byte*>(values)); });
}

void op2::detail::fetch_data_range(op_dat dat, Type value_type, void* values, std::int64_t low,
                                   std::int64_t high) {
  const core::Dat& record = api::checked_dat("op_fetch_data_idx", dat, api::readable);
  auto& runtime = api::readable();
  const core::InPart part(&runtime.measurements.profile, core::Part::results);
  runtime.flush();
  runtime.enter("op_fetch_data_idx '{}'", record.name_storage);
  runtime.check_together([&] {
    check_values("op_fetch_data_idx", record, value_type, values);
    if (values == nullptr)
      core::fail(
          ErrorCode::null_data,
          "the values are null: op_fetch_data_idx, dat '{}'; pass the address of an array for them",
          record.name_storage);
    if (low < 0 || high >= record.on().global_size || low > high)
      core::fail(ErrorCode::bad_range,
                 "range outside the set: op_fetch_data_idx, dat '{}', elements {} .. {}, but set "
                 "'{}' has {}; give two of them, the lower first",
                 record.name_storage, low, high, record.set->name, record.on().global_size);
  });
  for (const auto& listener : runtime.measurements.listeners) listener->fetched(record);
  runtime.collectively([&] {
    runtime.rows.copy_declared_range(record, low, high, static_cast<std::byte*>(values));
  });
}

std::int64_t op_get_size(op_set set) {
  core::check_handle(api::running().mesh, "op_get_size", set);
  return core::record_of(set)->global_size;
}

int op_rank() {
  return api::running().ranks().rank();
}

int op_ranks() {
  return api::running().ranks().size();
}

bool op_is_root() {
  const api::Runtime* runtime = api::session_or_null();
  return runtime == nullptr || runtime->ranks().is_root();
}

void op_print_dat_to_txtfile(op_dat dat, const char* path) {
  print_dat("op_print_dat_to_txtfile", dat, path, comm::write_text_file);
}

void op_print_dat_to_binfile(op_dat dat, const char* path) {
  print_dat("op_print_dat_to_binfile", dat, path, comm::write_binary_file);
}
