// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/agreement.hpp>

#include <string_view>
#include <utility>

#include <comm/messages/records.hpp>

namespace op2::comm {

void throw_together(Communicator& communicator, const std::optional<Error>& mine) {
  const auto rank = static_cast<int>(
      communicator.minimum(mine ? communicator.rank() : communicator.size(), "comparing errors"));
  if (rank == communicator.size()) return;
  throw_error_of(communicator, mine, rank);
}

void throw_error_of(Communicator& communicator, const std::optional<Error>& mine, int rank) {
  const Error theirs = broadcast_error(communicator, mine, rank);
  if (mine) throw Error(*mine);
  core::fail(theirs.code(), "rank {}: {}", rank, core::text_without_code(theirs.what()));
}

Error broadcast_error(Communicator& communicator, const std::optional<Error>& mine, int rank) {
  Bytes bytes;
  if (communicator.rank() == rank) {
    put(bytes, mine->code());
    put_many<char>(bytes, core::text_without_code(mine->what()));
  }
  bytes = communicator.broadcast(std::move(bytes), rank);
  Reader reader(bytes);
  const auto code = reader.get<ErrorCode>();
  return {code, text_of(reader.rest())};
}

}  // namespace op2::comm
