// SPDX-License-Identifier: BSD-3-Clause
// An open HDF5 file on the ranks of a communicator. Members are collective unless they are const.
#pragma once

#include <optional>
#include <string>

#include <comm/files/hdf5_dataset.hpp>
#include <comm/files/hdf5_file.hpp>
#include <comm/files/hdf5_image.hpp>
#include <comm/files/shared_output.hpp>
#include <comm/messages/agreement.hpp>

namespace op2::comm {

/// The ranks for which the HDF5 library has the file open are its members: all that read together,
/// or only the root. While a file is written, the library sees only descriptions, in memory; rows
/// are written to a temporary file, by all ranks or by the root.
struct Hdf5File::State {
  State(Communicator& communicator, const std::string& name, Access access,
        const Hdf5Options& wanted);

  bool reads_together() const { return together && access == Access::read; }
  bool member() const { return reads_together() || ranks.is_root(); }
  Hdf5Location location(const std::string& dataset) const { return {path, dataset}; }

  /// Runs an action on every rank; if one fails, all throw. Collective.
  template <class Action>
  void everywhere(const Action& action) {
    do_together(ranks, "'" + path + "'", action);
  }
  /// The same on the members.
  template <class Action>
  void step(const Action& action) {
    throw_together(ranks, member() ? error_of("'" + path + "'", action) : std::nullopt);
  }
  /// The same on the root alone.
  template <class Action>
  void root_step(const Action& action) {
    do_on_root(ranks, "'" + path + "'", action);
  }

  void open_to_read();
  void open_to_write();
  void begin_output();
  void lock_original();
  Hdf5Dataset existing(const std::string& dataset) const;
  Hdf5Dataset fitting(const Hdf5Rows& rows) const;
  std::int64_t prepare(const Hdf5Rows& rows, const Extents& extents, int dim);
  std::int64_t prepare_on_root(const Hdf5Rows& rows, const Extents& extents, int dim);
  void write(const Hdf5Rows& rows, const Extents& extents, const void* values, int dim);
  void read(const Hdf5Rows& rows, const Hdf5Dataset* data, void* values);
  void publish();

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
  const std::string path;
  const Access access;
  const bool together;
  std::optional<QuietHdf5> quiet;      ///< of members
  std::optional<OpenFile> original;    ///< on the root: the locked file that is appended to
  std::optional<SharedOutput> output;  ///< of a file that is written
  std::optional<Hdf5Image> image;      ///< on the root: what the HDF5 library changes
  Hdf5Handle file;                     ///< of members
  const Waiting waiting;               ///< names the file where a rank waits for others
};

/// Bytes of so many rows.
std::size_t bytes_of_rows(const Hdf5Rows& rows, std::int64_t count);

}  // namespace op2::comm
