// SPDX-License-Identifier: BSD-3-Clause
#include <comm/partition/owner_lookup.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <comm/messages/records.hpp>

namespace op2::comm {

OwnerLookup::OwnerLookup(Communicator& communicator, const Blocks& set, const Owners& declared,
                         std::span<const GlobalId> asked)
    : set_(set), declared_(declared), rank_(communicator.rank()) {
  std::copy_if(asked.begin(), asked.end(), std::back_inserter(away_),
               [&](GlobalId id) { return !set.declares(rank_, id); });
  std::sort(away_.begin(), away_.end());
  away_.erase(std::unique(away_.begin(), away_.end()), away_.end());
  ask(communicator);
}

void OwnerLookup::ask(Communicator& communicator) {
  std::vector<Message> questions;
  for (auto from = away_.begin(); from != away_.end();) {
    const int rank = set_.declaring_rank(*from);
    const auto to = std::lower_bound(from, away_.end(), set_.begin[rank + 1]);
    questions.push_back({rank, to_bytes<GlobalId>({from, to})});
    from = to;
  }

  std::vector<Message> answers;
  for (const Message& question : communicator.exchange(std::move(questions))) {
    Owners owners;
    for (const GlobalId id : from_bytes<GlobalId>(question.bytes)) owners.push_back(owner_of(id));
    answers.push_back({question.rank, to_bytes<std::int32_t>(owners)});
  }

  // Answers come in rank order, which is that of the elements.
  for (const Message& answer : communicator.exchange(std::move(answers))) {
    const Owners owners = from_bytes<std::int32_t>(answer.bytes);
    owners_.insert(owners_.end(), owners.begin(), owners.end());
  }
}

std::int32_t OwnerLookup::owner_of(GlobalId id) const {
  if (set_.declares(rank_, id)) return declared_[id - set_.begin[rank_]];
  const auto found = std::lower_bound(away_.begin(), away_.end(), id);
  return owners_[found - away_.begin()];
}

}  // namespace op2::comm
