// SPDX-License-Identifier: BSD-3-Clause
#include <api/checkpoints.hpp>

#include <fcntl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include <api/session.hpp>
#include <comm/files/shared_output.hpp>
#include <comm/messages/records.hpp>
#include <core/error.hpp>
#include <core/hash.hpp>
#include <core/log.hpp>
#include <core/validate.hpp>
#include <core/value_type.hpp>
#include <sched/reductions.hpp>

namespace op2::api {
namespace {

using Header = comm::CheckpointHeader;

constexpr std::int64_t largest_transfer = std::int64_t{1} << 26;
constexpr std::int64_t bytes_at_once = std::int64_t{1} << 20;
constexpr int most_attempts = 14;  // with pauses between them, about a second in all
constexpr std::chrono::milliseconds shortest_pause{1}, longest_pause{100};
constexpr double most_steps_to_look = 16;  // the next ones may take much longer than the last ones

std::vector<core::Dat*> dats_of(const core::Mesh& mesh) {
  std::vector<core::Dat*> dats;
  for (const auto& dat : mesh.dats())
    if (!dat->temporary) dats.push_back(dat.get());
  return dats;
}

Header::Values values_entry(const std::string& name, Type type, int dim, const std::byte* values) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(values);
  return {name, core::name_of(type), dim, {bytes, bytes + core::size_of(type, dim)}};
}

}  // namespace

void Checkpoints::keep(const char* name, int count, Type type, void* values) {
  if (count < 1)
    core::fail(ErrorCode::bad_size, "too few values: op_keep, '{}', {}; give at least one", name,
               count);
  if (values == nullptr)
    core::fail(ErrorCode::null_data, "the values are null: op_keep, '{}'; pass their address",
               name);
  if (std::ranges::find(kept_, name, &Kept::name) != kept_.end())
    core::fail(ErrorCode::bad_name, "the name is kept already: op_keep, '{}'; choose another one",
               name);
  kept_.push_back({name, type, count, static_cast<std::byte*>(values)});
}

