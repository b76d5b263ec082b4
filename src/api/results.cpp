// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <vector>

#include <op2/io.hpp>
#include <op2/runtime.hpp>

#include <api/session.hpp>
#include <comm/dat_file.hpp>
#include <comm/records.hpp>
#include <comm/vtu_writer.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>

using namespace op2;

namespace {

const core::Dat& checked_dat(const char* function, op_dat dat) {
  core::check_handle(api::usable().mesh, function, dat);
  return *core::record_of(dat);
}

/// Everybody's rows on the root, in the order of the ranks; empty elsewhere. Collective.
comm::Bytes rows_on_root(comm::Communicator& ranks, std::span<const std::byte> mine) {
  comm::Bytes all;
  for (const comm::Message& m : comm::gather_on_root(ranks, {mine.begin(), mine.end()}))
    all.insert(all.end(), m.bytes.begin(), m.bytes.end());
  return all;
}

/// A dat with all its values, on the root.
struct WholeDat {
  const core::Dat& dat;
  comm::Bytes storage;              ///< unused where the values are in the dat as declared
  std::span<const std::byte> rows;  ///< empty elsewhere
  comm::Field field() const {
    return {dat.name, dat.value_type, dat.dim, dat.on().global_size, rows.data()};
  }
};

WholeDat whole_dat(api::Runtime& runtime, const core::Dat& dat) {
  WholeDat whole{dat, {}, {}};
  whole.rows = runtime.fetch(dat, whole.storage);
  if (runtime.alone()) return whole;
  whole.storage = runtime.collectively([&] { return rows_on_root(runtime.ranks(), whole.rows); });
  whole.rows = whole.storage;
  return whole;
}

void check_values(const char* function, const core::Dat& dat, Type value_type, const void* values) {
  if (dat.value_type != value_type)
    core::fail(ErrorCode::bad_type, "{}: dat '{}' is of type \"{}\", the values are {}", function,
               dat.name, dat.type, core::cxx_name_of(value_type));
  if (values == nullptr && dat.on().declared > 0)
    core::fail(ErrorCode::null_data, "{}: the values for dat '{}' are null", function, dat.name);
}

/// All values of a dat on one rank.
void copy_all(const api::Runtime& runtime, const core::Dat& dat, void* values) {
  const std::int64_t size = dat.on().declared;
  if (size > 0) runtime.rows.copy_declared(dat, 0, size - 1, static_cast<std::byte*>(values));
}

/// Global numbers low .. high, inclusive.
struct IdRange {
  std::int64_t low, high;
};

/// What every rank wants of the rows that this one holds. Collective.
std::vector<comm::Message> parts_for_all(comm::Communicator& ranks, const core::Dat& dat,
                                         std::span<const std::byte> held, const IdRange& mine) {
  const auto bytes = static_cast<std::size_t>(dat.size);
  const std::int64_t first = dat.on().first, end = first + dat.on().declared;
  const auto wanted = comm::gather_records(ranks, mine);
  std::vector<comm::Message> parts;
  for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
    const std::int64_t from = std::max(first, wanted[rank].low);
    const std::int64_t to = std::min(end, wanted[rank].high + 1);
    if (from >= to) continue;
    const auto rows = held.subspan(static_cast<std::size_t>(from - first) * bytes,
                                   static_cast<std::size_t>(to - from) * bytes);
    parts.push_back({static_cast<int>(rank), {rows.begin(), rows.end()}});
  }
  return parts;
}

void check_field(const core::Dat& dat, op_set cells, op_set points) {
  if (dat.set != cells && dat.set != points)
    core::fail(ErrorCode::wrong_set,
               "op_write_vtu: dat '{}' is on set '{}', neither on '{}' nor on '{}'", dat.name,
               dat.set->name, cells->name, points->name);
}

using FileFunction = void (*)(const std::string&, const comm::Field&);

