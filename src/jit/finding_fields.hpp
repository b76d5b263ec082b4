// SPDX-License-Identifier: BSD-3-Clause
// A finding as bytes.
#pragma once

#include <concepts>
#include <type_traits>

#include <jit/access_finding.hpp>

namespace op2::jit {

/// @param finding  const for a Writer
template <class Stream, class Finding>
requires std::same_as<std::remove_const_t<Finding>, AccessFinding>
void fields(Stream& stream, Finding& finding) {
  stream.values(finding.call, finding.argument, finding.is_omission, finding.what, finding.advice,
                finding.file, finding.line, finding.column, finding.source_line);
}

}  // namespace op2::jit
