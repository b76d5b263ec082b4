// SPDX-License-Identifier: BSD-3-Clause
// The functions on HDF5 files: names and handles to rows in blocks, and back.
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <op2/decl.hpp>
#include <op2/hdf5.hpp>

#include <api/session.hpp>
#include <comm/files/hdf5_file.hpp>
#include <comm/files/open_file.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>
#include <core/log.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>

using namespace op2;
using comm::Hdf5File;

namespace {

/// The session, after checking the names given in a call.
api::Runtime& begin_call(const char* function, const char* file, const char* name,
                         api::Runtime& (*find)(const char* caller) = api::usable) {
  auto& runtime = find(function);
  core::check_path(function, file);
  core::check_name(function, name);
  return runtime;
}

op_set declare_equal_blocks(api::Runtime& runtime, const char* name, std::int64_t size,
                            const std::string& source) {
  if (size < 0)
    core::fail(ErrorCode::bad_size,
               "negative size: set '{}', {} gives {} elements; correct the file", name, source,
               size);
  if (size > std::numeric_limits<std::int32_t>::max())
    core::fail(ErrorCode::too_large,
               "too many elements: set '{}', {} gives {}, at most 2^31 - 1; use a smaller mesh",
               name, source, size);
  const auto& ranks = runtime.ranks();
  return op_decl_set(comm::equal_blocks(size, ranks.size()).count(ranks.rank()), name);
}

/// The rows of a dataset that this rank declares. Nothing, with a warning, if it is missing: then
/// the map or dat is not declared. Collective.
/// @param what  "map" or "dat"
template <class T>
std::optional<std::vector<T>> rows_of(api::Runtime& runtime, const char* file, const char* what,
                                      const char* name, const core::Set& set, Type type, int dim) {
  Hdf5File source(runtime.ranks(), file, Hdf5File::Access::read);
  if (!source.extents(name)) {
    const std::string advice = comm::advice_for_mesh(file);
    runtime.log.warning(
        fmt::format("op_decl_{}_hdf5: '{}' has no dataset '{}'; the {} is not declared{}{}", what,
                    file, name, what, advice.empty() ? "" : "; ", advice));
    return {};
  }
  const comm::Blocks blocks = runtime.rows.declared_blocks(set);
  const comm::Hdf5Rows rows{name, blocks, type, dim};
  source.check_extents(rows);  // before memory is taken for them
  std::vector<T> values;
  runtime.check_together([&] {
    values.resize(static_cast<std::size_t>(set.declared) * core::size_of(type, dim) / sizeof(T));
  });
  source.read_rows(rows, values.data());
  return values;
}

/// From indices of the file to indices from 0; names the first one that is not in `to`.
void subtract_base(std::vector<int>& values, const core::Set& from, op_set to, int dim, int base,
                   const std::string& source) {
  const std::int64_t targets = core::record_of(to)->global_size;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::int64_t target = std::int64_t{values[k]} - base;
    if (target < 0 || target >= targets)
      core::fail(ErrorCode::map_out_of_range,
                 "an entry is out of range: {}, row {}, column {} is {}, but set '{}' has {} "
                 "elements ({} .. {}); check the file and the base index, which is {}",
                 source, from.first + static_cast<std::int64_t>(k) / dim,
                 static_cast<std::int64_t>(k) % dim, values[k], to->name, targets, base,
                 targets - 1 + base, base);
    values[k] = static_cast<int>(target);
  }
}

std::string source_of(const char* file, const char* name) {
  return fmt::format("dataset '{}' of '{}'", name, file);
}

Type checked_type(const char* what, const char* name, const char* type) {
  return core::check_type_name(fmt::format("{} '{}'", what, name), type);
}

/// A path without redundant slashes.
std::string plain_path(const std::string& name) {
  std::string plain;
  for (const char c : name)
    if (c != '/' || (!plain.empty() && plain.back() != '/')) plain += c;
  if (!plain.empty() && plain.back() == '/') plain.pop_back();
  return plain;
}

/// Throws unless every record can have a separate dataset in one file.
void check_paths(const core::Mesh& mesh) {
  std::map<std::string, std::string> records;
  const auto add = [&](const char* what, const std::string& name) {
    const std::string record = fmt::format("{} '{}'", what, name);
    const auto [other, fresh] = records.try_emplace(plain_path(name), record);
    if (!fresh)
      core::fail(ErrorCode::bad_name,
                 "one dataset for two objects: op_dump_to_hdf5, {} and {}; give one another name",
                 other->second, record);
  };
  for (const auto& set : mesh.sets()) add("set", set->name_storage);
  for (const auto& map : mesh.maps()) add("map", map->name_storage);
  for (const auto& dat : mesh.dats())
    if (!dat->temporary) add("dat", dat->name_storage);
  for (const auto& [path, record] : records)
    for (auto end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1))
      if (const auto group = records.find(path.substr(0, end)); group != records.end())
        core::fail(ErrorCode::bad_name,
                   "a dataset cannot be a group too: op_dump_to_hdf5, {} with {} in it; give one "
                   "another name",
                   group->second, record);
}

