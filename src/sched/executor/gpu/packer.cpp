// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/gpu/packer.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

#include <jit/target/cuda/kernel_parameters.hpp>
#include <sched/executor/gpu/launch.hpp>

namespace op2::sched {
namespace {

static_assert(jit::block_threads == 256);  // as the source has it
constexpr const char* source = R"(
struct op2_piece {
  char* rows;
  const int* list;
  long long first, offset, words, word_bytes;
};
struct alignas(16) op2_word16 {
  double low, high;
};

template <class Word>
__device__ void op2_move(char* row, char* packed, bool unpack) {
  if (unpack)
    *reinterpret_cast<Word*>(row) = *reinterpret_cast<const Word*>(packed);
  else
    *reinterpret_cast<Word*>(packed) = *reinterpret_cast<const Word*>(row);
}

// The piece that a word of the launch belongs to.
__device__ const op2_piece& op2_piece_of(const op2_piece* pieces, long long count, long long word) {
  long long low = 0, high = count - 1;
  while (low < high) {
    const long long middle = (low + high + 1) / 2;
    if (pieces[middle].first <= word)
      low = middle;
    else
      high = middle - 1;
  }
  return pieces[low];
}

extern "C" __global__ void __launch_bounds__(256)
    op2_loop_halo_rows(const op2_piece* op2_pieces, long long op2_count, long long op2_total,
             char* op2_buffer, long long op2_unpack) {
  const long long word = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x;
  if (word >= op2_total) return;
  const op2_piece& piece = op2_piece_of(op2_pieces, op2_count, word);
  const long long k = (word - piece.first) / piece.words;
  const long long at = (word - piece.first) % piece.words * piece.word_bytes;
  const long long row_bytes = piece.words * piece.word_bytes;
  const long long row = piece.list != nullptr ? piece.list[k] : k;
  char* const in_dat = piece.rows + row * row_bytes + at;
  char* const in_message = op2_buffer + piece.offset + k * row_bytes + at;
  switch (piece.word_bytes) {
    case 16: op2_move<op2_word16>(in_dat, in_message, op2_unpack != 0); break;
    case 8: op2_move<double>(in_dat, in_message, op2_unpack != 0); break;
    case 4: op2_move<int>(in_dat, in_message, op2_unpack != 0); break;
    case 2: op2_move<short>(in_dat, in_message, op2_unpack != 0); break;
    default: op2_move<char>(in_dat, in_message, op2_unpack != 0); break;
  }
}
)";

constexpr op_kernel_core pack{.name = "op2_loop_halo_rows",
                              .source = source,
                              .file = __FILE__,
                              .line = 0,
                              .source_is_file = false,
                              .host = nullptr,
                              .call = nullptr,
                              .parameters = nullptr,
                              .parameter_count = -1};

}  // namespace

jit::LoopRequest pack_request() {
  jit::LoopRequest request;
  request.nest.calls.push_back({.name = pack.name, .source = pack.source});
  request.origins.push_back({.loop = pack.name,
                             .call_site = "of libop2",
                             .kernel = const_cast<op_kernel>(&pack),
                             .compare_access = false});
  return request;
}

namespace {

/// The widest words that a row consists of, and that it is aligned to.
std::int64_t word_bytes_of(std::int64_t row_bytes) {
  std::int64_t bytes = 16;
  while (row_bytes % bytes != 0) bytes /= 2;
  return bytes;
}

constexpr const char* label_of_messages = "halo messages of plans";

core::ListedBuffer on_device(const PackerParts& parts, const void* bytes, std::size_t size) {
  if (size == 0) return {};
  core::ListedBuffer memory = parts.copies.allocate(label_of_messages, size);
  parts.halo.upload_and_wait(memory.get(), static_cast<const std::byte*>(bytes), size);
  return memory;
}

/// Zeroed by work of the halo stream: headers and padding are sent too.
/// @throws Error out_of_memory
core::ListedBuffer zeros_on_device(const PackerParts& parts, std::size_t bytes) {
  core::ListedBuffer memory = parts.copies.allocate(label_of_messages, bytes);
  parts.halo.fill(memory.get(), std::byte{0}, bytes);
  return memory;
}

}  // namespace

void MessagesOnDevice::add(const core::Dat& dat, std::byte* rows,
                           std::span<const std::int32_t> list, std::int64_t count,
                           std::size_t offset) {
  if (count == 0) return;
  const std::int64_t row_bytes = dat.size, word = word_bytes_of(row_bytes);
  pieces_.push_back(
      {rows, nullptr, words_, static_cast<std::int64_t>(offset), row_bytes / word, word});
  list_begin_.push_back(list.empty() ? -1 : static_cast<std::ptrdiff_t>(lists_.size()));
  lists_.insert(lists_.end(), list.begin(), list.end());
  words_ += count * (row_bytes / word);
}

