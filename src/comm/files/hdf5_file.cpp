// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/hdf5_file.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <numeric>

#include <fmt/ranges.h>

#include <comm/files/hdf5_state.hpp>
#include <comm/files/mesh_formats.hpp>
#include <comm/messages/records.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

namespace {

void check_format(const std::string& path) {
  if (H5Fis_hdf5(path.c_str()) > 0) return;
  const std::string advice = advice_for_mesh(path);
  core::fail(ErrorCode::io_failure, "not an HDF5 file, or a damaged one: '{}'; {}", path,
             advice.empty() ? "check the path" : advice);
}

std::string text_of_extents(const Extents& extents) {
  return extents.empty() ? "a single value" : fmt::format("[{}]", fmt::join(extents, " x "));
}

}  // namespace

Hdf5File::State::State(Communicator& communicator, const std::string& name, Access how,
                       const Hdf5Options& wanted)
    : ranks(communicator),
      options(wanted),
      path(name),
      access(how),
      together(wanted.together && communicator.size() > 1 && Hdf5Ranks::available() &&
               communicator.mpi_handle()),
      waiting(communicator, [this] {
        return WaitPurpose{"the file '" + path + "'",
                           access == Access::read ? "it reads the file" : "it writes the file"};
      }) {
  if (member()) quiet.emplace();
}

void Hdf5File::State::open_to_read() {
  step([&] {
    static_cast<void>(OpenFile::existing(path, O_RDONLY, path));
    if (ranks.is_root()) check_format(path);
  });
  step([&] {
    const Hdf5Handle how(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fclose_degree(how, H5F_CLOSE_STRONG);
    if (together && !Hdf5Ranks::open_by(how, *ranks.mpi_handle()))
      core::fail(ErrorCode::io_failure,
                 "cannot open '{}' on all ranks: {}; check that all of them reach this path", path,
                 hdf5_message());
    file = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, how), H5Fclose);
    if (file < 0)
      core::fail(ErrorCode::io_failure,
                 "cannot open '{}': {}; check the path, the file and the disk", path,
                 hdf5_message());
  });
}

Hdf5File::Hdf5File(Communicator& communicator, const std::string& path, Access access,
                   const Hdf5Options& options)
    : state_(std::make_unique<State>(communicator, path, access, options)) {
  if (access == Access::read)
    state_->open_to_read();
  else
    state_->open_to_write();
}

Hdf5File::~Hdf5File() = default;

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
  if (!data) {
    const std::string advice = advice_for_mesh(path);
    core::fail(ErrorCode::bad_dataset, "no such dataset: '{}' in '{}'; {}", dataset, path,
               advice.empty() ? "check the name (h5dump -n lists all)" : advice);
  }
  return std::move(*data);
}

Hdf5Dataset Hdf5File::State::fitting(const Hdf5Rows& rows) const {
  Hdf5Dataset data = existing(rows.dataset);
  const Extents needed{rows.blocks.size(), rows.dim}, flat{rows.blocks.size()};
  const Extents& found = data.extents();
  if (found == needed || (rows.dim == 1 && found == flat)) return data;
  core::fail(ErrorCode::bad_dataset,
             "wrong extents: dataset '{}' of '{}' is {}, but {} (elements of the set x dim) is "
             "needed; check the file and the declaration",
             rows.dataset, path, text_of_extents(found), text_of_extents(needed));
}

void Hdf5File::check_extents(const Hdf5Rows& rows) {
  state_->step([&] { static_cast<void>(state_->fitting(rows)); });
}

void Hdf5File::read_rows(const Hdf5Rows& rows, void* values) {
  State& s = *state_;
  std::optional<Hdf5Dataset> data;
  s.step([&] { data.emplace(s.fitting(rows)); });
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
    data.read(rows, dim, type, read.data(), buffer, s.reads_together());
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
  state_->publish();
}

}  // namespace op2::comm
