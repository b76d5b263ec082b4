// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files: datasets of rows in blocks, one block per rank. Independent of meshes.
//
// All members are collective over the communicator, and an error of one rank is thrown on all:
// io_failure (the file is missing, damaged, not an HDF5 file or not writable; the disk),
// bad_dataset (the file does not have what is requested), not_compiled (naming OP2_WITH_HDF5).
// Messages name the file, the dataset and the reason of the HDF5 library, which itself prints
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>
#include <op2/types.hpp>

namespace op2::comm {

struct Hdf5Options {
  /// All ranks read their rows by MPI-IO, and write them to the file themselves unless it is on
  /// NFS, if MPI and the HDF5 library support that. Otherwise the root reads and sends, or gathers
  /// and writes.
  bool together = true;
  /// Each rank transfers its rows in parts of at most so many bytes, or of one row: MPI counts in
  /// int, and values that are converted or sent need a buffer.
  std::int64_t largest_transfer = std::int64_t{1} << 28;
};

/// Sizes of a dataset; none: a single value.
using Extents = std::vector<std::int64_t>;

/// Values on all ranks, by rows; owns nothing.
struct Hdf5Rows {
  std::string dataset;   ///< its path in the file: "q", "results/q"
  const Blocks& blocks;  ///< which rows each rank has
  Type type;
  int dim;  ///< values per row
};

class Hdf5File {
 public:
  enum class Access {
    read,
    append,  ///< to the file; creates it if necessary
    create   ///< replaces a file, but only by the complete new one
  };

  /// A new file has a temporary name in the folder of `path` until it is published.
  /// @param communicator  outlives this object
  Hdf5File(Communicator& communicator, const std::string& path, Access access,
           const Hdf5Options& options = {});
  /// Without `publish`, what was written is lost, and an earlier file is as it was.
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  /// The extents of a dataset; nothing if there is none of this name.
  /// @throws Error bad_dataset (a group has this name)
  std::optional<Extents> extents(const std::string& dataset);

  /// Throws bad_dataset unless `read_rows` would find the dataset with the right extents, so that
  /// memory is taken only for rows that are there.
  void check_extents(const Hdf5Rows& rows);

  /// Reads this rank's rows of a dataset [rows x dim], or [rows] if dim is 1. Integers are
  /// converted to any type, floating-point values to double or float.
  /// @param values  of this rank, shape [rows of its block x dim]
  /// @throws Error bad_dataset: missing, not numbers, other extents, a value that the type cannot
  /// hold
  void read_rows(const Hdf5Rows& rows, void* values);

  /// Reads a dataset of `count` values, of any shape; every rank gets all of them.
  void read_values(const std::string& dataset, Type type, int count, void* values);

  /// Writes a dataset [rows x dim] with the attributes size (rows), dim and type. Replaces one of
  /// the same name: in place if type and extents agree, otherwise its space in the file is lost.
  /// @throws Error bad_dataset: the name is that of a group, or a link leads to another file
  void write_rows(const Hdf5Rows& rows, const void* values);

  /// Writes a dataset [count] with the attributes size (1), dim (count) and type. The values are
  /// those of the root.
  void write_values(const std::string& dataset, Type type, int count, const void* values);

  /// Closes the file, waits until it is on the disk, and gives it its name. Throws errors that the
  /// disk reports late, and io_failure if another process has changed the file that was appended
  /// to.
  void publish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace op2::comm
