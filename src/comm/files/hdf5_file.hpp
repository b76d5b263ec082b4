// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files: datasets of rows in blocks, one block per rank. Knows nothing of meshes.
//
// All members are collective over the communicator, and what is wrong on one rank is an error on
// all: io_failure (a file that is missing, damaged, not an HDF5 file or may not be written; the disk),
// bad_dataset (what is in the file is not what is asked for), not_compiled (naming OP2_WITH_HDF5).
// Messages name the file, the dataset and what the HDF5 library says, which itself prints nothing.
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
  /// All ranks open the file and move their own rows by MPI-IO, where MPI and the HDF5 library
  /// allow that. Otherwise the root reads and sends, or gathers and writes.
  bool together = true;
  /// Rows move in pieces of at most so many bytes, on each rank: MPI counts by int, and values that
  /// are converted or sent need a buffer. At least one row.
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
    append,  ///< to what is there; a file that is not there is created
    create   ///< whatever is there is replaced, but only by the complete file
  };

  /// A file that is created grows beside `path`, under another name.
  /// @param communicator  outlives this object
  Hdf5File(Communicator& communicator, const std::string& path, Access access,
           const Hdf5Options& options = {});
  /// Without `publish`: a file that was being created is removed, one that was appended to stays as
  /// far as it got.
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  /// The sizes of a dataset; nothing if there is nothing of this name.
  /// @throws Error bad_dataset (a group has this name)
  std::optional<Extents> extents(const std::string& dataset);

  /// Reads the rank's own rows of a dataset [rows x dim], or [rows] if dim is 1. Whole numbers
  /// become numbers of any type, floating-point ones double or float.
  /// @param values  of this rank, shape [rows of its block x dim]
  /// @throws Error bad_dataset: missing, no numbers, other sizes, a value that the type cannot hold
  void read_rows(const Hdf5Rows& rows, void* values);

  /// Reads a dataset of `count` values, of any shape; every rank gets all of them.
  void read_values(const std::string& dataset, Type type, int count, void* values);

  /// Writes a dataset [rows x dim] with the attributes size (rows), dim and type. One of the same
  /// name is replaced: in place if type and sizes agree, else its space in the file is lost.
  /// @throws Error bad_dataset: there is a group of this name
  void write_rows(const Hdf5Rows& rows, const void* values);

  /// Writes a dataset [count] with the attributes size (1), dim (count) and type. The values are
  /// those of the root.
  void write_values(const std::string& dataset, Type type, int count, const void* values);

  /// Closes the file; one that was created gets its name once it is on the disk. Errors that the
  /// disk reports late come here.
  void publish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace op2::comm
