// SPDX-License-Identifier: BSD-3-Clause
#include <comm/mpi_channel.hpp>

#include <algorithm>

#include <core/error.hpp>

namespace op2::comm {

namespace {

/// Calls `use` for each piece of a buffer; an empty buffer is one empty piece.
template <class Use>
void for_each_piece(std::span<std::byte> buffer, std::size_t largest, Use use) {
  do {
    const auto piece = buffer.first(std::min(buffer.size(), largest));
    use(piece);
    buffer = buffer.subspan(piece.size());
  } while (!buffer.empty());
}

}  // namespace

MpiChannel::MpiChannel(const Place& place, MpiWatch& watch, const std::vector<Peer>& sends,
                       const std::vector<Peer>& receives)
    : watch_(watch), number_(place.number), outgoing_(sends), incoming_(receives) {
  for (std::size_t k = 0; k < receives.size(); ++k)
    for_each_piece(incoming_[k], place.largest,
                   [&](auto piece) { add_receive(place, piece, receives[k].rank); });
  for (std::size_t k = 0; k < sends.size(); ++k)
    for_each_piece(outgoing_[k], place.largest,
                   [&](auto piece) { add_send(place, piece, sends[k].rank); });
}

void MpiChannel::add_receive(const Place& place, std::span<std::byte> piece, int peer) {
  const int size = static_cast<int>(piece.size());
  MPI_Request request;
  mpi_check(MPI_Recv_init(piece.data(), size, MPI_BYTE, peer, place.tag, place.comm, &request),
            "MPI_Recv_init");
  requests_.add(request, peer, size);
}

void MpiChannel::add_send(const Place& place, std::span<std::byte> piece, int peer) {
  const int size = static_cast<int>(piece.size());
  MPI_Request request;
  mpi_check(MPI_Send_init(piece.data(), size, MPI_BYTE, peer, place.tag, place.comm, &request),
            "MPI_Send_init");
  requests_.add(request, peer);
}

MpiChannel::~MpiChannel() {
  int finalized = 0;
  if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized) return;
  if (under_way_) {  // an error has ended the transfer, but MPI may still write
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
    watch_.report_divergence(fault.peer, "reading a message of an unexpected size");
  }
  return !under_way_;
}

void MpiChannel::wait() {
  if (test()) return;
  const MpiWait what{operation, number_, [this] { return requests_.peers_under_way(); }};
  watch_.wait(what, [this] { return test(); });
}

}  // namespace op2::comm
