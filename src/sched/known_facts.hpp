// SPDX-License-Identifier: BSD-3-Clause
// The facts of sequences that have had a plan: further plans of a sequence need no messages for
// them, whatever rows and schedule they are for.
#pragma once

#include <cstddef>
#include <unordered_map>

#include <core/mesh.hpp>
#include <core/queue.hpp>
#include <sched/facts.hpp>
#include <sched/plan_key.hpp>

namespace op2::sched {

/// Uniform: ranks find and add the same sequences. What is proven may need constants, so facts from
/// before the last one was declared are not found.
class KnownFacts {
 public:
  /// Null: none are known. Valid until the next `add`.
  const Facts* find(const core::Queue& declared, const core::Mesh& mesh) const;
  const Facts& add(const core::Queue& declared, const core::Mesh& mesh, Facts facts);

 private:
  struct Entry {
    PlanKey sequence;
    Facts facts;
  };
  std::unordered_multimap<std::size_t, Entry> entries_;
  std::size_t constants_ = 0;  ///< so many were declared
};

}  // namespace op2::sched
