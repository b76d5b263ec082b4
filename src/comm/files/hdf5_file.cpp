// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/hdf5_file.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <system_error>

#include <fmt/ranges.h>

#include <comm/files/disk_space.hpp>
#include <comm/files/file_writer.hpp>
#include <comm/files/hdf5_state.hpp>
#include <comm/messages/records.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

namespace {

/// Upper bounds, in bytes, of what a file holds beside its datasets, and a dataset beside its
/// values.
constexpr std::int64_t room_for_a_file = 1 << 14, room_for_a_description = 1 << 12;

/// Creates an empty file, so that a failure has the system's message.
void create_empty(const std::string& temporary, const std::string& target) {
  const int descriptor =
      ::open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) fail_with_errno("create", target);
  ::close(descriptor);
}

/// Checks that this rank can access the file.
void check_access(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0)
    core::fail(ErrorCode::io_failure, "cannot open '{}': {}; check the path and the permissions",
               path, std::generic_category().message(errno));
  ::close(descriptor);
}

void check_format(const std::string& path) {
  if (H5Fis_hdf5(path.c_str()) <= 0)
    core::fail(ErrorCode::io_failure, "not an HDF5 file, or a damaged one: '{}'; check the path",
               path);
}

std::string text_of_extents(const Extents& extents) {
  return extents.empty() ? "a single value" : fmt::format("[{}]", fmt::join(extents, " x "));
}

}  // namespace

Hdf5File::State::State(Communicator& communicator, const std::string& name,
                       const Hdf5Options& wanted)
    : ranks(communicator),
      options(wanted),
      path(name),
      together(wanted.together && communicator.size() > 1 && Hdf5Ranks::available() &&
               communicator.mpi_handle()) {
  if (member()) quiet.emplace();
}

Hdf5File::State::~State() {
  // Free space for the HDF5 library, which fails badly if the disk is full when it closes a file.
  // The others may end the job as soon as the file is closed.
  if (ranks.is_root() && !temporary.empty()) {
    static_cast<void>(::truncate(temporary.c_str(), 0) == 0);
    ::unlink(temporary.c_str());
  }
  file.close();
  if (reserved && temporary.empty()) release_space(path);
}

void Hdf5File::State::choose_files(Access access) {
  root_step([&] {
    const bool there = ::access(path.c_str(), F_OK) == 0;
    if (access == Access::read || (access == Access::append && there)) return;
    target = regular_target(path);
    const std::string name = temporary_beside(target);
    create_empty(name, target);
    temporary = name;
    reserve_space(name, target, 0, bytes_on_disk = room_for_a_file);
  });
  temporary = text_of(ranks.broadcast(bytes_of(temporary), 0));
}

void Hdf5File::State::open(Access access) {
  const bool fresh = !temporary.empty();
  const std::string& name = fresh ? temporary : path;
  step([&] {
    check_access(name, access == Access::read ? O_RDONLY : O_RDWR);
    if (fresh || !ranks.is_root()) return;
    check_format(name);
    bytes_on_disk = static_cast<std::int64_t>(std::filesystem::file_size(name));
  });
  step([&] {
    const Hdf5Handle how(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fclose_degree(how, H5F_CLOSE_STRONG);
    if (together && !Hdf5Ranks::open_by(how, *ranks.mpi_handle()))
      core::fail(ErrorCode::io_failure,
                 "cannot open '{}' on all ranks: {}; check that all of them reach this path", path,
                 hdf5_message());
    const unsigned flags = access == Access::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
    const hid_t id = fresh ? H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, how)
                           : H5Fopen(name.c_str(), flags, how);
    file = Hdf5Handle(id, H5Fclose);
    if (id < 0)
      core::fail(ErrorCode::io_failure, "cannot {} '{}': {}; check the path, the file and the disk",
                 fresh ? "create" : "open", path, hdf5_message());
  });
}

Hdf5File::Hdf5File(Communicator& communicator, const std::string& path, Access access,
                   const Hdf5Options& options)
    : state_(std::make_unique<State>(communicator, path, options)) {
  state_->choose_files(access);
  state_->open(access);
}

Hdf5File::~Hdf5File() = default;

/// Reserves disk space for so many more bytes and their description. The HDF5 library fails badly
/// on a full disk, and some MPI libraries do not even report it. Collective.
void Hdf5File::State::reserve(std::size_t bytes) {
  root_step([&] {
    const std::int64_t more = static_cast<std::int64_t>(bytes) + room_for_a_description;
    if (temporary.empty())
      reserve_space(path, path, bytes_on_disk, more);
    else  // space that the library has allocated need not be in the file yet
      reserve_space(temporary, path, 0, bytes_on_disk + more);
    bytes_on_disk += more;
    reserved = true;
  });
}

