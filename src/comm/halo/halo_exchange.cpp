// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/halo_exchange.hpp>

#include <cstring>
#include <utility>
#include <vector>

namespace op2::comm {
namespace {

template <class Segment>
std::vector<Peer> peers_of(const std::vector<HaloMessage<Segment>>& messages) {
  std::vector<Peer> peers;
  for (const auto& message : messages) peers.push_back({message.rank, message.bytes});
  return peers;
}

}  // namespace

HaloExchange::HaloExchange(Communicator& communicator, HaloMessages messages,
                           std::unique_ptr<Packer> packer)
    : communicator_(communicator),
      messages_(std::move(messages)),
      packer_(std::move(packer)),
      channel_(communicator.open_channel(
          peers_of(messages_.outgoing), peers_of(messages_.incoming),
          [this](std::size_t bytes) { return packer_->allocate(bytes); })) {}

void HaloExchange::start(std::uint64_t fingerprint) {
  fingerprint_ = fingerprint;
  packer_->pack(messages_, *channel_);
  for (std::size_t k = 0; k < messages_.outgoing.size(); ++k)
    std::memcpy(channel_->outgoing(k).data(), &fingerprint_, sizeof fingerprint_);
  channel_->start();
}

void HaloExchange::finish() {
  channel_->wait();
  for (std::size_t k = 0; k < messages_.incoming.size(); ++k)
    if (std::memcmp(channel_->incoming(k).data(), &fingerprint_, sizeof fingerprint_) != 0)
      communicator_.report_mismatch(messages_.incoming[k].rank);
  packer_->unpack(messages_, *channel_);
}

}  // namespace op2::comm
