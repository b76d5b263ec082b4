// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/hdf5_dataset.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <comm/files/hdf5_links.hpp>
#include <comm/files/narrowing.hpp>

namespace op2::comm {

namespace {

using Sizes = std::vector<hsize_t>;

[[noreturn]] void fail_at(const Hdf5Location& location, const char* action) {
  core::fail(ErrorCode::io_failure,
             "cannot {} a dataset: '{}' of '{}', {}; check the file and the disk", action,
             location.dataset, location.file, hdf5_message());
}

/// A handle, after checking that it is valid.
Hdf5Handle checked(hid_t id, Hdf5Handle::Close close, const Hdf5Location& location,
                   const char* action) {
  if (id < 0) fail_at(location, action);
  return {id, close};
}

/// @param way  link access property list
/// @return     positive, 0 or, if the library cannot tell, negative
htri_t exists_on_way(hid_t file, const Hdf5Location& location, hid_t way) {
  const std::string& name = location.dataset;
  for (std::size_t end = name.find('/', 1); end != std::string::npos;
       end = name.find('/', end + 1)) {
    const std::string group = name.substr(0, end);
    if (H5Lexists(file, group.c_str(), way) <= 0) return 0;
    const Hdf5Handle object(H5Oopen(file, group.c_str(), way), H5Oclose);
    if (object < 0 || H5Iget_type(object) != H5I_GROUP) return 0;
  }
  const htri_t linked = H5Lexists(file, name.c_str(), way);
  if (linked <= 0) return linked;
  return H5Oexists_by_name(file, name.c_str(), way) > 0 ? 1 : 0;
}

/// Then no name may lead to another file: only this one is locked, and copied before it is changed.
bool is_written(hid_t file) {
  unsigned intent = H5F_ACC_RDWR;
  return H5Fget_intent(file, &intent) < 0 || intent != H5F_ACC_RDONLY;
}

/// Throws if a link on the way to the object was not followed.
void check_way(const Hdf5Way& way, const Hdf5Location& location) {
  if (way.refused().empty()) return;
  if (way.kind().empty())
    core::fail(ErrorCode::bad_dataset,
               "a link to another file: '{}' of '{}' is in '{}'; write to that file, or use "
               "another name",
               location.dataset, location.file, way.refused());
  core::fail(ErrorCode::io_failure,
             "a link to what is not a regular file: '{}' of '{}' is in '{}', which is {}; correct "
             "the link",
             location.dataset, location.file, way.refused(), way.kind());
}

/// Whether the file has an object of this name. A dangling link does not count.
/// @throws Error bad_dataset if the file is written and a link on the way leads to another file,
///         io_failure if one leads to what is not a regular file
bool exists(hid_t file, const Hdf5Location& location) {
  const Hdf5Way way(is_written(file));
  const htri_t found = exists_on_way(file, location, way);
  check_way(way, location);
  if (found < 0) fail_at(location, "find");
  return found > 0;
}

Hdf5Handle memory_space(hsize_t values) {
  const hsize_t size = std::max<hsize_t>(values, 1);
  Hdf5Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  if (values == 0) H5Sselect_none(space);
  return space;
}

/// @param collective  over all ranks that have opened the file together
Hdf5Handle transfer_list(bool collective) {
  Hdf5Handle list(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  core::ensure(!collective || Hdf5Ranks::move_by(list), "HDF5 cannot read and write collectively");
  return list;
}

const char* word_for(H5T_class_t kind) {
  switch (kind) {
    case H5T_STRING:
      return "text";
    case H5T_COMPOUND:
      return "records of several fields";
    case H5T_ARRAY:
    case H5T_VLEN:
      return "arrays";
    default:
      return "values that are not numbers";
  }
}

}  // namespace

Hdf5Dataset::Hdf5Dataset(Hdf5Handle dataset, const Hdf5Location& location)
    : dataset_(std::move(dataset)), location_(location) {
  if (const std::string other = irregular_storage(dataset_); !other.empty())
    core::fail(ErrorCode::io_failure,
               "values are in what is not a regular file: '{}' of '{}', {}; correct the dataset",
               location_.dataset, location_.file, other);
  stored_ = checked(H5Dget_type(dataset_), H5Tclose, location_, "open");
  const bool named = H5Tget_class(stored_) == H5T_ENUM;
  numbers_ = checked(named ? H5Tget_super(stored_) : H5Tcopy(stored_), H5Tclose, location_, "open");
  const Hdf5Handle space = checked(H5Dget_space(dataset_), H5Sclose, location_, "open");
  const int dims = H5Sget_simple_extent_ndims(space);
  Sizes sizes(std::max(dims, 0));
  if (dims < 0 || H5Sget_simple_extent_dims(space, sizes.data(), nullptr) < 0) fail("open");
  extents_.assign(sizes.begin(), sizes.end());
}

void Hdf5Dataset::fail(const char* action) const {
  fail_at(location_, action);
}

std::optional<Hdf5Dataset> Hdf5Dataset::find(hid_t file, const Hdf5Location& location) {
  if (!exists(file, location)) return {};
  const Hdf5Way way(is_written(file));
  Hdf5Handle object =
      checked(H5Oopen(file, location.dataset.c_str(), way), H5Oclose, location, "open");
  if (H5Iget_type(object) != H5I_DATASET)
    core::fail(ErrorCode::bad_dataset, "a group instead of a dataset: '{}' of '{}'; name a dataset",
               location.dataset, location.file);
  return Hdf5Dataset(std::move(object), location);
}

std::optional<Hdf5Dataset> Hdf5Dataset::find_alike(hid_t file, const Hdf5Location& location,
                                                   Type type,
                                                   const std::vector<std::int64_t>& extents) {
  auto data = find(file, location);
  if (data && (data->extents() != extents || H5Tequal(data->stored_, hdf5_type_of(type)) <= 0 ||
               !data->offset()))
    data.reset();
  return data;
}

Hdf5Dataset Hdf5Dataset::make(hid_t file, const Hdf5Location& location, Type type,
                              const std::vector<std::int64_t>& extents) {
  const char* name = location.dataset.c_str();
  if (exists(file, location) && H5Ldelete(file, name, H5P_DEFAULT) < 0)
    fail_at(location, "replace");
  const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  const Hdf5Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  H5Pset_obj_track_times(how, false);  // so that equal data give equal files
  H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
  H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);  // its offset is known before rows are written
  const Sizes sizes(extents.begin(), extents.end());
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
                         H5Sclose);
  return Hdf5Dataset(
      checked(H5Dcreate2(file, name, hdf5_type_of(type), space, links, how, H5P_DEFAULT), H5Dclose,
              location, "create"),
      location);
}