/// Collective.
void write_dat(api::Runtime& runtime, Hdf5File& file, const core::Dat& dat,
               const std::string& path) {
  if (dat.opaque) {
    runtime.log.warning(
        fmt::format("dat '{}' is not written: its rows are opaque, because its "
                    "values have another size than \"{}\"",
                    dat.name_storage, dat.type));
    return;
  }
  comm::Bytes storage;
  const auto rows = runtime.fetch(dat, storage);
  const comm::Blocks blocks = runtime.rows.declared_blocks(dat.on());
  file.write_rows({path, blocks, dat.value_type, dat.dim}, rows.data());
}

/// @param base_index  the index of the first element in the file
void write_map(api::Runtime& runtime, Hdf5File& file, const core::Map& map, int base_index) {
  const std::vector<std::int32_t> entries = runtime.collectively([&] {
    auto numbers = comm::from_bytes<std::int32_t>(runtime.rows.declared_entries(map));
    for (std::int32_t& number : numbers) number += base_index;
    return numbers;
  });
  const comm::Blocks blocks = runtime.rows.declared_blocks(*core::record_of(map.from));
  file.write_rows({map.name_storage, blocks, Type::i32, map.dim}, entries.data());
}

void append_dat(const char* function, op_dat dat, const char* path_of_file, const char* path) {
  auto& runtime = begin_call(function, path_of_file, path, api::readable);
  const core::InPart part(&runtime.measurements.profile, core::Part::files);
  runtime.flush();
  runtime.enter("{} '{}' '{}'", function, path_of_file, path);
  runtime.compare_declarations(path_of_file);
  const core::Progress progress(runtime.log, fmt::format("writing '{}'", path_of_file));
  Hdf5File file(runtime.ranks(), path_of_file, Hdf5File::Access::append);
  write_dat(runtime, file, *core::record_of(dat), path);
  file.publish();
}

}  // namespace

op_set op_decl_set_hdf5(const char* file, const char* name) {
  auto& runtime = begin_call("op_decl_set_hdf5", file, name);
  const core::InPart part(&runtime.measurements.profile, core::Part::files);
  runtime.enter("op_decl_set_hdf5 '{}' '{}'", file, name);
  const core::Progress progress(runtime.log, "reading " + source_of(file, name));
  std::int64_t size = 0;
  Hdf5File(runtime.ranks(), file, Hdf5File::Access::read).read_values(name, Type::i64, 1, &size);
  return declare_equal_blocks(runtime, name, size, source_of(file, name));
}

op_set op_decl_set_hdf5_infer_size(const char* file, const char* name, const char* dataset) {
  auto& runtime = begin_call("op_decl_set_hdf5_infer_size", file, name);
  const core::InPart part(&runtime.measurements.profile, core::Part::files);
  core::check_name("op_decl_set_hdf5_infer_size, dataset", dataset);
  runtime.enter("op_decl_set_hdf5_infer_size '{}' '{}' '{}'", file, name, dataset);
  const core::Progress progress(runtime.log, "reading " + source_of(file, dataset));
  const auto extents = Hdf5File(runtime.ranks(), file, Hdf5File::Access::read).extents(dataset);
  if (!extents || extents->empty())
    core::fail(ErrorCode::bad_dataset,
               "no rows to count: set '{}', dataset '{}' of '{}'; name a dataset with one row for "
               "each element (h5dump -n lists all)",
               name, dataset, file);
  return declare_equal_blocks(runtime, name, extents->front(), source_of(file, dataset));
}

op_map op_decl_map_hdf5(op_set from, op_set to, int dim, const char* file, const char* name,
                        int base_index) {
  auto& runtime = begin_call("op_decl_map_hdf5", file, name);
  const core::InPart part(&runtime.measurements.profile, core::Part::files);
  core::check_handle(runtime.mesh, fmt::format("map '{}', set 'from'", name), from);
  core::check_handle(runtime.mesh, fmt::format("map '{}', set 'to'", name), to);
  core::check_dim("map", name, dim);
  runtime.enter("op_decl_map_hdf5 '{}' '{}' of arity {}", file, name, dim);
  const core::Progress progress(runtime.log, "reading " + source_of(file, name));
  const core::Set& source = *core::record_of(from);
  auto values = rows_of<int>(runtime, file, "map", name, source, Type::i32, dim);
  if (!values) return nullptr;
  runtime.check_together(
      [&] { subtract_base(*values, source, to, dim, base_index, source_of(file, name)); });
  return op_decl_map(from, to, dim, values->data(), name);
}

