// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <op2/decl.hpp>
#include <op2/kernel.hpp>

#include <api/session.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>
#include <core/text.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>
#include <jit/source_scan.hpp>
#include <sched/passes.hpp>
#include <sched/reductions.hpp>

using namespace op2;

namespace {

/// Warns if a record had to be renamed.
template <class Record>
Record* report_name(api::Runtime& runtime, const char* what, const char* name, Record& record) {
  if (record.name_storage != name)
    runtime.log.warning(fmt::format("{} '{}' was declared before; the new one is called '{}'", what,
                                    name, record.name));
  return &record;
}

/// Throws if ranks give different types or values. Collective.
void compare_values(api::Runtime& runtime, const char* function, const char* name, int dim,
                    Type type, const void* values) {
  const std::size_t bytes = core::size_of(type, dim);
  runtime.enter("{} '{}', {} x {}, value={:016x}", function, name, dim, core::name_of(type),
                sched::fingerprint_of({static_cast<const char*>(values), bytes}));
  runtime.ranks().barrier();
}

/// Warns if there are several ranks and all have declared the same rows: probably each declares the
/// whole mesh. Collective.
void report_copies(api::Runtime& runtime, const core::Set& from, const core::Map& map) {
  const auto entries = map.values();
  const auto sample = entries.first(std::min<std::size_t>(entries.size(), 4096));
  const std::uint64_t hash = sched::fingerprint_of(comm::text_of(std::as_bytes(sample)));
  comm::WordReduction rows{{1}, {from.declared, static_cast<std::int64_t>(hash)}, {}};
  rows.maxima = rows.minima;
  runtime.ranks().reduce(rows, "comparing rows of a map");
  if (rows.sums[0] > 1 && from.declared > 0 && rows.minima == rows.maxima)
    runtime.log.warning(
        fmt::format("all {} ranks declare the same {} rows of map '{}'; if that is the whole mesh, "
                    "it is now there {} times: each rank declares its own block "
                    "(share/doc/op2/docs/ranks.md)",
                    runtime.ranks().size(), from.declared, map.name, runtime.ranks().size()));
}

/// That ranks declare the same dats is compared in the next reduction.
void declare_alike(const api::Runtime& runtime, op_set set, int dim, Type type, const char* name) {
  runtime.ranks().declare(
      fmt::format("dat '{}' on set '{}', {} x {}", name, set->name, dim, core::name_of(type)));
}

/// Collective unless the mesh is as declared.
core::Dat& add_dat(api::Runtime& runtime, op_set set, int dim, Type value_type, const void* values,
                   const char* name) {
  declare_alike(runtime, set, dim, value_type, name);
  if (runtime.rows.as_declared())
    return runtime.mesh.add_dat(set, dim, value_type, values, name, false);
  runtime.enter("op_decl_dat '{}' of dim {} on '{}'", name, dim, set->name);
  return *runtime.collectively([&] {
    core::Dat& added = runtime.mesh.add_dat(set, dim, value_type, nullptr, name, false);
    runtime.rows.set_declared_rows(added, values);
    return &added;
  });
}

/// The folder in which a relative path begins, for messages.
std::string base_folder_of(const char* path) {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::current_path(ignored);
  if (path[0] == '/' || folder.empty()) return "";
  return fmt::format(" in the working directory '{}'", folder.string());
}

/// The record of a global that the caller uses as `value_type`.
core::Global& checked_global(const api::Runtime& runtime, const char* function, op_global global,
                             Type value_type, const void* values) {
  core::check_handle(runtime.mesh, function, global);
  core::Global& record = *core::record_of(global);
  if (record.value_type != value_type)
    core::fail(ErrorCode::bad_type,
               "wrong type: {}, global '{}' of type \"{}\", values of C++ type {}; pass values of "
               "the global's type",
               function, record.name, record.type, core::cxx_name_of(value_type));
  if (values == nullptr)
    core::fail(
        ErrorCode::null_data,
        "the values are null: {}, global '{}', dim {}; pass the address of an array for them",
        function, record.name, record.dim);
  return record;
}

void check_kernel_name(const char* name) {
  core::check_identifier("kernel", name, ErrorCode::bad_name);
  if (jit::is_reserved_for_functions(name))
    core::fail(ErrorCode::bad_name,
               "the name is reserved: kernel '{}', no function can have it; choose another", name);
}

}  // namespace