void Hdf5Dataset::set_attribute(const char* name, hid_t type, const void* value) {
  if (H5Aexists(dataset_, name) > 0 && H5Adelete(dataset_, name) < 0) fail("describe");
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  Hdf5Handle attribute = checked(H5Acreate2(dataset_, name, type, space, H5P_DEFAULT, H5P_DEFAULT),
                                 H5Aclose, location_, "describe");
  if (H5Awrite(attribute, type, value) < 0) fail("describe");
}

void Hdf5Dataset::describe(std::int64_t size, int dim, const char* type) {
  const int rows = static_cast<int>(size);
  set_attribute("size", H5T_NATIVE_INT, &rows);
  set_attribute("dim", H5T_NATIVE_INT, &dim);
  char text[10] = {};
  std::strncpy(text, type, sizeof text - 1);
  const Hdf5Handle string(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(string, sizeof text);
  set_attribute("type", string, text);
}

/// The part of the dataset that holds these rows.
Hdf5Handle Hdf5Dataset::space_of(const RowRange& rows) const {
  Hdf5Handle space = checked(H5Dget_space(dataset_), H5Sclose, location_, "select rows of");
  if (extents_.empty()) return space;
  Sizes start(extents_.size(), 0), count(extents_.begin(), extents_.end());
  start[0] = static_cast<hsize_t>(rows.first);
  count[0] = static_cast<hsize_t>(rows.count);
  const bool nothing = std::find(count.begin(), count.end(), 0U) != count.end();
  const herr_t selected = nothing ? H5Sselect_none(space)
                                  : H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(),
                                                        nullptr, count.data(), nullptr);
  if (selected < 0) fail("select rows of");
  return space;
}