/// From the checksums of what each rank has to those of all. Collective.
std::vector<std::uint64_t> Checkpoints::over_ranks(const std::vector<std::uint64_t>& mine) {
  if (mine.empty()) return {};
  constexpr int half = 32;  // so that sums of many ranks stay right
  comm::WordReduction words;
  for (const std::uint64_t sum : mine)
    words.sums.insert(words.sums.end(), {static_cast<std::int64_t>(sum >> half),
                                         static_cast<std::int64_t>(sum & 0xffff'ffff)});
  runtime_.collectively([&] { runtime_.ranks().reduce(words, "checksums"); });
  std::vector<std::uint64_t> sums;
  for (std::size_t k = 0; k < mine.size(); ++k)
    sums.push_back(core::checksum_of_halves(words.sums[2 * k], words.sums[2 * k + 1]));
  return sums;
}

/// Of the entries, by global indices. Collective. Cost: a pass over the maps that are new.
std::vector<std::uint64_t> Checkpoints::checksums_of_maps() {
  const auto& maps = runtime_.mesh.maps();
  std::vector<std::uint64_t> mine;
  for (std::size_t m = map_checksums_.size(); m < maps.size(); ++m) {
    const core::Map& map = *maps[m];
    const core::Set& from = *core::record_of(map.from);
    const comm::Bytes entries =
        runtime_.collectively([&] { return runtime_.rows.declared_entries(map); });
    mine.push_back(
        core::checksum(from.first * map.dim * std::int64_t{sizeof(std::int32_t)}, entries));
  }
  for (const std::uint64_t sum : over_ranks(mine)) map_checksums_.push_back(sum);
  return map_checksums_;
}

/// Of the session as it is; without the rows of dats.
Header Checkpoints::describe() {
  Header header;
  for (const auto& set : runtime_.mesh.sets())
    header.sets.push_back({set->name_storage, set->global_size});
  const std::vector<std::uint64_t> checksums = checksums_of_maps();
  for (std::size_t m = 0; m < checksums.size(); ++m) {
    const core::Map& map = *runtime_.mesh.maps()[m];
    header.maps.push_back({map.name_storage, map.from->name, map.to->name, map.dim, checksums[m]});
  }
  for (const core::Dat* dat : dats_of(runtime_.mesh))
    header.dats.push_back(
        {dat->name_storage, dat->set->name, dat->type, dat->dim, dat->size, 0, 0});
  for (const auto& global : runtime_.mesh.globals())
    header.globals.push_back(values_entry(global->name_storage, global->value_type, global->dim,
                                          runtime_.host_copy(global->value)));
  for (const Kept& kept : kept_)
    header.kept.push_back(values_entry(kept.name, kept.type, kept.count, kept.values));
  return header;
}

void Checkpoints::write(const std::string& path) {
  runtime_.flush();
  finish_background(runtime_,
                    "op_checkpoint, earlier results");  // a restart does not write them again
  runtime_.enter("op_checkpoint '{}'", path);
  runtime_.compare_declarations(path);
  const core::Progress progress(runtime_.log, fmt::format("writing '{}'", path));
  std::vector<core::Global*> globals;
  for (const auto& global : runtime_.mesh.globals()) globals.push_back(global.get());
  runtime_.collectively([&] { sched::combine(globals, runtime_.ranks()); });
  Header header = describe();
  write_rows(path, header);
  steps_ = 0;
  written_ = Clock::now();
}

void Checkpoints::write_rows(const std::string& path, Header& header) {
  const std::int64_t end = comm::assign_offsets(header);
  comm::SharedOutput output(runtime_.ranks(), path, true, largest_transfer);
  const std::vector<core::Dat*> dats = dats_of(runtime_.mesh);
  std::vector<std::uint64_t> mine(dats.size(), 0);
  comm::Bytes storage;
  for (std::size_t d = 0; d < dats.size(); ++d) {
    auto pieces = runtime_.collectively([&] { return runtime_.rows.declared_pieces(*dats[d]); });
    output.write(
        {runtime_.rows.declared_blocks(dats[d]->on()), static_cast<std::size_t>(dats[d]->size),
         header.dats[d].offset},
        [&](std::int64_t count) { return pieces.next(count, storage); },
        [&](std::int64_t position, std::span<const std::byte> piece) {
          mine[d] = core::add_checksums(mine[d], core::checksum(position, piece));
        });
  }
  const std::vector<std::uint64_t> sums = over_ranks(mine);
  for (std::size_t d = 0; d < dats.size(); ++d) header.dats[d].checksum = sums[d];
  output.publish([&] {
    comm::write_header(*output.file_of_root(), end, header);
    return comm::IfThere::replace;
  });
}

/// What the file says that it holds, and the same file opened by every rank; nothing if there is no
/// file. A file that is replaced meanwhile stays whole for those that have it open: ranks that have
/// opened different ones open it again. Collective.
std::optional<Checkpoints::Opened> Checkpoints::open_for_all(const std::string& path) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::optional<comm::OpenFile> file;
    std::string text;
    runtime_.check_together([&] {
      auto found = comm::OpenFile::if_any(path, O_RDONLY, path);
      if (!found) return;
      file.emplace(std::move(*found));
      if (runtime_.ranks().is_root()) text = comm::read_header(*file);
    });
    const bool alike = runtime_.collectively([&] {
      text = comm::text_of(runtime_.ranks().broadcast(comm::bytes_of(text), 0));
      comm::WordReduction words;
      words.minima = {text.empty() ? !file : file && comm::has_header(*file, text)};
      runtime_.ranks().reduce(words, "whether all ranks have opened one checkpoint");
      return words.minima[0] != 0;
    });
    if (alike && text.empty()) return {};
    if (alike) return Opened{std::move(*file), comm::header_of(text, path)};
    std::this_thread::sleep_for(std::min(longest_pause, shortest_pause * (1 << attempt)));
  }
  core::fail(ErrorCode::bad_checkpoint,
             "ranks see different files: '{}', opened {} times; check that all ranks reach one "
             "file system, and that the checkpoint is not replaced all the time",
             path, most_attempts);
}

bool Checkpoints::restore(const std::string& path) {
  runtime_.flush();
  runtime_.enter("op_restore '{}'", path);
  const core::Progress progress(runtime_.log, fmt::format("reading '{}'", path));
  const std::optional<Opened> opened = open_for_all(path);
  if (!opened) return false;
  const Header& header = opened->header;
  Header program = describe();
  runtime_.check_together([&] {
    const std::string difference = comm::first_difference(header, program);
    if (!difference.empty())
      core::fail(ErrorCode::bad_checkpoint,
                 "a checkpoint of another program or mesh: '{}', {}; start with what has written "
                 "it, or remove it to begin anew",
                 path, difference);
    comm::assign_offsets(program);
    comm::check_offsets(header, program, path);
  });
  check_rows(opened->file, header);
  read_rows(opened->file, header);
  set_values(header);
  written_ = Clock::now();
  return true;
}

/// Reads all rows and compares their checksums.
void Checkpoints::check_rows(const comm::OpenFile& file, const Header& header) {
  const std::vector<core::Dat*> dats = dats_of(runtime_.mesh);
  std::vector<std::uint64_t> mine(dats.size(), 0);
  runtime_.check_together([&] {
    comm::Bytes piece;
    for (std::size_t d = 0; d < dats.size(); ++d) {
      std::int64_t position = dats[d]->on().first * dats[d]->size;
      const std::int64_t end = position + std::int64_t{dats[d]->on().declared} * dats[d]->size;
      for (; position < end; position += std::ssize(piece)) {
        piece.resize(static_cast<std::size_t>(std::min(bytes_at_once, end - position)));
        file.read_at(header.dats[d].offset + position, piece.data(), piece.size());
        mine[d] = core::add_checksums(mine[d], core::checksum(position, piece));
      }
    }
  });
  const std::vector<std::uint64_t> sums = over_ranks(mine);
  for (std::size_t d = 0; d < dats.size(); ++d)
    if (sums[d] != header.dats[d].checksum)
      core::fail(ErrorCode::bad_checkpoint,
                 "the checkpoint is damaged: '{}', the rows of dat '{}' do not have the checksum "
                 "that they were written with; use an older one, or remove it to begin anew",
                 file.shown(), dats[d]->name_storage);
}

void Checkpoints::read_rows(const comm::OpenFile& file, const Header& header) {
  const std::vector<core::Dat*> dats = dats_of(runtime_.mesh);
  for (std::size_t d = 0; d < dats.size(); ++d) {
    core::Dat& dat = *dats[d];
    comm::Bytes rows;
    runtime_.check_together([&] {
      rows.resize(dat.declared_bytes());
      file.read_at(header.dats[d].offset + dat.on().first * dat.size, rows.data(), rows.size());
    });
    runtime_.set_rows(dat, rows.data());
  }
}

void Checkpoints::set_values(const Header& header) {
  for (std::size_t g = 0; g < header.globals.size(); ++g)
    runtime_.queue.push_assignment(*runtime_.mesh.globals()[g], header.globals[g].bytes.data());
  runtime_.flush();
  for (std::size_t k = 0; k < kept_.size(); ++k)
    std::memcpy(kept_[k].values, header.kept[k].bytes.data(), header.kept[k].bytes.size());
}

void Checkpoints::set_times(const std::string& path, const op_checkpoint_times& times) {
  if (times.every_steps < 0 || !(times.every_seconds >= 0) || times.signal < 0)
    core::fail(ErrorCode::bad_range,
               "negative: op_checkpoint_at, every {} steps, every {} seconds, signal {}; 0 stands "
               "for never",
               times.every_steps, times.every_seconds, times.signal);
  signal_.reset();
  if (times.signal != 0) signal_.emplace(times.signal);
  path_ = path;
  times_ = times;
  steps_ = steps_looked_ = 0;
  steps_to_look_ = 1;
  written_ = looked_ = Clock::now();
}

/// Collective.
Checkpoints::Agreed Checkpoints::look() {
  const Clock::time_point now = Clock::now();
  const auto since = [&](Clock::time_point then) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now - then).count();
  };
  comm::WordReduction words;
  words.maxima = {signal_ && signal_->has_come() ? 1 : 0, since(written_), since(looked_)};
  runtime_.enter("op_checkpoint_step");
  runtime_.collectively([&] { runtime_.ranks().reduce(words, "whether a checkpoint is due"); });
  looked_ = now;
  return {words.maxima[0] != 0, 1e-9 * static_cast<double>(words.maxima[1]),
          1e-9 * static_cast<double>(words.maxima[2])};
}

