// SPDX-License-Identifier: BSD-3-Clause
// Findings and facts as bytes.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <jit/access_finding.hpp>
#include <jit/kernel_facts.hpp>

namespace op2::jit {

/// @param finding  const for a Writer
template <class Stream, class Finding>
requires std::same_as<std::remove_const_t<Finding>, AccessFinding>
void fields(Stream& stream, Finding& finding) {
  std::int32_t beyond = static_cast<std::int32_t>(finding.beyond);
  stream.values(finding.call, finding.argument, finding.is_omission, beyond, finding.what,
                finding.advice, finding.file, finding.line, finding.column, finding.source_line);
  if constexpr (!std::is_const_v<Finding>) {
    if (beyond < 0 || beyond > 2) stream.refuse();
    finding.beyond = Beyond{beyond};
  }
}

/// @param facts  const for a Writer
template <class Stream, class Facts>
requires std::same_as<std::remove_const_t<Facts>, ParameterFacts>
void fields(Stream& stream, Facts& facts) {
  std::int32_t proven = (facts.writes_all ? 1 : 0) + (facts.only_adds ? 2 : 0) +
                        (facts.leaves_zero ? 4 : 0) + (facts.only_lowers ? 8 : 0) +
                        (facts.only_raises ? 16 : 0);
  stream.values(proven, facts.obstacle, facts.file, facts.line, facts.column);
  if constexpr (!std::is_const_v<Facts>) {
    if (proven < 0 || proven > 31) stream.refuse();
    facts.writes_all = (proven & 1) != 0;
    facts.only_adds = (proven & 2) != 0;
    facts.leaves_zero = (proven & 4) != 0;
    facts.only_lowers = (proven & 8) != 0;
    facts.only_raises = (proven & 16) != 0;
  }
}

}  // namespace op2::jit
