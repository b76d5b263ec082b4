// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/halo_packer.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <vector>

namespace op2::sched {
namespace {

/// Packs into buffers on the device, with the tables that this needs.
class CudaPacker : public comm::Packer {
 public:
  explicit CudaPacker(const PackerParts& parts)
      : parts_(parts),
        order_(parts.copies.space().make_event()),
        packed_(parts.copies.space().make_event()),
        outgoing_(parts_),
        incoming_(parts_) {}
  ~CudaPacker() override { end_work(); }

  void prepare(const comm::HaloMessages& messages, comm::Channel& channel) override {
    add_outgoing(messages, channel);
    add_incoming(messages, channel);
  }

  void pack(const comm::HaloMessages& messages, comm::Channel&) override {
    for (const auto& message : messages.outgoing)
      for (const comm::ListSegment& segment : message.segments) segment.dat->rows.device_read();
    if (outgoing_.empty()) return;
    after_main();
    outgoing_.launch(false);
    before_main();
  }

  void unpack(const comm::HaloMessages& messages, const comm::Channel&) override {
    if (incoming_.empty()) return;
    for (const auto& message : messages.incoming)
      for (const comm::RangeSegment& segment : message.segments)
        static_cast<void>(segment.dat->rows.device_write());
    after_main();
    incoming_.launch(true);
    before_main();
  }

 protected:
  const PackerParts& parts() const { return parts_; }
  const MessagesOnDevice& outgoing() const { return outgoing_; }
  const MessagesOnDevice& incoming() const { return incoming_; }
  /// As `wait_for_halo_stream`, for destructors.
  void end_work() const noexcept { parts_.halo.settle(); }
  /// Until the work of the halo stream has run.
  void wait_for_halo_stream() {
    parts_.halo.record(*packed_);
    packed_->wait();
  }

 private:
  std::byte* rows_of(const core::Dat& dat) const {
    const core::DeviceAddress first = dat.rows.device_read();
    const bool in_second = std::ranges::find(parts_.in_second, &dat) != parts_.in_second.end();
    return (in_second ? parts_.tables.second_of(dat) : first).value;
  }

  /// The rows and the channel's memory stay where they are.
  void add_outgoing(const comm::HaloMessages& messages, comm::Channel& channel) {
    std::size_t end = 0;
    for (std::size_t k = 0; k < messages.outgoing.size(); ++k) {
      const auto at =
          static_cast<std::size_t>(channel.outgoing(k).data() - channel.outgoing(0).data());
      for (const comm::ListSegment& s : messages.outgoing[k].segments)
        outgoing_.add(*s.dat, rows_of(*s.dat), s.rows, static_cast<std::int64_t>(s.rows.size()),
                      at + s.offset);
      end = at + messages.outgoing[k].bytes;
    }
    if (end > 0) outgoing_.finish({channel.outgoing(0).data(), end});
  }

  void add_incoming(const comm::HaloMessages& messages, comm::Channel& channel) {
    std::size_t end = 0;
    for (std::size_t k = 0; k < messages.incoming.size(); ++k) {
      const auto at =
          static_cast<std::size_t>(channel.incoming(k).data() - channel.incoming(0).data());
      for (const comm::RangeSegment& s : messages.incoming[k].segments)
        incoming_.add(*s.dat, rows_of(*s.dat) + std::size_t(s.begin) * s.dat->size, {}, s.count,
                      at + s.offset);
      end = at + messages.incoming[k].bytes;
    }
    if (end > 0) incoming_.finish({channel.incoming(0).data(), end});
  }

  core::Stream& main_stream() const { return parts_.copies.space().main_stream(); }

  /// Later work of the halo stream comes after what the main stream has now.
  void after_main() {
    main_stream().record(*order_);
    parts_.halo.wait_for(*order_);
  }
  /// Later work of the main stream comes after what the halo stream has now.
  void before_main() {
    parts_.halo.record(*order_);
    main_stream().wait_for(*order_);
  }

  const PackerParts parts_;
  std::unique_ptr<core::Event> order_, packed_;
  MessagesOnDevice outgoing_, incoming_;
};

/// Messages pass through pinned memory of the host.
class StagingPacker final : public CudaPacker {
 public:
  using CudaPacker::CudaPacker;

