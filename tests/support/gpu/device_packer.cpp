// SPDX-License-Identifier: BSD-3-Clause
#include "device_packer.hpp"

#include <cstring>
#include <vector>

namespace op2::test::gpu {
namespace {

/// Rows of a dat, and where they are in the messages. All addresses are of the device.
struct Segment {
  std::byte* rows;
  std::size_t row_bytes, count;
  const std::int32_t* list;  ///< the rows; null: all from the first on
  std::byte* packed;

  std::byte* row(std::size_t k) const {
    return rows + (list != nullptr ? static_cast<std::size_t>(list[k]) : k) * row_bytes;
  }
};

void pack_segments(const std::vector<Segment>& segments) {
  for (const Segment& s : segments)
    for (std::size_t k = 0; k < s.count; ++k)
      std::memcpy(s.packed + k * s.row_bytes, s.row(k), s.row_bytes);
}

void unpack_segments(const std::vector<Segment>& segments) {
  for (const Segment& s : segments)
    for (std::size_t k = 0; k < s.count; ++k)
      std::memcpy(s.row(k), s.packed + k * s.row_bytes, s.row_bytes);
}

/// All messages of a direction, one after the other, on the device.
template <class Messages>
class Buffers {
 public:
  Buffers(DeviceSpace& space, const Messages& messages) {
    for (const auto& message : messages) {
      begin_.push_back(bytes_);
      bytes_ += message.bytes;
    }
    if (bytes_ == 0) return;
    memory_ = core::allocate_on(space, bytes_);
  }
  core::DeviceAddress message(std::size_t k) const { return memory_.get() + begin_[k]; }
  Access access(Mode mode) const { return {memory_.get().value, bytes_, mode}; }
  /// Headers and padding are sent too.
  void clear(core::Stream& stream) {
    if (bytes_ > 0) stream.fill(memory_.get(), std::byte{0}, bytes_);
  }

 private:
  std::vector<std::size_t> begin_;
  std::size_t bytes_ = 0;
  core::DeviceBuffer memory_;
};

/// Rows that are sent, of all segments, on the device.
class RowLists {
 public:
  RowLists(DeviceSpace& space, core::Stream& stream, const comm::HaloMessages& messages) {
    std::vector<std::int32_t> all;
    for (const auto& message : messages.outgoing)
      for (const auto& segment : message.segments)
        all.insert(all.end(), segment.rows.begin(), segment.rows.end());
    bytes_ = all.size() * sizeof(std::int32_t);
    if (bytes_ == 0) return;
    memory_ = core::allocate_on(space, bytes_);
    stream.upload_and_wait(memory_.get(), reinterpret_cast<const std::byte*>(all.data()), bytes_);
  }
  const std::int32_t* first() const {
    return reinterpret_cast<const std::int32_t*>(memory_.get().value);
  }
  Access access() const { return {memory_.get().value, bytes_, Mode::read}; }

 private:
  std::size_t bytes_ = 0;
  core::DeviceBuffer memory_;
};

class DevicePacker final : public comm::Packer {
 public:
  explicit DevicePacker(const PackerStreams& streams)
      : space_(streams.space),
        halo_(streams.halo),
        order_(space_.make_event()),
        packed_(space_.make_event()) {}
  /// Buffers on the device are freed when nothing uses them.
  ~DevicePacker() override {
    try {
      halo_.wait();
    } catch (const std::exception&) {  // the next call throws as well
    }
  }

  core::HostBytes allocate(std::size_t bytes) override {
    if (bytes == 0) return core::zeroed_bytes(0);
    std::byte* memory = space_.allocate_pinned(bytes);
    std::memset(memory, 0, bytes);
    return {std::shared_ptr<std::byte>(memory, core::ReleasePinned{&space_}), bytes};
  }