/// Reads without conversion, because HDF5 makes a collective transfer with conversion independent.
void Hdf5Dataset::read_stored(const RowRange& rows, int dim, hid_t type, void* values,
                              bool collective) const {
  const Hdf5Handle memory = memory_space(static_cast<hsize_t>(rows.count * dim));
  const Hdf5Handle stored = space_of(rows), transfer = transfer_list(collective);
  if (H5Dread(dataset_, type, memory, stored, transfer, values) < 0) fail("read");
}

/// Whether values in the file are those in memory. Bytes of a bool must be checked.
bool Hdf5Dataset::is_alike(Type type) const {
  return type != Type::b8 && H5Tequal(stored_, hdf5_type_of(type)) > 0;
}

std::size_t Hdf5Dataset::buffer_size(const RowRange& rows, int dim, Type type) const {
  if (is_alike(type)) return 0;
  return rows.count * dim * std::max(H5Tget_size(stored_), sizeof(std::int64_t));
}

/// Converts values of the file in `buffer` to a wide type in place, and then to the type.
template <class Wide>
void Hdf5Dataset::convert(const RowRange& rows, int dim, Type type, void* values,
                          std::span<std::byte> buffer) const {
  const hid_t wide = std::is_floating_point_v<Wide> ? H5T_NATIVE_DOUBLE
                     : std::is_signed_v<Wide>       ? H5T_NATIVE_INT64
                                                    : H5T_NATIVE_UINT64;
  const std::size_t count = rows.count * dim;
  if (count == 0) return;
  if (H5Tconvert(numbers_, wide, count, buffer.data(), nullptr, H5P_DEFAULT) < 0) fail("convert");
  const std::span found(reinterpret_cast<const Wide*>(buffer.data()), count);
  const std::size_t good = narrow(found, type, values);
  if (good == count) return;
  const auto bad = static_cast<std::int64_t>(good);
  core::fail(ErrorCode::bad_dataset,
             "a value does not fit the type: dataset '{}' of '{}', row {}, column {} is {}, not a "
             "value of type \"{}\"; use another type or correct the file",
             location_.dataset, location_.file, rows.first + bad / dim, bad % dim, found[good],
             core::name_of(type));
}

void Hdf5Dataset::read(const RowRange& rows, int dim, Type type, void* values,
                       std::span<std::byte> buffer, bool collective) const {
  const H5T_class_t kind = H5Tget_class(numbers_);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT)
    core::fail(ErrorCode::bad_dataset,
               "the values are not numbers: dataset '{}' of '{}' has {}; name a dataset of numbers",
               location_.dataset, location_.file, word_for(kind));
  if (kind == H5T_FLOAT && type != Type::f64 && type != Type::f32)
    core::fail(ErrorCode::bad_dataset,
               "floating-point values for an integer type: dataset '{}' of '{}', type \"{}\"; use "
               "double or float, or a dataset of integers",
               location_.dataset, location_.file, core::name_of(type));
  const bool alike = is_alike(type);
  read_stored(rows, dim, stored_, alike ? values : buffer.data(), collective);
  if (alike) return;
  if (kind == H5T_FLOAT)
    convert<double>(rows, dim, type, values, buffer);
  else if (H5Tget_sign(numbers_) == H5T_SGN_2)
    convert<std::int64_t>(rows, dim, type, values, buffer);
  else
    convert<std::uint64_t>(rows, dim, type, values, buffer);
}

std::optional<std::int64_t> Hdf5Dataset::offset() const {
  const Hdf5Handle how(H5Dget_create_plist(dataset_), H5Pclose);
  if (how < 0 || H5Pget_layout(how) != H5D_CONTIGUOUS || H5Pget_external_count(how) != 0) return {};
  const haddr_t address = H5Dget_offset(dataset_);
  if (address == HADDR_UNDEF) return {};
  return static_cast<std::int64_t>(address);
}

void Hdf5Dataset::close() {
  if (!dataset_.close()) fail("close");
}

}  // namespace op2::comm