op_dat op_decl_dat_hdf5(op_set set, int dim, const char* type, const char* file, const char* name) {
  auto& runtime = begin_call("op_decl_dat_hdf5", file, name);
  const core::InPart part(&runtime.measurements.profile, core::Part::files);
  core::check_handle(runtime.mesh, fmt::format("dat '{}', set", name), set);
  core::check_dim("dat", name, dim);
  const Type value_type = checked_type("dat", name, type);
  runtime.enter("op_decl_dat_hdf5 '{}' '{}' of dim {}", file, name, dim);
  const core::Progress progress(runtime.log, "reading " + source_of(file, name));
  const auto values =
      rows_of<std::byte>(runtime, file, "dat", name, *core::record_of(set), value_type, dim);
  return values ? detail::decl_dat(set, dim, type, value_type, values->data(), name) : nullptr;
}

void op2::detail::get_const_hdf5(const char* name, int dim, const char* type, Type value_type,
                                 void* values, const char* file) {
  auto& runtime = begin_call("op_get_const_hdf5", file, name);
  const core::InPart part(&runtime.measurements.profile, core::Part::files);
  api::check_constant(name, dim, type, value_type, values);
  runtime.enter("op_get_const_hdf5 '{}' '{}' of dim {}", file, name, dim);
  const core::Progress progress(runtime.log, "reading " + source_of(file, name));
  Hdf5File(runtime.ranks(), file, Hdf5File::Access::read)
      .read_values(name, value_type, dim, values);
}

void op_get_const_hdf5(const char* name, int dim, const char* type, char* values,
                       const char* file) {
  core::check_name("op_get_const_hdf5", name);
  detail::get_const_hdf5(name, dim, type, checked_type("constant", name, type), values, file);
}

void op2::detail::write_const_hdf5(const char* name, int dim, const char* type, Type value_type,
                                   const void* values, const char* file) {
  auto& runtime = begin_call("op_write_const_hdf5", file, name);
  const core::InPart part(&runtime.measurements.profile, core::Part::files);
  api::check_constant(name, dim, type, value_type, values);
  runtime.enter("op_write_const_hdf5 '{}' '{}' of dim {}", file, name, dim);
  runtime.compare_declarations(file);
  const core::Progress progress(runtime.log, fmt::format("writing '{}'", file));
  Hdf5File target(runtime.ranks(), file, Hdf5File::Access::append);
  target.write_values(name, value_type, dim, values);
  target.publish();
}

void op_write_const_hdf5(const char* name, int dim, const char* type, const char* values,
                         const char* file) {
  core::check_name("op_write_const_hdf5", name);
  detail::write_const_hdf5(name, dim, type, checked_type("constant", name, type), values, file);
}

void op_dump_to_hdf5(const char* file, int base_index) {
  auto& runtime = api::usable();
  const core::InPart part(&runtime.measurements.profile, core::Part::files);
  core::check_path("op_dump_to_hdf5", file);
  check_paths(runtime.mesh);
  runtime.flush();
  runtime.enter("op_dump_to_hdf5 '{}'{}", file, base_index == 0 ? "" : " from 1");
  runtime.compare_declarations(file);
  const core::Progress progress(runtime.log, fmt::format("writing '{}'", file));
  Hdf5File target(runtime.ranks(), file, Hdf5File::Access::create);
  for (const auto& set : runtime.mesh.sets()) {
    const auto size = static_cast<std::int32_t>(set->global_size);
    target.write_values(set->name_storage, Type::i32, 1, &size);
  }
  for (const auto& map : runtime.mesh.maps()) write_map(runtime, target, *map, base_index);
  for (const auto& dat : runtime.mesh.dats())
    if (!dat->temporary) write_dat(runtime, target, *dat, dat->name_storage);
  target.publish();
}

void op_fetch_data_hdf5_file(op_dat dat, const char* file) {
  core::check_handle(api::readable().mesh, "op_fetch_data_hdf5_file", dat);
  append_dat("op_fetch_data_hdf5_file", dat, file, dat->name);
}

void op_fetch_data_hdf5_file_path(op_dat dat, const char* file, const char* path) {
  core::check_handle(api::readable().mesh, "op_fetch_data_hdf5_file_path", dat);
  append_dat("op_fetch_data_hdf5_file_path", dat, file, path);
}
