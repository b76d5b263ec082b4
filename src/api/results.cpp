// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <vector>

#include <op2/io.hpp>
#include <op2/runtime.hpp>

#include <api/session.hpp>
#include <api/whole_dat.hpp>
#include <comm/files/dat_file.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>

using namespace op2;

namespace {

void check_values(const char* function, const core::Dat& dat, Type value_type, const void* values) {
  if (dat.value_type != value_type)
    core::fail(ErrorCode::bad_type, "{}: dat '{}' is of type \"{}\", the values are {}", function,
               dat.name_storage, dat.type, core::cxx_name_of(value_type));
  if (values == nullptr && dat.on().declared > 0)
    core::fail(ErrorCode::null_data, "{}: the values for dat '{}' are null", function,
               dat.name_storage);
}

/// All values of a dat on one rank.
void copy_all(const api::Runtime& runtime, const core::Dat& dat, void* values) {
  const std::int64_t size = dat.on().declared;
  if (size > 0) runtime.rows.copy_declared(dat, 0, size - 1, static_cast<std::byte*>(values));
}

/// Global indices low .. high, inclusive.
struct IdRange {
  std::int64_t low, high;
};

/// What other ranks request of the rows that this one declares. Collective. Cost: a message of a
/// few bytes to each rank whose rows are wanted.
/// @param mine  what this rank wants
std::vector<comm::Message> wanted_parts(api::Runtime& runtime, const core::Dat& dat,
                                        std::span<const std::byte> declared, const IdRange& mine) {
  const auto bytes = static_cast<std::size_t>(dat.size);
  const comm::Blocks& blocks = runtime.rows.declared_blocks(dat.on());
  std::vector<comm::Message> questions;
  const int last = blocks.declaring_rank(mine.high);
  for (int rank = blocks.declaring_rank(mine.low); rank <= last; ++rank)
    questions.push_back({rank, comm::to_bytes<IdRange>({&mine, 1})});
  const std::int64_t first = dat.on().first, end = first + dat.on().declared;
  std::vector<comm::Message> parts;
  for (const comm::Message& question : runtime.ranks().exchange(std::move(questions))) {
    const IdRange wanted = comm::from_bytes<IdRange>(question.bytes).front();
    const std::int64_t from = std::max(first, wanted.low), to = std::min(end, wanted.high + 1);
    if (from >= to) continue;
    const auto rows = declared.subspan(static_cast<std::size_t>(from - first) * bytes,
                                       static_cast<std::size_t>(to - from) * bytes);
    parts.push_back({question.rank, {rows.begin(), rows.end()}});
  }
  return parts;
}

using FileFunction = void (*)(const std::string&, const comm::Field&);

void print_dat(const char* function, op_dat dat, const char* path, FileFunction write) {
  core::check_path(function, path);
  const core::Dat& record = api::checked_dat(function, dat);
  if (record.opaque)
    core::fail(ErrorCode::bad_type,
               "{}: the rows of dat '{}' are opaque, because its values have another size than "
               "\"{}\"; fetch them and write them by the program",
               function, record.name_storage, record.type);
  auto& runtime = api::usable();
  const api::WholeDat whole = api::whole_dat(runtime, record);
  runtime.enter("{} '{}'", function, record.name_storage);
  runtime.check_together([&] {
    if (runtime.ranks().is_root()) write(path, whole.field());
  });
}

}  // namespace

void op2::detail::fetch_data(op_dat dat, Type value_type, void* values) {
  const core::Dat& record = api::checked_dat("op_fetch_data", dat);
  auto& runtime = api::usable();
  runtime.flush();
  runtime.enter("op_fetch_data '{}'", record.name_storage);
  runtime.check_together([&] { check_values("op_fetch_data", record, value_type, values); });
  if (runtime.alone()) return copy_all(runtime, record, values);
  comm::Bytes storage;
  const auto rows = runtime.fetch(record, storage);
  if (!rows.empty()) std::memcpy(values, rows.data(), rows.size());
}

void op2::detail::fetch_data_range(op_dat dat, Type value_type, void* values, std::int64_t low,
                                   std::int64_t high) {
  const core::Dat& record = api::checked_dat("op_fetch_data_idx", dat);
  auto& runtime = api::usable();
  runtime.flush();
  runtime.enter("op_fetch_data_idx '{}'", record.name_storage);
  runtime.check_together([&] {
    check_values("op_fetch_data_idx", record, value_type, values);
    if (values == nullptr)
      core::fail(ErrorCode::null_data, "op_fetch_data_idx: the values for dat '{}' are null",
                 record.name_storage);
    if (low < 0 || high >= record.on().global_size || low > high)
      core::fail(ErrorCode::bad_range,
                 "op_fetch_data_idx: elements {} .. {} of dat '{}', but set '{}' has {}", low, high,
                 record.name_storage, record.set->name, record.on().global_size);
  });
  if (runtime.alone())
    return runtime.rows.copy_declared(record, low, high, static_cast<std::byte*>(values));
  comm::Bytes storage;
  const auto declared = runtime.fetch(record, storage);
  runtime.collectively([&] {
    auto* out = static_cast<std::byte*>(values);
    for (const comm::Message& part :
         runtime.ranks().exchange(wanted_parts(runtime, record, declared, {low, high})))
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