op_set op_decl_set(int local_size, const char* name) {
  auto& runtime = api::usable();
  const core::InPart part(&runtime.measurements.profile, core::Part::declarations);
  core::check_name("op_decl_set", name);
  runtime.enter("op_decl_set '{}'", name);
  runtime.check_together([&] {
    if (local_size < 0)
      core::fail(ErrorCode::bad_size,
                 "negative size: set '{}', {} elements; give the number that this rank declares",
                 name, local_size);
  });
  runtime.return_to_declared();
  core::Set* const set = runtime.collectively(
      [&] { return &runtime.mesh.add_set(runtime.rows.block_of(local_size, name), name); });
  for (const auto& listener : runtime.measurements.listeners) listener->declared(*set);
  return report_name(runtime, "set", name, *set);
}

op_map op_decl_map(op_set from, op_set to, int dim, const int* values, const char* name) {
  auto& runtime = api::usable();
  core::check_name("op_decl_map", name);
  const core::InPart part(&runtime.measurements.profile, core::Part::declarations);
  core::check_handle(runtime.mesh, fmt::format("map '{}', set 'from'", name), from);
  core::check_handle(runtime.mesh, fmt::format("map '{}', set 'to'", name), to);
  core::check_dim("map", name, dim);
  runtime.enter("op_decl_map '{}' of arity {} from '{}' to '{}'", name, dim, from->name, to->name);
  runtime.check_together([&] { core::check_map_values(from, to, dim, values, name); });
  runtime.return_to_declared();
  core::Map* const map = runtime.collectively([&] {
    core::Map& added = runtime.mesh.add_map(from, to, dim, values, name);
    report_copies(runtime, *core::record_of(from), added);
    return &added;
  });
  for (const auto& listener : runtime.measurements.listeners) listener->declared(*map);
  return report_name(runtime, "map", name, *map);
}

op_dat op2::detail::decl_dat(op_set set, int dim, const char* type, Type value_type,
                             const void* values, const char* name) {
  auto& runtime = api::usable("op_decl_dat");
  const core::InPart part(&runtime.measurements.profile, core::Part::declarations);
  core::check_name("op_decl_dat", name);
  core::check_handle(runtime.mesh, fmt::format("dat '{}', set", name), set);
  core::check_dim("dat", name, dim);
  core::check_type("dat", name, type, value_type);
  core::Dat& dat = add_dat(runtime, set, dim, value_type, values, name);
  for (const auto& listener : runtime.measurements.listeners) listener->declared(dat);
  return report_name(runtime, "dat", name, dat);
}

op_dat op_decl_dat_temp(op_set set, int dim, const char* type, const char* name) {
  auto& runtime = api::usable();
  core::check_name("op_decl_dat_temp", name);
  core::check_handle(runtime.mesh, fmt::format("dat '{}', set", name), set);
  core::check_dim("dat", name, dim);
  const Type value_type = core::check_type_name(fmt::format("dat '{}'", name), type);
  declare_alike(runtime, set, dim, value_type, name);
  return &runtime.mesh.add_dat(set, dim, value_type, nullptr, name, true);
}

bool op_free_dat_temp(op_dat dat) {
  auto& runtime = api::running();
  const bool released = runtime.mesh.release(dat);
  if (runtime.queue.empty()) runtime.mesh.recycle();
  return released;
}