  core::HostBytes allocate(std::size_t bytes) override {
    if (bytes == 0) return core::zeroed_bytes(0);
    core::PinnedBuffer memory = parts().copies.allocate_pinned("halo messages of a plan", bytes);
    std::memset(memory.get(), 0, bytes);
    const core::ReleasePinned release = memory.get_deleter();
    return {std::shared_ptr<std::byte>(memory.release(), release), bytes};
  }

  void pack(const comm::HaloMessages& messages, comm::Channel& channel) override {
    CudaPacker::pack(messages, channel);
    if (outgoing().bytes() > 0)
      parts().halo.download(channel.outgoing(0).data(), outgoing().buffer(), outgoing().bytes());
  }

  void finish_packing(const comm::HaloMessages& messages, comm::Channel& channel,
                      std::uint64_t fingerprint) override {
    wait_for_halo_stream();
    CudaPacker::finish_packing(messages, channel, fingerprint);
  }

  void unpack(const comm::HaloMessages& messages, const comm::Channel& channel) override {
    if (incoming().bytes() > 0)
      parts().halo.upload(incoming().buffer(), channel.incoming(0).data(), incoming().bytes());
    CudaPacker::unpack(messages, channel);
  }
};

/// MPI reads and writes the buffers on the device. Only headers pass through the host.
class DirectPacker final : public CudaPacker {
 public:
  using CudaPacker::CudaPacker;
  ~DirectPacker() override { end_work(); }

  void prepare(const comm::HaloMessages& messages, comm::Channel& channel) override {
    CudaPacker::prepare(messages, channel);
    if (messages.incoming.empty() && messages.outgoing.empty()) return;
    header_memory_ = parts().copies.allocate_pinned(
        "headers of halo messages",
        (first_incoming + messages.incoming.size()) * sizeof(std::uint64_t));
  }

  core::HostBytes allocate(std::size_t bytes) override {
    if (bytes == 0) return core::zeroed_bytes(0);
    core::ListedBuffer memory = zeros_on_device(parts(), bytes);
    parts().halo.wait();  // MPI may write from now on
    const core::ReleaseListed release = memory.get_deleter();
    return {std::shared_ptr<std::byte>(
                memory.release().value,
                [release](std::byte* address) { release(core::DeviceAddress(address)); }),
            bytes};
  }

  void finish_packing(const comm::HaloMessages& messages, comm::Channel& channel,
                      std::uint64_t fingerprint) override {
    if (!messages.outgoing.empty()) headers()[0] = fingerprint;
    for (std::size_t k = 0; k < messages.outgoing.size(); ++k)
      parts().halo.upload(core::DeviceAddress(channel.outgoing(k).data()), header_memory_.get(),
                          sizeof fingerprint);
    wait_for_halo_stream();
  }

  std::vector<std::uint64_t> fingerprints(const comm::HaloMessages& messages,
                                          const comm::Channel& channel) override {
    const std::size_t count = messages.incoming.size();
    if (count == 0) return {};
    std::uint64_t* const arrived = headers() + first_incoming;
    for (std::size_t k = 0; k < count; ++k)
      parts().halo.download(reinterpret_cast<std::byte*>(arrived + k),
                            core::DeviceAddress(const_cast<std::byte*>(channel.incoming(k).data())),
                            sizeof *arrived);
    wait_for_halo_stream();
    return {arrived, arrived + count};
  }

 private:
  std::uint64_t* headers() { return reinterpret_cast<std::uint64_t*>(header_memory_.get()); }

  /// For fingerprints: the one that is sent, and those of all that comes in. What has not arrived
  /// is not taken for the own one.
  core::PinnedBuffer header_memory_;
  static constexpr std::size_t first_incoming = 1;
};

}  // namespace

std::unique_ptr<comm::Packer> make_cuda_packer(const PackerParts& parts) {
  if (parts.on_device) return std::make_unique<DirectPacker>(parts);
  return std::make_unique<StagingPacker>(parts);
}

}  // namespace op2::sched
