// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/agreement.hpp>
#include <comm/partition/partition.hpp>
#include <core/error.hpp>

namespace op2::comm {

Owners given_owners(Communicator& communicator, const Blocks& set,
                    std::span<const std::int32_t> ranks, std::string_view name) {
  const auto check = [&] {
    for (std::size_t k = 0; k < ranks.size(); ++k)
      if (ranks[k] < 0 || ranks[k] >= communicator.size())
        core::fail(ErrorCode::bad_range,
                   "a rank is out of range: op_partition, dat '{}'[{}] = {}, not in [0, {}); give "
                   "every element a rank of the job",
                   name, set.begin[communicator.rank()] + static_cast<std::int64_t>(k), ranks[k],
                   communicator.size());
  };
  throw_together(communicator, error_of("op_partition", check));
  return {ranks.begin(), ranks.end()};
}

}  // namespace op2::comm
