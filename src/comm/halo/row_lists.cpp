// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/row_lists.hpp>

#include <map>
#include <utility>

#include <comm/messages/packet.hpp>

namespace op2::comm {
namespace {

/// The rows of a set by their owners.
std::vector<ExportList> by_owner(const core::Layout& layout, const WantedRows& wanted) {
  std::map<int, std::vector<std::int32_t>> rows;
  for (const std::int32_t row : wanted.rows)
    rows[layout.owner[static_cast<std::size_t>(row)]].push_back(row);
  std::vector<ExportList> lists;
  for (auto& [owner, some] : rows) lists.push_back({owner, std::move(some)});
  return lists;
}

}  // namespace

std::vector<std::shared_ptr<const RowLists>> agree_on_rows(Communicator& communicator,
                                                           const HaloPlan& plan,
                                                           const std::vector<WantedRows>& wanted) {
  std::vector<std::shared_ptr<RowLists>> all;
  Outbox outbox;
  for (const WantedRows& some : wanted) {
    const core::Layout& layout = plan.sets[static_cast<std::size_t>(some.set)].layout;
    all.push_back(std::make_shared<RowLists>(RowLists{by_owner(layout, some), {}}));
    for (const ExportList& list : all.back()->imports) {
      Bytes& bytes = outbox[list.rank];
      std::vector<GlobalId> ids;
      for (const std::int32_t row : list.rows)
        ids.push_back(layout.global_id[static_cast<std::size_t>(row)]);
      put(bytes, static_cast<std::int32_t>(all.size() - 1));
      put(bytes, static_cast<std::int32_t>(ids.size()));
      put_many(bytes, std::span<const GlobalId>(ids));
    }
  }
  for (const Message& message : communicator.exchange(messages_of(std::move(outbox))))
    for (Reader reader(message.bytes); !reader.empty();) {
      const auto number = static_cast<std::size_t>(reader.get<std::int32_t>());
      const auto count = static_cast<std::size_t>(reader.get<std::int32_t>());
      const IndexMap& set = plan.sets[static_cast<std::size_t>(wanted[number].set)];
      ExportList list{message.rank, {}};
      for (const GlobalId id : reader.get_many<GlobalId>(count))
        list.rows.push_back(set.owned_row(id));
      all[number]->exports.push_back(std::move(list));
    }
  return {all.begin(), all.end()};
}

}  // namespace op2::comm