void MessagesOnDevice::finish(std::span<const std::byte> memory) {
  bytes_ = memory.size();
  list_memory_ = on_device(parts_, lists_.data(), lists_.size() * sizeof(std::int32_t));
  for (std::size_t k = 0; k < pieces_.size(); ++k)
    if (list_begin_[k] >= 0)
      pieces_[k].list =
          reinterpret_cast<const std::int32_t*>(list_memory_.get().value) + list_begin_[k];
  table_ = on_device(parts_, pieces_.data(), pieces_.size() * sizeof(RowPiece));
  if (bytes_ == 0) return;
  if (!parts_.on_device) own_ = zeros_on_device(parts_, bytes_);
  buffer_ =
      parts_.on_device ? core::DeviceAddress(const_cast<std::byte*>(memory.data())) : own_.get();
}

void MessagesOnDevice::launch(bool unpack) const {
  launch_on(parts_.halo,
            {parts_.kernel,
             blocks_for(words_, jit::block_threads),
             {parameter_of(table_.get()), pieces_.size(), static_cast<LaunchParameter>(words_),
              parameter_of(buffer_), unpack ? 1U : 0U}});
}

namespace {

/// Packs into buffers on the device, with the tables that this needs.
class DevicePacker : public comm::Packer {
 public:
  explicit DevicePacker(const PackerParts& parts)
      : parts_(parts),
        order_(parts.copies.space().make_event()),
        packed_(parts.copies.space().make_event()),
        outgoing_(parts_),
        incoming_(parts_) {}
  ~DevicePacker() override { end_work(); }

  void prepare(const comm::HaloMessages& messages, comm::Channel& channel) override {
    add_all(
        messages.outgoing, [&](std::size_t k) { return channel.outgoing(k).data(); }, outgoing_,
        [&](const comm::ListSegment& s, std::size_t offset) {
          outgoing_.add(*s.dat, rows_of(*s.dat), s.rows, std::ssize(s.rows), offset);
        });
    add_all(
        messages.incoming, [&](std::size_t k) { return channel.incoming(k).data(); }, incoming_,
        [&](const comm::RangeSegment& s, std::size_t offset) {
          incoming_.add(*s.dat, rows_of(*s.dat) + std::size_t(s.begin) * s.dat->size, {}, s.count,
                        offset);
        });
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

  /// All segments of messages. The rows and the channel's memory stay where they are.
  /// @param memory  of the k-th message
  /// @param add     a segment, at an offset in the memory
  template <class Message, class Memory, class Add>
  static void add_all(const std::vector<Message>& messages, const Memory& memory,
                      MessagesOnDevice& on_device, const Add& add) {
    std::size_t end = 0;
    for (std::size_t k = 0; k < messages.size(); ++k) {
      const auto at = static_cast<std::size_t>(memory(k) - memory(0));
      for (const auto& segment : messages[k].segments) add(segment, at + segment.offset);
      end = at + messages[k].bytes;
    }
    if (end > 0) on_device.finish({memory(0), end});
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
class StagingPacker final : public DevicePacker {
 public:
  using DevicePacker::DevicePacker;

  core::HostBytes allocate(std::size_t bytes) override {
    if (bytes == 0) return core::zeroed_bytes(0);
    core::PinnedBuffer memory = parts().copies.allocate_pinned("halo messages of a plan", bytes);
    std::memset(memory.get(), 0, bytes);
    const core::ReleasePinned release = memory.get_deleter();
    return {std::shared_ptr<std::byte>(memory.release(), release), bytes};
  }

  void pack(const comm::HaloMessages& messages, comm::Channel& channel) override {
    DevicePacker::pack(messages, channel);
    if (outgoing().bytes() > 0)
      parts().halo.download(channel.outgoing(0).data(), outgoing().buffer(), outgoing().bytes());
  }

  void finish_packing(const comm::HaloMessages& messages, comm::Channel& channel,
                      std::uint64_t fingerprint) override {
    wait_for_halo_stream();
    DevicePacker::finish_packing(messages, channel, fingerprint);
  }

  void unpack(const comm::HaloMessages& messages, const comm::Channel& channel) override {
    if (incoming().bytes() > 0)
      parts().halo.upload(incoming().buffer(), channel.incoming(0).data(), incoming().bytes());
    DevicePacker::unpack(messages, channel);
  }
};

/// MPI reads and writes the buffers on the device. Only headers pass through the host.
class DirectPacker final : public DevicePacker {
 public:
  using DevicePacker::DevicePacker;
  ~DirectPacker() override { end_work(); }

  void prepare(const comm::HaloMessages& messages, comm::Channel& channel) override {
    DevicePacker::prepare(messages, channel);
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

std::unique_ptr<comm::Packer> make_device_packer(const PackerParts& parts) {
  if (parts.on_device) return std::make_unique<DirectPacker>(parts);
  return std::make_unique<StagingPacker>(parts);
}

}  // namespace op2::sched
