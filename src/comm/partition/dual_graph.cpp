// SPDX-License-Identifier: BSD-3-Clause
#include <comm/partition/dual_graph.hpp>

#include <algorithm>
#include <span>

namespace op2::comm {

namespace {

void introduce(GlobalId a, GlobalId b, Rendezvous<GlobalId>& rendezvous) {
  if (a == b) return;
  rendezvous.send(a, b);
  rendezvous.send(b, a);
}

/// Sorts every row and removes repetitions.
void sort_and_unite(Ragged<GlobalId>& rows) {
  auto end = rows.values.begin();
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    rows.first[i] = end - rows.values.begin();
    std::sort(row.begin(), row.end());
    end = std::unique_copy(row.begin(), row.end(), end);
  }
  rows.values.erase(end, rows.values.end());
  rows.first.back() = static_cast<std::int64_t>(rows.values.size());
}

}  // namespace

Ragged<GlobalId> dual_graph(Communicator& communicator, const BlockMesh& mesh,
                            const BlockMap& map) {
  Rendezvous<GlobalId> rendezvous(communicator, mesh.sets[map.to]);
  const std::size_t arity = map.arity;
  const std::span<const GlobalId> targets = map.targets;
  const GlobalId first = mesh.sets[map.from].begin[communicator.rank()];
  for (std::size_t entry = 0; entry < targets.size(); entry += arity)
    for (std::size_t k = entry; k < entry + arity; ++k) {
      for (std::size_t other = entry; other < k; ++other)
        introduce(targets[other], targets[k], rendezvous);
      if (map.from == map.to)
        introduce(first + static_cast<GlobalId>(entry / arity), targets[k], rendezvous);
    }
  Ragged<GlobalId> graph = rendezvous.deliver(communicator);
  sort_and_unite(graph);
  return graph;
}

}  // namespace op2::comm
