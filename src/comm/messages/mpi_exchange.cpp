// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/mpi_exchange.hpp>

#include <algorithm>
#include <utility>

namespace op2::comm {

MpiExchange::MpiExchange(MPI_Comm comm, int tag, std::size_t largest, std::vector<Message> outgoing)
    : comm_(comm), tag_(tag), largest_(largest), outgoing_(std::move(outgoing)) {
  for (Message& message : outgoing_) {
    std::span<std::byte> rest = message.bytes;
    for (bool last = false; !last;) {
      const auto segment = rest.first(std::min(rest.size(), largest_));
      rest = rest.subspan(segment.size());
      last = segment.size() < largest_;
      MPI_Request request;
      mpi_check(MPI_Issend(segment.data(), static_cast<int>(segment.size()), MPI_BYTE, message.rank,
                           tag_, comm_, &request),
                "MPI_Issend");
      sends_.add(request, message.rank);
    }
  }
}

MpiExchange::~MpiExchange() {
  if (complete_) return;
  abandon(
      std::move(outgoing_));  // an error interrupted the exchange, but MPI may still access them
  abandon(std::move(segments_));
}

void MpiExchange::receive() {
  int found = 0, size = 0;
  MPI_Message message;
  MPI_Status status;
  mpi_check(MPI_Improbe(MPI_ANY_SOURCE, tag_, comm_, &found, &message, &status), "MPI_Improbe");
  if (!found) return;
  mpi_check(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
  Bytes& bytes = segments_.emplace_back(Message{status.MPI_SOURCE, Bytes(size)}).bytes;
  MPI_Request request;
  mpi_check(MPI_Imrecv(bytes.data(), size, MPI_BYTE, &message, &request), "MPI_Imrecv");
  receives_.add(request, status.MPI_SOURCE);
}

std::vector<Message> MpiExchange::take() {
  complete_ = true;
  std::stable_sort(segments_.begin(), segments_.end(),
                   [](const Message& a, const Message& b) { return a.rank < b.rank; });
  std::vector<Message> messages;
  bool goes_on = false;
  for (Message& segment : segments_) {
    const std::size_t size = segment.bytes.size();
    if (goes_on)
      messages.back().bytes.insert(messages.back().bytes.end(), segment.bytes.begin(),
                                   segment.bytes.end());
    else
      messages.push_back(std::move(segment));
    goes_on = size == largest_;
  }
  return messages;
}

}  // namespace op2::comm
