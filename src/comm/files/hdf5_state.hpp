// SPDX-License-Identifier: BSD-3-Clause
// An open HDF5 file on the ranks of a communicator. Members are collective unless they are const.
#pragma once

#include <optional>
#include <string>

#include <comm/files/hdf5_dataset.hpp>
#include <comm/files/hdf5_file.hpp>
#include <comm/messages/agreement.hpp>

namespace op2::comm {

/// The ranks that have the file open are its members: all, or only the root.
struct Hdf5File::State {
  State(Communicator& communicator, const std::string& name, const Hdf5Options& wanted);
  ~State();

  bool member() const { return together || ranks.is_root(); }
  Hdf5Location location(const std::string& dataset) const { return {path, dataset}; }

  /// Runs an action on the members; if one fails, all ranks throw. Collective.
  template <class Action>
  void step(const Action& action) {
    throw_together(ranks, member() ? error_of("'" + path + "'", action) : std::nullopt);
  }
  /// The same on the root alone.
  template <class Action>
  void root_step(const Action& action) {
    throw_together(ranks, ranks.is_root() ? error_of("'" + path + "'", action) : std::nullopt);
  }

  void choose_files(Access access);
  void open(Access access);
  Hdf5Dataset existing(const std::string& dataset) const;
  void reserve(std::size_t bytes);
  std::optional<Hdf5Dataset> open_to_write(const Hdf5Rows& rows, const Extents& extents);
  void write(const Hdf5Rows& rows, const Extents& extents, const void* values, int dim);
  void read(const Hdf5Rows& rows, const Hdf5Dataset* data, void* values);

  /// Number of rows per transfer, the same on all ranks.
  std::int64_t rows_at_once(int dim) const {
    return std::max<std::int64_t>(1, options.largest_transfer / (std::int64_t{8} * dim));
  }
  template <class Move>
  void for_own_rows(const Hdf5Rows& rows, const Move& move);
  void read_own(const Hdf5Rows& rows, const Hdf5Dataset& data, void* values);
  void read_and_send(const Hdf5Rows& rows, const Hdf5Dataset* data, void* values);
  void gather_and_write(const Hdf5Rows& rows, Hdf5Dataset* data, const void* values);

  Communicator& ranks;
  const Hdf5Options options;
  const std::string path;
  const bool together;
  std::optional<QuietHdf5> quiet;  ///< of members
  std::string target;              ///< on the root, of a file that is being created
  std::string temporary;           ///< its temporary name; otherwise empty
  Hdf5Handle file;                 ///< of members
  std::int64_t bytes_on_disk = 0;  ///< on the root: an upper bound of the file's size
  bool reserved = false;           ///< on the root: disk space was reserved
};

/// Bytes of so many rows.
std::size_t bytes_of_rows(const Hdf5Rows& rows, std::int64_t count);

}  // namespace op2::comm
