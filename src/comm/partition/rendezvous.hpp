// SPDX-License-Identifier: BSD-3-Clause
// Sends values for elements of a set to the ranks that declare these elements.
#pragma once

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
struct Ragged {
  std::vector<std::int64_t> first;  ///< shape [rows + 1]
  std::vector<T> values;

  std::size_t rows() const { return first.size() - 1; }
  std::span<T> row(std::size_t i) {
    return {values.data() + first[i], values.data() + first[i + 1]};
  }
  std::span<const T> row(std::size_t i) const {
    return {values.data() + first[i], values.data() + first[i + 1]};
  }
};

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
    auto by_row = core::invert<T, std::int64_t>(rows, [&](const auto& add) {
      for (const auto& letters : arrived)
        for (const Letter& letter : letters) add(letter.element - begin, letter.value);
    });
    return {std::move(by_row.first), std::move(by_row.values)};
  }

  const Blocks& set_;
  const int own_;
  std::vector<std::vector<Letter>> outgoing_;  ///< shape [ranks][any number]
};

}  // namespace op2::comm