void print_dat(const char* function, op_dat dat, const char* path, FileFunction write) {
  core::check_path(function, path);
  const core::Dat& record = checked_dat(function, dat);
  auto& runtime = api::usable();
  const WholeDat whole = whole_dat(runtime, record);
  runtime.enter("{} '{}'", function, record.name);
  runtime.check_together([&] {
    if (runtime.ranks().is_root()) write(path, whole.field());
  });
}

}  // namespace

void op2::detail::fetch_data(op_dat dat, Type value_type, void* values) {
  const core::Dat& record = checked_dat("op_fetch_data", dat);
  auto& runtime = api::usable();
  runtime.flush();
  runtime.enter("op_fetch_data '{}'", record.name);
  runtime.check_together([&] { check_values("op_fetch_data", record, value_type, values); });
  if (runtime.alone()) return copy_all(runtime, record, values);
  comm::Bytes storage;
  const auto rows = runtime.fetch(record, storage);
  if (!rows.empty()) std::memcpy(values, rows.data(), rows.size());
}

void op2::detail::fetch_data_range(op_dat dat, Type value_type, void* values, std::int64_t low,
                                   std::int64_t high) {
  const core::Dat& record = checked_dat("op_fetch_data_idx", dat);
  auto& runtime = api::usable();
  runtime.flush();
  runtime.enter("op_fetch_data_idx '{}'", record.name);
  runtime.check_together([&] {
    check_values("op_fetch_data_idx", record, value_type, values);
    if (values == nullptr)
      core::fail(ErrorCode::null_data, "op_fetch_data_idx: the values for dat '{}' are null",
                 record.name);
    if (low < 0 || high >= record.on().global_size || low > high)
      core::fail(ErrorCode::bad_range,
                 "op_fetch_data_idx: elements {} .. {} of dat '{}', but set '{}' has {}", low, high,
                 record.name, record.set->name, record.on().global_size);
  });
  if (runtime.alone())
    return runtime.rows.copy_declared(record, low, high, static_cast<std::byte*>(values));
  comm::Bytes storage;
  const auto held = runtime.fetch(record, storage);
  runtime.collectively([&] {
    auto* out = static_cast<std::byte*>(values);
    for (const comm::Message& part :
         runtime.ranks().exchange(parts_for_all(runtime.ranks(), record, held, {low, high})))
      out = std::copy(part.bytes.begin(), part.bytes.end(), out);
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

void op_write_vtu(const char* path, op_map cells_to_nodes, op_dat coordinates,
                  std::span<const op_dat> fields) {
  core::check_path("op_write_vtu", path);
  const core::Dat& points = checked_dat("op_write_vtu, coordinates", coordinates);
  auto& runtime = api::usable();
  core::check_handle(runtime.mesh, "op_write_vtu, map", cells_to_nodes);
  const core::Map& map = *core::record_of(cells_to_nodes);
  if (points.set != map.to)
    core::fail(ErrorCode::wrong_set,
               "op_write_vtu: map '{}' leads to set '{}', but the coordinates '{}' are on set '{}'",
               map.name, map.to->name, points.name, points.set->name);
  for (const op_dat field : fields)
    check_field(checked_dat("op_write_vtu, field", field), map.from, map.to);
  std::vector<WholeDat> whole;
  std::vector<comm::Field> on_cells, on_points;
  whole.push_back(whole_dat(runtime, points));
  for (const op_dat field : fields) whole.push_back(whole_dat(runtime, *core::record_of(field)));
  for (std::size_t k = 1; k < whole.size(); ++k)
    (whole[k].dat.set == map.from ? on_cells : on_points).push_back(whole[k].field());
  const comm::Bytes entries = runtime.collectively([&] {
    comm::Bytes mine = runtime.rows.declared_entries(map);
    return runtime.alone() ? mine : rows_on_root(runtime.ranks(), mine);
  });
  const std::span cell_nodes(reinterpret_cast<const std::int32_t*>(entries.data()),
                             entries.size() / sizeof(std::int32_t));
  runtime.enter("op_write_vtu");
  runtime.check_together([&] {
    if (runtime.ranks().is_root())
      comm::write_vtu(path, {whole[0].field(), map.dim, cell_nodes, on_cells, on_points});
  });
}
