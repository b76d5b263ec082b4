// SPDX-License-Identifier: BSD-3-Clause
#include <comm/messages/mpi_messages.hpp>

#include <algorithm>
#include <utility>

#include <core/error.hpp>

namespace op2::comm {

namespace {

/// Calls `use` for each segment of a buffer; an empty buffer is one empty segment.
template <class Use>
void for_each_segment(std::span<std::byte> buffer, std::size_t largest, Use use) {
  do {
    const auto segment = buffer.first(std::min(buffer.size(), largest));
    use(segment);
    buffer = buffer.subspan(segment.size());
  } while (!buffer.empty());
}

}  // namespace

MpiChannel::MpiChannel(const Endpoint& endpoint, MpiWatch& watch, const std::vector<Peer>& sends,
                       const std::vector<Peer>& receives, const core::HostAllocator& allocate)
    : watch_(watch),
      number_(endpoint.number),
      outgoing_(sends, allocate),
      incoming_(receives, allocate) {
  for (std::size_t k = 0; k < receives.size(); ++k)
    for_each_segment(incoming_[k], endpoint.largest,
                     [&](auto segment) { add_receive(endpoint, segment, receives[k].rank); });
  for (std::size_t k = 0; k < sends.size(); ++k)
    for_each_segment(outgoing_[k], endpoint.largest,
                     [&](auto segment) { add_send(endpoint, segment, sends[k].rank); });
}

void MpiChannel::add_receive(const Endpoint& endpoint, std::span<std::byte> segment, int peer) {
  const int size = static_cast<int>(segment.size());
  MPI_Request request;
  mpi_check(
      MPI_Recv_init(segment.data(), size, MPI_BYTE, peer, endpoint.tag, endpoint.comm, &request),
      "MPI_Recv_init");
  requests_.add(request, peer, size);
}

void MpiChannel::add_send(const Endpoint& endpoint, std::span<std::byte> segment, int peer) {
  const int size = static_cast<int>(segment.size());
  MPI_Request request;
  mpi_check(
      MPI_Send_init(segment.data(), size, MPI_BYTE, peer, endpoint.tag, endpoint.comm, &request),
      "MPI_Send_init");
  requests_.add(request, peer);
}

MpiChannel::~MpiChannel() {
  int finalized = 0;
  if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized) return;
  if (under_way_) {  // an error interrupted the transfer, but MPI may still write
    outgoing_.leak();
    incoming_.leak();
    return;
  }
  for (std::size_t k = 0; k < requests_.count(); ++k) MPI_Request_free(&requests_[k]);
}

void MpiChannel::start() {
  core::ensure(!under_way_, "a channel is started twice");
  under_way_ = true;
  for (std::size_t k = 0; k < requests_.count(); ++k)
    mpi_check(MPI_Start(&requests_[k]), "MPI_Start");
}

bool MpiChannel::test() {
  if (!under_way_) return true;
  try {
    under_way_ = !requests_.test();
  } catch (const MpiRequests::Fault& fault) {
    watch_.report_mismatch(fault.peer, "reading a message of an unexpected size");
  }
  return !under_way_;
}

void MpiChannel::wait() {
  if (test()) return;
  const MpiWait what{operation, number_, [this] { return requests_.peers_under_way(); }};
  watch_.wait(what, [this] { return test(); });
}

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