/// The existing dataset, or a new one; on members. Collective.
std::optional<Hdf5Dataset> Hdf5File::State::open_to_write(const Hdf5Rows& rows,
                                                          const Extents& extents) {
  std::optional<Hdf5Dataset> data;
  step([&] { data = Hdf5Dataset::find_alike(file, location(rows.dataset), rows.type, extents); });
  reserve(data ? 0 : bytes_of_rows(rows, rows.blocks.size()));
  step([&] {
    if (!data) data.emplace(Hdf5Dataset::make(file, location(rows.dataset), rows.type, extents));
  });
  return data;
}

std::optional<Extents> Hdf5File::extents(const std::string& dataset) {
  Extents found{-1};
  state_->step([&] {
    if (const auto data = Hdf5Dataset::find(state_->file, state_->location(dataset)))
      found = data->extents();
  });
  found = from_bytes<std::int64_t>(state_->ranks.broadcast(to_bytes<std::int64_t>(found), 0));
  if (found == Extents{-1}) return {};
  return found;
}

Hdf5Dataset Hdf5File::State::existing(const std::string& dataset) const {
  auto data = Hdf5Dataset::find(file, location(dataset));
  if (!data)
    core::fail(ErrorCode::bad_dataset,
               "no such dataset: '{}' in '{}'; check the name (h5dump -n lists all)", dataset,
               path);
  return std::move(*data);
}

void Hdf5File::read_rows(const Hdf5Rows& rows, void* values) {
  State& s = *state_;
  std::optional<Hdf5Dataset> data;
  s.step([&] {
    data.emplace(s.existing(rows.dataset));
    const Extents needed{rows.blocks.size(), rows.dim}, flat{rows.blocks.size()};
    const Extents& found = data->extents();
    if (found == needed || (rows.dim == 1 && found == flat)) return;
    core::fail(ErrorCode::bad_dataset,
               "wrong extents: dataset '{}' of '{}' is {}, but {} (elements of the set x dim) is "
               "needed; check the file and the declaration",
               rows.dataset, s.path, text_of_extents(found), text_of_extents(needed));
  });
  s.read(rows, data ? &*data : nullptr, values);
}

void Hdf5File::read_values(const std::string& dataset, Type type, int count, void* values) {
  State& s = *state_;
  Bytes read(core::size_of(type, count));
  s.step([&] {
    const Hdf5Dataset data = s.existing(dataset);
    const Extents& found = data.extents();
    const auto all =
        std::accumulate(found.begin(), found.end(), std::int64_t{1}, std::multiplies());
    if (all != count)
      core::fail(
          ErrorCode::bad_dataset,
          "wrong extents: dataset '{}' of '{}' is {}, but {} needed; check the file and the "
          "declaration",
          dataset, s.path, text_of_extents(found),
          count == 1 ? std::string("a single value is") : fmt::format("{} values are", count));
    const RowRange rows{0, found.empty() ? 1 : found[0]};
    const int dim = static_cast<int>(all / rows.count);
    Bytes buffer(data.buffer_size(rows, dim, type));
    data.read(rows, dim, type, read.data(), buffer, s.together);
  });
  read = s.ranks.broadcast(std::move(read), 0);
  std::memcpy(values, read.data(), read.size());
}

void Hdf5File::write_rows(const Hdf5Rows& rows, const void* values) {
  state_->write(rows, {rows.blocks.size(), rows.dim}, values, rows.dim);
}

void Hdf5File::write_values(const std::string& dataset, Type type, int count, const void* values) {
  Blocks blocks;  // all of them are the root's
  blocks.begin.assign(state_->ranks.size() + 1, count);
  blocks.begin.front() = 0;
  state_->write({dataset, blocks, type, 1}, {count}, values, count);
}

void Hdf5File::publish() {
  State& s = *state_;
  s.step([&] {
    if (H5Fflush(s.file, H5F_SCOPE_GLOBAL) < 0 || !s.file.close())
      core::fail(ErrorCode::io_failure, "cannot write '{}': {}; check the disk", s.path,
                 hdf5_message());
  });
  s.root_step([&] {
    release_space(s.temporary.empty() ? s.path : s.temporary);
    s.reserved = false;
    if (!s.temporary.empty()) publish_file(s.temporary, s.target);
  });
  s.temporary.clear();
}

}  // namespace op2::comm
