// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/agreement.hpp>

#include <limits>

#include <comm/messages/records.hpp>

namespace op2::comm {

void throw_together(Communicator& communicator, const std::optional<Error>& mine) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max(), codes = 1 << 16;
  WordReduction first{
      {},
      {mine ? communicator.rank() * codes + static_cast<std::int64_t>(mine->code()) : none},
      {}};
  communicator.reduce(first, "comparing errors");
  const std::int64_t failed = first.minima.front();
  if (failed == none) return;
  const int rank = static_cast<int>(failed / codes);
  const std::string_view text = mine ? mine->what() : "";
  const std::string message = text_of(communicator.broadcast(bytes_of(text), rank));
  if (mine) throw Error(*mine);
  core::fail(static_cast<ErrorCode>(failed % codes), "rank {}: {}", rank,
             message.substr(message.find(' ') + 1));
}

}  // namespace op2::comm