void op2::api::check_constant(const char* name, int dim, const char* type, Type value_type,
                              const void* values) {
  core::check_dim("constant", name, dim);
  core::check_type("constant", name, type, value_type);
  if (values == nullptr)
    core::fail(ErrorCode::null_data,
               "the values are null: constant '{}', dim {}; pass their address", name, dim);
}

void op2::detail::decl_const(const char* name, int dim, const char* type, Type value_type,
                             const void* values) {
  auto& runtime = api::usable("op_decl_const");
  core::check_identifier("constant", name, ErrorCode::bad_constant);
  if (jit::is_reserved(name))
    core::fail(
        ErrorCode::bad_constant,
        "the name is reserved: constant '{}', kernels mean something else by it; choose another",
        name);
  api::check_constant(name, dim, type, value_type, values);
  runtime.flush();  // queued loops see the old value
  compare_values(runtime, "op_decl_const", name, dim, value_type, values);
  runtime.mesh.set_constant(name, value_type, dim, values);
}

op_global op2::detail::decl_global(int dim, Type value_type, const void* initial,
                                   const char* name) {
  auto& runtime = api::usable("op_decl_global");
  core::check_name("op_decl_global", name);
  core::check_dim("global", name, dim);
  if (initial == nullptr)
    core::fail(ErrorCode::null_data,
               "the initial value is null: global '{}', dim {}; pass its address", name, dim);
  compare_values(runtime, "op_decl_global", name, dim, value_type, initial);
  return report_name(runtime, "global", name,
                     runtime.mesh.add_global(dim, value_type, initial, name));
}

void op2::detail::set_global(op_global global, Type value_type, const void* values) {
  auto& runtime = api::usable("op_set_global");
  core::Global& record = checked_global(runtime, "op_set_global", global, value_type, values);
  runtime.queue.push_assignment(record, values);
  runtime.flush_if_full();
}

void op2::detail::fetch_global(op_global global, Type value_type, void* values) {
  auto& runtime = api::readable("op_fetch_global");
  const core::InPart part(&runtime.measurements.profile, core::Part::results);
  core::Global& record = checked_global(runtime, "op_fetch_global", global, value_type, values);
  runtime.flush();
  runtime.enter("op_fetch_global '{}'", record.name);
  core::Global* const wanted = &record;
  const bool sends = record.has_partial && sched::sends_messages(runtime.ranks());
  const auto begin = core::Clock::now();
  {
    const core::InPart reducing(sends ? &runtime.measurements.profile : nullptr,
                                core::Part::reductions);
    runtime.collectively([&] { sched::combine({&wanted, 1}, runtime.ranks()); });
  }
  if (sends) core::report_span(runtime.measurements.listeners, "reduction", "combine", begin);
  for (const auto& listener : runtime.measurements.listeners) listener->fetched(record);
  std::memcpy(values, runtime.host_copy(record.value), record.value.bytes());
}

op_kernel op_decl_kernel(const char* name, const char* source, const char* file, int line) {
  auto& runtime = api::usable();
  check_kernel_name(name);
  if (source == nullptr)
    core::fail(ErrorCode::null_data, "the source is null: kernel '{}'; pass its text", name);
  return &runtime.mesh.add_kernel(name, source, file, line, false);
}

op_kernel op_decl_kernel_file(const char* name, const char* path) {
  auto& runtime = api::usable();
  check_kernel_name(name);
  if (path == nullptr)
    core::fail(ErrorCode::null_data, "the path is null: kernel '{}'; name the file of its source",
               name);
  std::optional<std::string> text = core::read_file(path);
  if (!text) {
    const std::string why = core::why_unreadable(path);
    core::fail(ErrorCode::io_failure,
               "cannot read a source: kernel '{}', file '{}'{}, {}; check the path and the "
               "permissions",
               name, path, base_folder_of(path), why);
  }
  return &runtime.mesh.add_kernel(name, std::move(*text), path, 1, true);
}