bool Checkpoints::step() {
  if (path_.empty())
    core::fail(ErrorCode::bad_range,
               "no times are set: op_checkpoint_step; call op_checkpoint_at before");
  ++steps_;
  bool due = times_.every_steps > 0 && steps_ >= times_.every_steps, ends = false;
  const bool by_clock = times_.every_seconds > 0 || times_.signal != 0;
  if (by_clock && ++steps_looked_ >= steps_to_look_) {
    const Agreed agreed = look();
    constexpr double clock_check_interval = 0.5;  // seconds
    const double steps = clock_check_interval / std::max(1e-9, agreed.seconds_since_looked) *
                         static_cast<double>(steps_looked_);
    steps_to_look_ = std::llround(std::clamp(steps, 1.0, most_steps_to_look));
    steps_looked_ = 0;
    ends = agreed.signal_came;
    due = due || ends ||
          (times_.every_seconds > 0 && agreed.seconds_since_written >= times_.every_seconds);
  }
  if (due) write(path_);
  return ends;
}

}  // namespace op2::api

void op2::detail::keep(const char* name, int count, Type value_type, void* values) {
  auto& runtime = op2::api::usable("op_keep");
  op2::core::check_name("op_keep", name);
  runtime.checkpoints.keep(name, count, value_type, values);
}

void op_checkpoint(const char* file) {
  auto& runtime = op2::api::usable();
  op2::core::check_path("op_checkpoint", file);
  const op2::core::InPart part(&runtime.measurements.profile, op2::core::Part::files);
  runtime.checkpoints.write(file);
}

bool op_restore(const char* file) {
  auto& runtime = op2::api::usable();
  op2::core::check_path("op_restore", file);
  const op2::core::InPart part(&runtime.measurements.profile, op2::core::Part::files);
  return runtime.checkpoints.restore(file);
}

void op_checkpoint_at(const char* file, const op_checkpoint_times& times) {
  auto& runtime = op2::api::usable();
  op2::core::check_path("op_checkpoint_at", file);
  runtime.enter("op_checkpoint_at '{}', {} steps, {} seconds, signal {}", file, times.every_steps,
                times.every_seconds, times.signal);
  runtime.checkpoints.set_times(file, times);
}

bool op_checkpoint_step() {
  auto& runtime = op2::api::usable();
  const op2::core::InPart part(&runtime.measurements.profile, op2::core::Part::files);
  return runtime.checkpoints.step();
}
