// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/pull_tables.hpp>

#include <sched/executor/cuda/store_lists.hpp>

namespace op2::sched {

void PullTables::fill(Table& table, const PullLists& lists, const std::string& set) {
  table.positions = lists.positions;
  table.rows = lists.rows.size();
  table.start = lists.start.size();
  table.most = most_iterations(lists);
  store_lists(table.lists, {&lists.rows, &lists.start, &lists.iterations}, set, copies_);
}

PullTable PullTables::lists_of(const std::vector<RowAccess>& columns, IndexRange iterations,
                               const std::string& set) {
  if (iterations.empty()) return {};
  return find(
      {columns, iterations, not_all}, [&] { return make_pull_lists(columns, iterations); }, set);
}

PullTable PullTables::lists_of_all(const std::vector<RowAccess>& columns, IndexRange iterations,
                                   IndexRange rows, const std::string& set) {
  return find(
      {columns, iterations, rows}, [&] { return make_gather_lists(columns, iterations, rows); },
      set);
}

PullTable PullTables::find(const Key& key, const std::function<PullLists()>& make,
                           const std::string& set) {
  auto found = tables_.find(key);
  if (found == tables_.end()) {
    const PullLists lists = make();
    found = tables_.try_emplace(key).first;
    try {
      fill(found->second, lists, set);
    } catch (...) {
      tables_.erase(found);
      throw;
    }
  }
  const Table& table = found->second;
  const auto* first = reinterpret_cast<const std::int32_t*>(table.lists.device_read().value);
  return {table.positions, table.rows == 0 ? nullptr : first, first + table.rows,
          first + table.rows + table.start, table.lists.bytes(), table.most};
}

}  // namespace op2::sched
