// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include <comm/messages/communicator.hpp>

namespace op2::sched {

/// Sets every flag that any rank has set. Collective; every rank has as many flags.
/// @param what  they mean, as for Communicator::reduce
inline void combine_flags(std::vector<char>& flags, comm::Communicator& communicator,
                          std::string_view what) {
  if (flags.empty()) return;
  comm::WordReduction any{{}, {}, {flags.begin(), flags.end()}};
  communicator.reduce(any, what);
  for (std::size_t k = 0; k < flags.size(); ++k) flags[k] = any.maxima[k] != 0 ? 1 : 0;
}

/// The same for two arrays at once.
inline void combine_flags(std::vector<char>& first, std::vector<char>& second,
                          comm::Communicator& communicator, std::string_view what) {
  std::vector<char> both = first;
  both.insert(both.end(), second.begin(), second.end());
  combine_flags(both, communicator, what);
  const auto middle = both.begin() + std::ssize(first);
  first.assign(both.begin(), middle);
  second.assign(middle, both.end());
}

}  // namespace op2::sched
