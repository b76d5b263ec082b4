// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
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

}  // namespace op2::sched
