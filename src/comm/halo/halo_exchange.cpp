// SPDX-License-Identifier: BSD-3-Clause
#include <comm/halo/halo_exchange.hpp>

#include <algorithm>
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

void Packer::finish_packing(const HaloMessages& messages, Channel& channel,
                            std::uint64_t fingerprint) {
  for (std::size_t k = 0; k < messages.outgoing.size(); ++k)
    std::memcpy(channel.outgoing(k).data(), &fingerprint, sizeof fingerprint);
}

std::vector<std::uint64_t> Packer::fingerprints(const HaloMessages& messages,
                                                const Channel& channel) {
  std::vector<std::uint64_t> arrived(messages.incoming.size());
  for (std::size_t k = 0; k < arrived.size(); ++k)
    std::memcpy(&arrived[k], channel.incoming(k).data(), sizeof arrived[k]);
  return arrived;
}

HaloExchange::HaloExchange(Communicator& communicator, HaloMessages messages,
                           std::unique_ptr<Packer> packer)
    : communicator_(communicator),
      messages_(std::move(messages)),
      packer_(std::move(packer)),
      channel_(communicator.open_channel(
          peers_of(messages_.outgoing), peers_of(messages_.incoming),
          [this](std::size_t bytes) { return packer_->allocate(bytes); })) {
  for (const auto& message : messages_.incoming) bytes_received_ += message.bytes;
  try {
    packer_->prepare(messages_, *channel_);
  } catch (...) {
    packer_.reset();  // its work may use the buffers
    throw;
  }
}

void HaloExchange::pack(std::uint64_t fingerprint) {
  fingerprint_ = fingerprint;
  packer_->pack(messages_, *channel_);
  packed_ = true;
}

void HaloExchange::send() {
  if (!packed_) return;
  packer_->finish_packing(messages_, *channel_, fingerprint_);
  packed_ = false;
  channel_->start();
}

void HaloExchange::finish() {
  channel_->wait();
  const auto arrived = packer_->fingerprints(messages_, *channel_);
  const auto other = std::ranges::find_if(arrived, [&](auto one) { return one != fingerprint_; });
  if (other != arrived.end())
    communicator_.report_mismatch(messages_.incoming[other - arrived.begin()].rank);
  const double begin = communicator_.seconds();
  packer_->unpack(messages_, *channel_);
  unpacking_seconds_ = communicator_.seconds() - begin;
}

}  // namespace op2::comm