  void pack(const comm::HaloMessages& messages, comm::Channel& channel) override {
    if (!lists_) {
      lists_ = std::make_unique<RowLists>(space_, halo_, messages);
      outgoing_ = std::make_unique<Outgoing>(space_, messages.outgoing);
      outgoing_->clear(halo_);
      incoming_ = std::make_unique<Incoming>(space_, messages.incoming);
    }
    launch_pack(messages);
    for (std::size_t k = 0; k < messages.outgoing.size(); ++k)
      halo_.download(channel.outgoing(k).data(), outgoing_->message(k), messages.outgoing[k].bytes);
    halo_.record(*packed_);
  }

  void finish_packing(const comm::HaloMessages& messages, comm::Channel& channel,
                      std::uint64_t fingerprint) override {
    packed_->wait();
    Packer::finish_packing(messages, channel, fingerprint);
  }

  void unpack(const comm::HaloMessages& messages, const comm::Channel& channel) override {
    for (std::size_t k = 0; k < messages.incoming.size(); ++k)
      halo_.upload(incoming_->message(k), channel.incoming(k).data(), messages.incoming[k].bytes);
    launch_unpack(messages);
  }

 private:
  using Outgoing = Buffers<std::vector<comm::HaloMessage<comm::ListSegment>>>;
  using Incoming = Buffers<std::vector<comm::HaloMessage<comm::RangeSegment>>>;

  void launch_pack(const comm::HaloMessages& messages) {
    std::vector<Segment> segments;
    std::vector<Access> accesses;
    const std::int32_t* list = lists_->first();
    for (std::size_t k = 0; k < messages.outgoing.size(); ++k)
      for (const comm::ListSegment& s : messages.outgoing[k].segments) {
        if (s.rows.empty()) continue;
        std::byte* rows = s.dat->rows.device_read().value;
        segments.push_back({rows, static_cast<std::size_t>(s.dat->size), s.rows.size(), list,
                            (outgoing_->message(k) + s.offset).value});
        accesses.push_back({rows, s.dat->rows.bytes(), Mode::read});
        list += s.rows.size();
      }
    if (segments.empty()) return;
    accesses.push_back(lists_->access());
    accesses.push_back(outgoing_->access(Mode::read_write));
    after_main();
    launch(halo_, "pack", std::move(accesses), [segments] { pack_segments(segments); });
    before_main();
  }

  void launch_unpack(const comm::HaloMessages& messages) {
    std::vector<Segment> segments;
    std::vector<Access> accesses;
    for (std::size_t k = 0; k < messages.incoming.size(); ++k)
      for (const comm::RangeSegment& s : messages.incoming[k].segments) {
        if (s.count == 0) continue;
        const auto bytes = static_cast<std::size_t>(s.dat->size);
        std::byte* rows = s.dat->rows.device_write().get().value;
        segments.push_back({rows + static_cast<std::size_t>(s.begin) * bytes, bytes,
                            static_cast<std::size_t>(s.count), nullptr,
                            (incoming_->message(k) + s.offset).value});
        accesses.push_back({rows, s.dat->rows.bytes(), Mode::read_write});
      }
    if (segments.empty()) return;
    accesses.push_back(incoming_->access(Mode::read));
    after_main();
    launch(halo_, "unpack", std::move(accesses), [segments] { unpack_segments(segments); });
    before_main();
  }

  /// Later work of the halo stream comes after what the main stream has now.
  void after_main() {
    space_.main_stream().record(*order_);
    halo_.wait_for(*order_);
  }
  /// Later work of the main stream comes after what the halo stream has now.
  void before_main() {
    halo_.record(*order_);
    space_.main_stream().wait_for(*order_);
  }

  DeviceSpace& space_;
  core::Stream& halo_;
  std::unique_ptr<core::Event> order_, packed_;
  std::unique_ptr<RowLists> lists_;
  std::unique_ptr<Outgoing> outgoing_;
  std::unique_ptr<Incoming> incoming_;
};

}  // namespace

std::unique_ptr<comm::Packer> make_device_packer(const PackerStreams& streams) {
  return std::make_unique<DevicePacker>(streams);
}

}  // namespace op2::test::gpu
