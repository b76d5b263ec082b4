// SPDX-License-Identifier: BSD-3-Clause
#include <sched/known_facts.hpp>

#include <utility>

namespace op2::sched {
namespace {

/// A program whose sequences never repeat must not accumulate them without bound.
constexpr std::size_t max_sequences = 1024;

}  // namespace

const Facts* KnownFacts::find(const core::Queue& declared, const core::Mesh& mesh) const {
  if (constants_ != mesh.constants().size()) return nullptr;
  const auto [first, last] = entries_.equal_range(hash_of(declared));
  for (auto entry = first; entry != last; ++entry)
    if (is_sequence_of(entry->second.sequence, declared)) return &entry->second.facts;
  return nullptr;
}

const Facts& KnownFacts::add(const core::Queue& declared, const core::Mesh& mesh, Facts facts) {
  if (entries_.size() == max_sequences || constants_ != mesh.constants().size()) entries_.clear();
  constants_ = mesh.constants().size();
  Entry entry{sequence_key(declared), std::move(facts)};
  return entries_.emplace(hash_of(declared), std::move(entry))->second.facts;
}

}  // namespace op2::sched
