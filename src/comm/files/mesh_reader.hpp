// SPDX-License-Identifier: BSD-3-Clause
// Reads meshes of any format in blocks, every rank those that it declares. All members are
// collective; an error of one rank is thrown on all: bad_dataset, which names source, object and
// numbers, or what the source throws.
#pragma once

#include <string>
#include <vector>

#include <comm/files/mesh_source.hpp>
#include <comm/messages/communicator.hpp>
#include <comm/partition/block_mesh.hpp>

namespace op2::comm {

class MeshReader {
 public:
  /// Both outlive this object.
  MeshReader(Communicator& communicator, MeshSource& source)
      : communicator_(communicator), source_(source) {}

  /// The elements of a set, in blocks of equal size.
  Blocks set_blocks(const std::string& set);

  /// The rows of a map that this rank declares: shape [declared x arity].
  /// @param targets  number of elements of its target set
  std::vector<std::int32_t> map_rows(const std::string& map, const Blocks& from,
                                     std::int64_t targets, int arity);

  /// The values of a dat that this rank declares: shape [declared x dim].
  Bytes dat_rows(const std::string& dat, const Blocks& on, Type type, int dim);

 private:
  std::string object(const char* kind, const std::string& name) const;
  void check_shape(const std::string& object, const std::optional<RowShape>& shape,
                   const RowShape& wanted) const;
  template <class Action>
  void together(const std::string& object, const Action& action);
  RowRange own_rows(const Blocks& blocks) const;

  Communicator& communicator_;
  MeshSource& source_;
};

}  // namespace op2::comm
