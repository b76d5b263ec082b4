// SPDX-License-Identifier: BSD-3-Clause
// Writes an HDF5 file under a temporary name: the HDF5 library changes descriptions in memory,
// ranks write rows to the file, and a complete file replaces the old one.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <comm/files/hdf5_state.hpp>
#include <comm/messages/records.hpp>
#include <core/signals.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

namespace {

/// As in the HDF5 library, for file systems without locks.
bool locks_are_off() {
  const char* const wanted = std::getenv("HDF5_USE_FILE_LOCKING");
  return wanted != nullptr &&
         (std::string_view(wanted) == "FALSE" || std::string_view(wanted) == "0");
}

/// Whether a file still has its name; otherwise another process has replaced it.
bool is_current(const OpenFile& file) {
  struct stat open{}, named{};
  if (::fstat(file.descriptor(), &open) != 0) fail_with_errno("read", file.shown());
  if (::stat(file.shown().c_str(), &named) == 0)
    return open.st_dev == named.st_dev && open.st_ino == named.st_ino;
  if (errno != ENOENT) fail_with_errno("read", file.shown());
  return false;
}

}  // namespace

/// Opens the file that is appended to, if there is one, so that no other process that appends
/// replaces it meanwhile.
void Hdf5File::State::lock_original() {
  do {
    original.reset();
    auto found = OpenFile::if_any(path, O_RDWR, path);
    if (!found) return;
    original.emplace(std::move(*found));
    if (locks_are_off() || core::uninterrupted([&] {
                             return ::flock(original->descriptor(), LOCK_EX | LOCK_NB);
                           }) == 0)
      continue;
    if (errno == EWOULDBLOCK)
      core::fail(ErrorCode::io_failure,
                 "the file is in use: '{}', another process reads or writes it; try again when it "
                 "has closed the file",
                 path);
  } while (!is_current(*original));
}

void Hdf5File::State::begin_output() {
  OpenFile& target = *output->file_of_root();
  if (original) target.copy_from(*original);
  image.emplace(target);
  file = original ? image->open() : image->create();
  if (file < 0)
    core::fail(ErrorCode::io_failure,
               "not an HDF5 file, or a damaged one: '{}', {}; check the path and the file", path,
               hdf5_message());
}

void Hdf5File::State::open_to_write() {
  root_step([&] {
    if (access == Access::append) lock_original();
  });
  output.emplace(ranks, path, together, options.largest_transfer);
  root_step([&] { begin_output(); });
}

std::int64_t Hdf5File::State::prepare_on_root(const Hdf5Rows& rows, const Extents& extents,
                                              int dim) {
  const Hdf5Location where = location(rows.dataset);
  auto data = Hdf5Dataset::find_alike(file, where, rows.type, extents);
  if (!data) data.emplace(Hdf5Dataset::make(file, where, rows.type, extents));
  data->describe(extents.size() == 2 ? extents[0] : 1, dim, core::name_of(rows.type));
  const std::int64_t offset = data->offset().value_or(0);
  image->leave_to_file(
      offset, offset == 0 ? 0 : static_cast<std::int64_t>(bytes_of_rows(rows, rows.blocks.size())));
  data->close();
  return offset;
}

/// Describes the dataset. Returns where its rows are in the file; any value if it has none.
/// Collective.
std::int64_t Hdf5File::State::prepare(const Hdf5Rows& rows, const Extents& extents, int dim) {
  std::int64_t offset = 0;
  root_step([&] { offset = prepare_on_root(rows, extents, dim); });
  return broadcast_record(ranks, offset);
}

void Hdf5File::State::write(const Hdf5Rows& rows, const Extents& extents, const void* values,
                            int dim) {
  const std::int64_t offset = prepare(rows, extents, dim);
  output->write({rows.blocks, bytes_of_rows(rows, 1), offset}, values);
}

void Hdf5File::State::publish() {
  root_step([&] {
    if (!file.close())
      core::fail(ErrorCode::io_failure, "cannot write '{}': {}; check the disk", path,
                 hdf5_message());
    image->write_to_file();
  });
  output->publish([&] {
    if (original && !is_current(*original))
      core::fail(
          ErrorCode::io_failure,
          "another process has replaced or removed the file meanwhile: '{}', nothing was added "
          "to it; try again",
          path);
    const bool is_first = access == Access::append && !original;
    return is_first ? IfThere::fail : IfThere::replace;
  });
}

}  // namespace op2::comm
