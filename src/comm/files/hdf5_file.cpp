// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/hdf5_file.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/ranges.h>

#include <comm/files/hdf5_dataset.hpp>
#include <comm/files/hdf5_image.hpp>
#include <comm/files/open_file.hpp>
#include <comm/files/shared_output.hpp>
#include <comm/messages/agreement.hpp>
#include <comm/messages/records.hpp>
#include <comm/partition/block_mesh.hpp>
#include <core/signals.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

/// An open HDF5 file. Members are collective unless they are const.
///
/// The ranks for which the HDF5 library has the file open are its members: all that read together,
/// or only the root. While a file is written, the library sees only descriptions, in memory; rows
/// are written to a temporary file, by all ranks or by the root.
struct Hdf5File::State {
  State(Communicator& communicator, const std::string& name, Access access,
        const Hdf5Options& wanted);

  bool reads_together() const { return together && access == Access::read; }
  bool member() const { return reads_together() || ranks.is_root(); }
  Hdf5Location location(const std::string& dataset) const { return {path, dataset}; }

  /// Runs an action on the members; if it fails on one, all ranks throw. Collective.
  template <class Action>
  void step(const Action& action) {
    do_together(ranks, shown, member(), action);
  }

  void open_to_read();
  void open_to_write();
  void begin_output();
  void lock_original();
  Hdf5Dataset existing(const std::string& dataset) const;
  Hdf5Dataset fitting(const Hdf5Rows& rows) const;
  std::int64_t prepare(const Hdf5Rows& rows, const Extents& extents, int dim);
  void write(const Hdf5Rows& rows, const Extents& extents, const void* values, int dim);

  /// Number of rows per transfer, the same on all ranks.
  std::int64_t rows_at_once(int dim) const {
    return std::max<std::int64_t>(1, options.largest_transfer / (std::int64_t{8} * dim));
  }
  template <class Move>
  void for_own_rows(const Hdf5Rows& rows, const Move& move);
  void read_own(const Hdf5Rows& rows, const Hdf5Dataset& data, void* values);
  void read_and_send(const Hdf5Rows& rows, const Hdf5Dataset* data, void* values);

  Communicator& ranks;
  const Hdf5Options options;
  const std::string path, shown;  ///< the latter in messages
  const Access access;
  const bool together;
  std::optional<QuietHdf5> quiet;      ///< of members
  std::optional<OpenFile> original;    ///< on the root: the locked file that is appended to
  std::optional<SharedOutput> output;  ///< of a file that is written
  std::optional<Hdf5Image> image;      ///< on the root: what the HDF5 library changes
  Hdf5Handle file;                     ///< of members
  const Waiting waiting;               ///< names the file where a rank waits for others
};

namespace {

/// Bytes of so many rows.
std::size_t bytes_of_rows(const Hdf5Rows& rows, std::int64_t count) {
  return count * core::size_of(rows.type, rows.dim);
}

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
      shown("'" + path + "'"),
      access(how),
      together(wanted.together && communicator.size() > 1 && Hdf5Ranks::available() &&
               communicator.mpi_handle()),
      waiting(communicator, [this] {
        return WaitPurpose{"the file " + shown,
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
  if (s.reads_together() || s.ranks.size() == 1)
    s.read_own(rows, *data, values);
  else
    s.read_and_send(rows, data ? &*data : nullptr, values);
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
  step([&] {
    if (access == Access::append) lock_original();
  });
  output.emplace(ranks, path, together, options.largest_transfer);
  step([&] { begin_output(); });
}

/// On the root: describes the dataset. Returns where its rows are in the file; any value if it has
/// none.
std::int64_t Hdf5File::State::prepare(const Hdf5Rows& rows, const Extents& extents, int dim) {
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

void Hdf5File::State::write(const Hdf5Rows& rows, const Extents& extents, const void* values,
                            int dim) {
  std::int64_t offset = 0;
  step([&] { offset = prepare(rows, extents, dim); });
  output->write({rows.blocks, bytes_of_rows(rows, 1), broadcast_record(ranks, offset)}, values);
}

void Hdf5File::publish() {
  State& s = *state_;
  s.step([&] {
    if (!s.file.close())
      core::fail(ErrorCode::io_failure, "cannot write '{}': {}; check the disk", s.path,
                 hdf5_message());
    s.image->write_to_file();
  });
  s.output->publish([&] {
    if (s.original && !is_current(*s.original))
      core::fail(
          ErrorCode::io_failure,
          "another process has replaced or removed the file meanwhile: '{}', nothing was added "
          "to it; try again",
          s.path);
    const bool is_first = s.access == Access::append && !s.original;
    return is_first ? IfThere::fail : IfThere::replace;
  });
}

/// Calls move(rows, offset in the own block) until every rank has transferred all its rows; equally
/// often on all ranks.
template <class Move>
void Hdf5File::State::for_own_rows(const Hdf5Rows& rows, const Move& move) {
  std::int64_t most = 0;
  for (int rank = 0; rank < ranks.size(); ++rank)
    most = std::max<std::int64_t>(most, rows.blocks.count(rank));
  const std::int64_t size = rows_at_once(rows.dim), count = rows.blocks.count(ranks.rank());
  for (std::int64_t done = 0; done < most; done += size) {
    const std::int64_t offset = std::min(done, count);
    move(RowRange{rows.blocks.begin[ranks.rank()] + offset, std::min(size, count - offset)},
         bytes_of_rows(rows, offset));
  }
}

/// Every rank reads its rows.
void Hdf5File::State::read_own(const Hdf5Rows& rows, const Hdf5Dataset& data, void* values) {
  const std::int64_t most =
      std::min<std::int64_t>(rows_at_once(rows.dim), rows.blocks.count(ranks.rank()));
  Bytes buffer;  // a rank without memory must fail before the others wait for its part
  step([&] { buffer.resize(data.buffer_size({0, most}, rows.dim, rows.type)); });
  for_own_rows(rows, [&](const RowRange& range, std::size_t offset) {
    step([&] {
      data.read(range, rows.dim, rows.type, static_cast<std::byte*>(values) + offset, buffer,
                reads_together());
    });
  });
}

/// The root reads the rows of all ranks, in portions, and sends each rank its own.
void Hdf5File::State::read_and_send(const Hdf5Rows& rows, const Hdf5Dataset* data, void* values) {
  const std::int64_t size = rows_at_once(rows.dim), total = rows.blocks.size();
  auto* out = static_cast<std::byte*>(values);
  for (std::int64_t first = 0; first < total; first += size) {
    const RowRange range{first, std::min(size, total - first)};
    std::vector<Message> messages;
    step([&] {
      Bytes all(bytes_of_rows(rows, range.count));
      Bytes buffer(data->buffer_size(range, rows.dim, rows.type));
      data->read(range, rows.dim, rows.type, all.data(), buffer, false);
      for (int rank = 0; rank < ranks.size(); ++rank) {
        const RowRange part = overlap(rows.blocks, rank, range);
        if (part.count == 0) continue;
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(
                                            bytes_of_rows(rows, part.first - range.first));
        messages.push_back(
            {rank, {from, from + static_cast<std::ptrdiff_t>(bytes_of_rows(rows, part.count))}});
      }
    });
    for (const Message& message : ranks.exchange(std::move(messages)))
      out = std::copy(message.bytes.begin(), message.bytes.end(), out);
  }
}

}  // namespace op2::comm
