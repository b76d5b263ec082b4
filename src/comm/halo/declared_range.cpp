// SPDX-License-Identifier: BSD-3-Clause
// Rows that this rank wants, by global indices, from the ranks that declare them.
#include <algorithm>
#include <cstring>

#include <comm/halo/distributed_mesh.hpp>
#include <comm/messages/records.hpp>

namespace op2::comm {
namespace {

/// Global indices low .. high, inclusive.
struct IdRange {
  std::int64_t low, high;
};

/// The rows that this rank declares and others want. Collective. Cost: a message of a few bytes to
/// each rank whose rows are wanted.
/// @param declared  all rows that this rank declares
/// @param mine      what this rank wants
std::vector<Message> wanted_parts(Communicator& communicator, const Blocks& blocks,
                                  const core::Dat& dat, std::span<const std::byte> declared,
                                  const IdRange& mine) {
  const auto bytes = static_cast<std::size_t>(dat.size);
  std::vector<Message> questions;
  const int last = blocks.declaring_rank(mine.high);
  for (int rank = blocks.declaring_rank(mine.low); rank <= last; ++rank)
    questions.push_back({rank, to_bytes<IdRange>({&mine, 1})});
  const std::int64_t first = dat.on().first, end = first + dat.on().declared;
  std::vector<Message> parts;
  for (const Message& question : communicator.exchange(std::move(questions))) {
    const IdRange wanted = from_bytes<IdRange>(question.bytes).front();
    const std::int64_t from = std::max(first, wanted.low), to = std::min(end, wanted.high + 1);
    if (from >= to) continue;
    const auto rows = declared.subspan(static_cast<std::size_t>(from - first) * bytes,
                                       static_cast<std::size_t>(to - from) * bytes);
    parts.push_back({question.rank, {rows.begin(), rows.end()}});
  }
  return parts;
}

}  // namespace

void DistributedMesh::copy_declared_range(const core::Dat& dat, std::int64_t low, std::int64_t high,
                                          std::byte* to) {
  const auto bytes = static_cast<std::size_t>(dat.size);
  if (dat.on().is_single_rank) {  // the rows alone, without all others
    const std::byte* const rows = dat.rows.host_read();
    if (keeps(*dat.set)) {
      std::memcpy(to, rows + low * bytes, (high - low + 1) * bytes);
      return;
    }
    const IndexMap& map = halo_plan_->of(*dat.set);
    for (std::int64_t id = low; id <= high; ++id, to += bytes)
      std::memcpy(to, rows + map.row_at(static_cast<std::int32_t>(id)) * bytes, bytes);
    return;
  }
  Bytes storage;
  const auto declared = declared_rows(dat, storage);
  for (const Message& part : communicator_.exchange(
           wanted_parts(communicator_, declared_blocks(dat.on()), dat, declared, {low, high})))
    to = std::ranges::copy(part.bytes, to).out;
}

}  // namespace op2::comm
