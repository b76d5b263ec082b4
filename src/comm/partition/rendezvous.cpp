// SPDX-License-Identifier: BSD-3-Clause
#include <comm/partition/rendezvous.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <comm/halo/row_copy.hpp>
#include <comm/messages/records.hpp>

namespace op2::comm {

RowRequest::RowRequest(Communicator& communicator, const Blocks& set,
                       std::span<const GlobalId> wanted)
    : communicator_(communicator) {
  std::vector<Message> questions;
  while (!wanted.empty()) {
    const int rank = set.declaring_rank(wanted.front());
    const auto end =
        std::ranges::lower_bound(wanted, set.begin[static_cast<std::size_t>(rank) + 1]);
    const auto count = static_cast<std::size_t>(end - wanted.begin());
    questions.push_back({rank, to_bytes<GlobalId>(wanted.first(count))});
    wanted = wanted.subspan(count);
  }
  const GlobalId first = set.begin[communicator.rank()];
  for (const Message& question : communicator.exchange(std::move(questions))) {
    Wish wish{question.rank, {}};
    for (const GlobalId id : from_bytes<GlobalId>(question.bytes))
      wish.declared.push_back(static_cast<std::int32_t>(id - first));
    wishes_.push_back(std::move(wish));
  }
}

Bytes RowRequest::rows(std::span<const std::byte> declared, std::size_t row_bytes) const {
  std::vector<Message> answers;
  for (const Wish& wish : wishes_) {
    answers.push_back({wish.rank, Bytes(wish.declared.size() * row_bytes)});
    gather_rows(answers.back().bytes.data(), declared.data(), wish.declared, row_bytes);
  }
  Bytes rows;  // declaring ranks ascend with the global indices
  for (const Message& answer : communicator_.exchange(std::move(answers)))
    rows.insert(rows.end(), answer.bytes.begin(), answer.bytes.end());
  return rows;
}

std::vector<GlobalId> declared_elsewhere(const Blocks& set, int rank, std::vector<GlobalId> ids) {
  std::erase_if(ids, [&](GlobalId id) { return set.declares(rank, id); });
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace op2::comm
