// SPDX-License-Identifier: BSD-3-Clause
#include <comm/files/mesh_reader.hpp>

#include <limits>

#include <fmt/format.h>

#include <comm/messages/agreement.hpp>
#include <core/error.hpp>
#include <core/value_type.hpp>

namespace op2::comm {

namespace {

constexpr std::int64_t most_elements = std::numeric_limits<std::int32_t>::max();

/// From indices of the file to those of a map.
std::vector<std::int32_t> checked_targets(const std::vector<std::int64_t>& rows,
                                          const std::string& object, std::int64_t first,
                                          std::int64_t targets, int arity) {
  std::vector<std::int32_t> entries;
  entries.reserve(rows.size());
  for (const std::int64_t target : rows) {
    const auto k = std::ssize(entries);
    if (target < 0 || target >= targets)
      core::fail(ErrorCode::map_out_of_range,
                 "an index of a mesh source is out of range: {}, row {}, column {} is {}, not in "
                 "[0, {}); check the file",
                 object, first + k / arity, k % arity, target, targets);
    entries.push_back(static_cast<std::int32_t>(target));
  }
  return entries;
}

}  // namespace

std::string MeshReader::object(const char* kind, const std::string& name) const {
  return fmt::format("{} '{}' of '{}'", kind, name, source_.name());
}

RowRange MeshReader::own_rows(const Blocks& blocks) const {
  const auto rank = static_cast<std::size_t>(communicator_.rank());
  return {blocks.begin[rank], blocks.count(communicator_.rank())};
}

template <class Action>
void MeshReader::together(const std::string& object, const Action& action) {
  throw_together(communicator_, error_of("reading " + object, action));
}

void MeshReader::check_shape(const std::string& object, const std::optional<RowShape>& shape,
                             const RowShape& wanted) const {
  if (!shape)
    core::fail(ErrorCode::bad_dataset, "a mesh source lacks an object: {}; check its name", object);
  if (shape->rows != wanted.rows || shape->values != wanted.values)
    core::fail(ErrorCode::bad_dataset,
               "wrong extents in a mesh source: {}, {} x {} values instead of {} x {}; "
               "check the file and the declaration",
               object, shape->rows, shape->values, wanted.rows, wanted.values);
}

Blocks MeshReader::set_blocks(const std::string& set) {
  const std::string what = object("set", set);
  std::int64_t size = 0;
  together(what, [&] {
    const auto found = source_.set_size(set);
    if (!found)
      core::fail(ErrorCode::bad_dataset, "a mesh source lacks an object: {}; check its name", what);
    size = *found;
    if (size < 0 || size > most_elements)
      core::fail(ErrorCode::bad_dataset,
                 "wrong extents in a mesh source: {}, {} elements, not in [0, {}]; "
                 "check the file",
                 what, size, most_elements);
  });
  WordReduction sizes{{}, {size}, {size}};
  communicator_.reduce(sizes, "comparing sizes of a set");
  if (sizes.minima != sizes.maxima)
    core::fail(ErrorCode::bad_dataset,
               "ranks read different extents from a mesh source: {}, {} to {} elements; give all "
               "ranks the same file",
               what, sizes.minima.front(), sizes.maxima.front());
  return equal_blocks(size, communicator_.size());
}

std::vector<std::int32_t> MeshReader::map_rows(const std::string& map, const Blocks& from,
                                               std::int64_t targets, int arity) {
  const std::string what = object("map", map);
  const RowRange own = own_rows(from);
  std::vector<std::int32_t> entries;
  together(what, [&] {
    check_shape(what, source_.map_shape(map), {from.size(), arity});
    std::vector<std::int64_t> rows(own.count * arity);
    RowSink sink(what, own, arity * sizeof(std::int64_t),
                 reinterpret_cast<std::byte*>(rows.data()));
    source_.read_map(map, own, sink);
    sink.check_complete();
    entries = checked_targets(rows, what, own.first, targets, arity);
  });
  return entries;
}

Bytes MeshReader::dat_rows(const std::string& dat, const Blocks& on, Type type, int dim) {
  const std::string what = object("dat", dat);
  const RowRange own = own_rows(on);
  Bytes values;
  together(what, [&] {
    check_shape(what, source_.dat_shape(dat), {on.size(), dim});
    const std::size_t row_bytes = core::size_of(type, dim);
    values.resize(own.count * row_bytes);
    RowSink sink(what, own, row_bytes, values.data());
    source_.read_dat(dat, type, own, sink);
    sink.check_complete();
  });
  return values;
}

}  // namespace op2::comm
