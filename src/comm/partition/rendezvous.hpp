// SPDX-License-Identifier: BSD-3-Clause
// Values of elements that travel to or from the ranks that declare these elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <comm/messages/communicator.hpp>
#include <comm/messages/records.hpp>
#include <comm/partition/block_mesh.hpp>
#include <core/inverse_map.hpp>

namespace op2::comm {

/// Rows of different lengths: row i is values[first[i] .. first[i + 1]).
template <class T>
struct Ragged : core::InverseMap<T, std::int64_t> {
  std::size_t rows() const { return this->targets(); }
  std::span<const T> row(std::size_t i) const { return this->sources_of(i); }
  std::span<T> row(std::size_t i) {
    return {this->values.data() + this->first[i], this->values.data() + this->first[i + 1]};
  }
};

/// Sorts every row and removes repetitions.
template <class T>
void sort_and_unite(Ragged<T>& rows) {
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

/// Collects values addressed to elements, then delivers all of them at once.
template <class T>
class Rendezvous {
 public:
  /// @param set  outlives this object
  Rendezvous(const Communicator& communicator, const Blocks& set)
      : set_(set), own_(communicator.rank()), outgoing_(communicator.size()) {}

  void send(GlobalId element, T value) {
    const bool declared = set_.declares(own_, element);
    outgoing_[declared ? own_ : set_.declaring_rank(element)].push_back({element, value});
  }

  /// What all ranks have sent to the elements declared here, in no particular order within a row:
  /// shape [declared elements][any number]. Collective; once. Cost: one exchange, linear work.
  Ragged<T> deliver(Communicator& communicator) {
    std::vector<std::vector<Letter>> arrived;
    arrived.push_back(std::exchange(outgoing_[own_], {}));
    std::vector<Message> messages = messages_of(outgoing_);
    outgoing_.clear();
    for (const Message& message : communicator.exchange(std::move(messages)))
      arrived.push_back(from_bytes<Letter>(message.bytes));
    return sorted(arrived);
  }

 private:
  struct Letter {
    GlobalId element;
    T value;
  };

  Ragged<T> sorted(const std::vector<std::vector<Letter>>& arrived) const {
    const GlobalId begin = set_.begin[own_];
    const std::size_t rows = set_.count(own_);
    return {core::invert<T, std::int64_t>(rows, [&](const auto& add) {
      for (const auto& letters : arrived)
        for (const Letter& letter : letters) add(letter.element - begin, letter.value);
    })};
  }

  const Blocks& set_;
  const int own_;
  std::vector<std::vector<Letter>> outgoing_;  ///< shape [ranks][any number]
};

/// Which rows of one set go from their declaring ranks to the ranks that request them.
class RowRequest {
 public:
  /// Collective. Cost: one exchange.
  /// @param wanted  global indices, ascending, each once
  RowRequest(Communicator& communicator, const Blocks& set, std::span<const GlobalId> wanted);

  /// The wanted rows, in their order. Collective. Cost: one exchange.
  /// @param declared  the rows that this rank declares, of `row_bytes` bytes each
  Bytes rows(std::span<const std::byte> declared, std::size_t row_bytes) const;

 private:
  struct Wish {
    int rank;
    std::vector<std::int32_t> declared;  ///< positions in the own block
  };
  Communicator& communicator_;
  std::vector<Wish> wishes_;
};

/// Those of the elements that other ranks declare, ascending, each once.
std::vector<GlobalId> declared_elsewhere(const Blocks& set, int rank, std::vector<GlobalId> ids);

/// Values of the requested elements and of all declared ones. Memory: the requested elements that
/// other ranks declare.
template <class T>
class ValueLookup {
 public:
  /// Collective. Cost: two exchanges.
  /// @param set       outlives this object
  /// @param declared  values of the elements declared here; outlives this object
  /// @param wanted    global indices, in any order, may repeat
  ValueLookup(Communicator& communicator, const Blocks& set, const std::vector<T>& declared,
              std::vector<GlobalId> wanted)
      : set_(set),
        declared_(declared),
        rank_(communicator.rank()),
        away_(declared_elsewhere(set, rank_, std::move(wanted))),
        values_(from_bytes<T>(RowRequest(communicator, set, away_)
                                  .rows(std::as_bytes(std::span(declared)), sizeof(T)))) {}

  /// Local. Cost O(1) for a declared element, otherwise O(log requested elements).
  T value_of(GlobalId id) const {
    if (set_.declares(rank_, id)) return declared_[id - set_.begin[rank_]];
    return values_[std::lower_bound(away_.begin(), away_.end(), id) - away_.begin()];
  }

 private:
  const Blocks& set_;
  const std::vector<T>& declared_;
  const int rank_;
  const std::vector<GlobalId> away_;  ///< requested, declared by other ranks
  const std::vector<T> values_;       ///< of those
};

}  // namespace op2::comm
