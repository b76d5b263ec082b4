// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/halo_packer.hpp>

#include <cstring>
#include <exception>
#include <vector>

#include <jit/target/cuda/kernel_parameters.hpp>
#include <sched/executor/cuda/kernel_launch.hpp>
#include <sched/executor/cuda/pack_kernel.hpp>

namespace op2::sched {
namespace {

/// The widest words that a row consists of, and that it is aligned to.
std::int64_t word_bytes_of(std::int64_t row_bytes) {
  std::int64_t bytes = 16;
  while (row_bytes % bytes != 0) bytes /= 2;
  return bytes;
}

LaunchParameter address_of(const core::DeviceBuffer& memory) {
  return reinterpret_cast<LaunchParameter>(memory.get().value);
}

core::DeviceBuffer on_device(core::MemorySpace& space, core::Stream& stream, const void* bytes,
                             std::size_t size) {
  if (size == 0) return {};
  core::DeviceBuffer memory = core::allocate_on(space, size);
  stream.upload_and_wait(memory.get(), static_cast<const std::byte*>(bytes), size);
  return memory;
}

/// All messages of one direction: a buffer on the device with the layout of the channel's memory,
/// and the table of rows that the kernel reads.
class Side {
 public:
  explicit Side(const PackerParts& parts) : parts_(parts) {}

  /// @param offset  of a message in the channel's memory
  void add(const core::Dat& dat, std::byte* rows, std::span<const std::int32_t> list,
           std::int64_t count, std::size_t offset) {
    if (count == 0) return;
    const std::int64_t row_bytes = dat.size, word = word_bytes_of(row_bytes);
    pieces_.push_back(
        {rows, nullptr, words_, static_cast<std::int64_t>(offset), row_bytes / word, word});
    list_begin_.push_back(list.empty() ? -1 : static_cast<std::ptrdiff_t>(lists_.size()));
    lists_.insert(lists_.end(), list.begin(), list.end());
    words_ += count * (row_bytes / word);
  }

  /// @param bytes  of the channel's memory
  void finish(std::size_t bytes) {
    bytes_ = bytes;
    list_memory_ =
        on_device(parts_.space, parts_.halo, lists_.data(), lists_.size() * sizeof(std::int32_t));
    for (std::size_t k = 0; k < pieces_.size(); ++k)
      if (list_begin_[k] >= 0)
        pieces_[k].list =
            reinterpret_cast<const std::int32_t*>(list_memory_.get().value) + list_begin_[k];
    table_ =
        on_device(parts_.space, parts_.halo, pieces_.data(), pieces_.size() * sizeof(RowPiece));
    if (bytes_ == 0) return;
    buffer_ = core::allocate_on(parts_.space, bytes_);
    parts_.halo.fill(buffer_.get(), std::byte{0}, bytes_);  // headers and padding are sent too
  }

  bool empty() const { return pieces_.empty(); }
  std::size_t bytes() const { return bytes_; }
  core::DeviceAddress buffer() const { return buffer_.get(); }

  void launch(bool unpack) const {
    launch_on(parts_.halo,
              {parts_.kernel,
               blocks_for(words_, jit::block_threads),
               {address_of(table_), pieces_.size(), static_cast<LaunchParameter>(words_),
                address_of(buffer_), unpack ? 1U : 0U}});
  }

 private:
  const PackerParts& parts_;
  std::vector<RowPiece> pieces_;
  std::vector<std::ptrdiff_t> list_begin_;  ///< per piece, in `lists_`; -1: a range
  std::vector<std::int32_t> lists_;
  std::int64_t words_ = 0;
  std::size_t bytes_ = 0;
  core::DeviceBuffer list_memory_, table_, buffer_;
};

class CudaPacker final : public comm::Packer {
 public:
  explicit CudaPacker(const PackerParts& parts)
      : parts_(parts),
        order_(parts.space.make_event()),
        packed_(parts.space.make_event()),
        outgoing_(parts_),
        incoming_(parts_) {}
  ~CudaPacker() override {
    try {
      parts_.halo.wait();
    } catch (const std::exception&) {  // the next call that uses the device throws as well
    }
  }

  core::HostBytes allocate(std::size_t bytes) override {
    if (bytes == 0) return core::zeroed_bytes(0);
    std::byte* memory = parts_.space.allocate_pinned(bytes);
    std::memset(memory, 0, bytes);
    return {std::shared_ptr<std::byte>(memory, core::ReleasePinned{&parts_.space}), bytes};
  }

  void pack(const comm::HaloMessages& messages, comm::Channel& channel) override {
    make_tables(messages, channel);
    for (const auto& message : messages.outgoing)
      for (const comm::ListSegment& segment : message.segments) segment.dat->rows.device_read();
    if (!outgoing_.empty()) {
      after_main();
      outgoing_.launch(false);
    }
    if (outgoing_.bytes() > 0)
      parts_.halo.download(channel.outgoing(0).data(), outgoing_.buffer(), outgoing_.bytes());
    parts_.halo.record(*packed_);
    packed_->wait();
  }

  void unpack(const comm::HaloMessages& messages, const comm::Channel& channel) override {
    if (incoming_.bytes() > 0)
      parts_.halo.upload(incoming_.buffer(), channel.incoming(0).data(), incoming_.bytes());
    if (incoming_.empty()) return;
    for (const auto& message : messages.incoming)
      for (const comm::RangeSegment& segment : message.segments)
        static_cast<void>(segment.dat->rows.device_write());
    after_main();
    incoming_.launch(true);
    parts_.halo.record(*order_);
    parts_.space.main_stream().wait_for(*order_);
  }

 private:
  /// Once: the rows and the channel's memory stay where they are.
  void make_tables(const comm::HaloMessages& messages, comm::Channel& channel) {
    if (made_) return;
    std::size_t end = 0;
    for (std::size_t k = 0; k < messages.outgoing.size(); ++k) {
      const auto at =
          static_cast<std::size_t>(channel.outgoing(k).data() - channel.outgoing(0).data());
      for (const comm::ListSegment& s : messages.outgoing[k].segments)
        outgoing_.add(*s.dat, s.dat->rows.device_read().value, s.rows,
                      static_cast<std::int64_t>(s.rows.size()), at + s.offset);
      end = at + messages.outgoing[k].bytes;
    }
    outgoing_.finish(end);
    end = 0;
    for (std::size_t k = 0; k < messages.incoming.size(); ++k) {
      const auto at =
          static_cast<std::size_t>(channel.incoming(k).data() - channel.incoming(0).data());
      for (const comm::RangeSegment& s : messages.incoming[k].segments)
        incoming_.add(*s.dat, s.dat->rows.device_read().value + std::size_t(s.begin) * s.dat->size,
                      {}, s.count, at + s.offset);
      end = at + messages.incoming[k].bytes;
    }
    incoming_.finish(end);
    made_ = true;
  }

  /// Later work of the halo stream comes after what the main stream has now.
  void after_main() {
    parts_.space.main_stream().record(*order_);
    parts_.halo.wait_for(*order_);
  }

  const PackerParts parts_;
  std::unique_ptr<core::Event> order_, packed_;
  Side outgoing_, incoming_;
  bool made_ = false;
};

}  // namespace

std::unique_ptr<comm::Packer> make_cuda_packer(const PackerParts& parts) {
  return std::make_unique<CudaPacker>(parts);
}

}  // namespace op2::sched
