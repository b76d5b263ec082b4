// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/hdf5_dataset.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <core/text.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

namespace {

struct Messages {
  std::string first, last;
};

herr_t note(unsigned, const H5E_error2_t* error, void* data) {
  auto& messages = *static_cast<Messages*>(data);
  if (error->desc == nullptr || *error->desc == '\0') return 0;
  if (messages.first.empty()) messages.first = error->desc;
  messages.last = error->desc;
  return 0;
}

/// Joins the lines of a message of the HDF5 library.
std::string on_one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

}  // namespace

QuietHdf5::QuietHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() {
  H5Eset_auto2(H5E_DEFAULT, print_, data_);
}

std::string hdf5_message() {
  Messages messages;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, note, &messages);
  if (messages.first.empty()) return "the HDF5 library gives no reason";
  if (messages.first == messages.last) return on_one_line("HDF5: " + messages.first);
  return on_one_line("HDF5: " + messages.first + ": " + messages.last);
}

hid_t hdf5_type_of(Type type) {
  const std::array types{H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT,  H5T_NATIVE_INT32, H5T_NATIVE_UINT32,
                         H5T_NATIVE_INT64,  H5T_NATIVE_UINT64, H5T_NATIVE_UINT8};  // as in Type
  return types[static_cast<std::size_t>(type)];
}

namespace {

namespace fs = std::filesystem;

/// Folders of a list that the HDF5 library has in the environment; ${ORIGIN} is that of the file.
std::vector<fs::path> folders_of(const char* variable, const fs::path& origin) {
  std::vector<fs::path> folders;
  const char* const list = std::getenv(variable);
  std::istringstream text(list == nullptr ? "" : list);
  constexpr std::string_view here = "${ORIGIN}";
  for (std::string folder; std::getline(text, folder, ':');) {
    if (folder.starts_with(here)) folder = origin.string() + folder.substr(here.size());
    folders.emplace_back(folder);
  }
  return folders;
}

/// What is at any of the places where the library looks for another file, if it is not a regular
/// file; null otherwise.
const char* kind_of(const std::string& other, const std::string& file) {
  const fs::path name(other), origin = fs::path(file).parent_path();
  std::vector<fs::path> folders{"", origin, fs::absolute(file).parent_path()};
  for (const char* variable : {"HDF5_EXT_PREFIX", "HDF5_EXTFILE_PREFIX", "HDF5_VDS_PREFIX"})
    for (const fs::path& folder : folders_of(variable, origin)) folders.push_back(folder);
  for (const fs::path& folder : folders)
    for (const fs::path& place : {folder / name, folder / name.filename()})
      if (const char* kind = core::kind_if_irregular(place.c_str())) return kind;
  return nullptr;
}

/// A link access property list, and what has kept the library from following a link with it.
/// It must not be moved: the list refers to it.
class Hdf5Way {
 public:
  /// @param stay  no link to another file may be followed; otherwise none to what is not a regular
  ///              file, of which opening a FIFO or a device would wait for another process
  explicit Hdf5Way(bool stay);
  Hdf5Way(const Hdf5Way&) = delete;
  Hdf5Way& operator=(const Hdf5Way&) = delete;

  operator hid_t() const { return list_; }

  /// The name of the other file, as the link has it; empty: no link was refused.
  const std::string& refused() const { return refused_; }
  /// Why: "a FIFO", ..., or empty because it is another file.
  const std::string& kind() const { return kind_; }

 private:
  static herr_t check(const char* file, const char* group, const char* other, const char* object,
                      unsigned* flags, hid_t access, void* way);

  Hdf5Handle list_;
  bool stay_;
  std::string refused_, kind_;
};

Hdf5Way::Hdf5Way(bool stay) : list_(H5Pcreate(H5P_LINK_ACCESS), H5Pclose), stay_(stay) {
  H5Pset_elink_cb(list_, check, this);
}

herr_t Hdf5Way::check(const char* file, const char*, const char* other, const char*, unsigned*,
                      hid_t, void* way) {
  auto& self = *static_cast<Hdf5Way*>(way);
  const char* const kind = self.stay_ ? nullptr : kind_of(other, file);
  if (!self.stay_ && kind == nullptr) return 0;
  self.refused_ = other;
  self.kind_ = kind == nullptr ? "" : kind;
  return -1;
}

/// What is not a regular file among those in which the values of a dataset are (external storage,
/// virtual datasets), with what it is: "'pipe' is a FIFO"; empty if there is none.
std::string irregular_storage(hid_t dataset) {
  constexpr std::size_t longest_name = 4096;
  const Hdf5Handle how(H5Dget_create_plist(dataset), H5Pclose);
  std::array<char, longest_name> name{};
  if (how < 0 || H5Fget_name(dataset, name.data(), name.size()) < 0) return "";
  const std::string file = name.data();
  std::vector<std::string> names;
  const int external = H5Pget_external_count(how);
  for (int k = 0; k < external; ++k)
    if (H5Pget_external(how, static_cast<unsigned>(k), name.size() - 1, name.data(), nullptr,
                        nullptr) >= 0)
      names.emplace_back(name.data());
  std::size_t sources = 0;
  if (H5Pget_layout(how) == H5D_VIRTUAL && H5Pget_virtual_count(how, &sources) >= 0)
    for (std::size_t k = 0; k < sources; ++k)
      if (H5Pget_virtual_filename(how, k, name.data(), name.size()) >= 0)
        names.emplace_back(name.data());
  for (const std::string& other : names)
    if (other != ".")  // the file itself
      if (const char* kind = kind_of(other, file)) return fmt::format("'{}' is {}", other, kind);
  return "";
}

/// Whether `To` can hold a value: integers exactly, floating-point values up to rounding, and bool
/// only 0 and 1.
template <class To, class Wide>
bool can_hold(Wide value) {
  if constexpr (std::is_same_v<To, bool>)
    return value == Wide(0) || value == Wide(1);
  else if constexpr (std::is_floating_point_v<To>)
    return std::is_integral_v<Wide> || !std::isfinite(static_cast<double>(value)) ||
           std::abs(static_cast<double>(value)) <=
               static_cast<double>(std::numeric_limits<To>::max());
  else if constexpr (std::is_integral_v<Wide>)
    return std::in_range<To>(value);
  else
    return false;  // a floating-point value of the file is never read as an integer
}

/// Copies values to `out`, an array of `type`, up to the first one that it cannot hold.
/// @param Wide  std::int64_t, std::uint64_t or double
/// @return the number of values copied
template <class Wide>
std::size_t narrow(std::span<const Wide> values, Type type, void* out) {
  return core::with_type(type, [&]<class To>() {
    std::size_t k = 0;
    for (auto* to = static_cast<To*>(out); k < values.size() && can_hold<To>(values[k]); ++k)
      to[k] = static_cast<To>(values[k]);
    return k;
  });
}

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
