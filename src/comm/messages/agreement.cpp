// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/agreement.hpp>

#include <algorithm>

#include <comm/messages/records.hpp>

namespace op2::comm {

void throw_together(Communicator& communicator, const std::optional<Error>& mine) {
  const auto codes = gather_records(communicator, mine ? static_cast<int>(mine->code()) : 0);
  const auto failed = std::find_if(codes.begin(), codes.end(), [](int code) { return code != 0; });
  if (failed == codes.end()) return;
  const int rank = static_cast<int>(failed - codes.begin());
  const std::string_view text = mine ? mine->what() : "";
  const std::string message = text_of(communicator.broadcast(bytes_of(text), rank));
  if (mine) throw Error(*mine);
  core::fail(static_cast<ErrorCode>(*failed), "rank {}: {}", rank,
             message.substr(message.find(' ') + 1));
}

}  // namespace op2::comm
