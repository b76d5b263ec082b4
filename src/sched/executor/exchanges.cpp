// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/exchanges.hpp>

#include <cstring>

#include <comm/halo/row_copy.hpp>
#include <core/arithmetic.hpp>

namespace op2::sched {
namespace {

/// Below this number, the calling thread packs alone.
constexpr std::int64_t min_rows_for_threads = 4096;

/// The rows of a dat. The caller has stated the accesses of the threads.
std::byte* rows_of(const core::Dat& dat, std::size_t row) {
  return dat.rows.host_address() + row * dat.size;
}

struct Packing {
  const comm::HaloMessages& messages;
  comm::Channel& channel;
  int threads;
};
void pack_blocks(void* context, int thread) noexcept {
  const auto& [messages, channel, threads] = *static_cast<const Packing*>(context);
  for (std::size_t k = 0; k < messages.outgoing.size(); ++k) {
    std::byte* const message = channel.outgoing(k).data();
    for (const comm::ListSegment& segment : messages.outgoing[k].segments) {
      const std::size_t bytes = segment.dat->size;
      const core::BlockRange block(segment.rows.size(), thread, threads);
      comm::gather_rows(message + segment.offset + block.begin * bytes, rows_of(*segment.dat, 0),
                        segment.rows.subspan(block.begin, block.size()), bytes);
    }
  }
}

struct Unpacking {
  const comm::HaloMessages& messages;
  const comm::Channel& channel;
  int threads;
};
void unpack_blocks(void* context, int thread) noexcept {
  const auto& [messages, channel, threads] = *static_cast<const Unpacking*>(context);
  for (std::size_t k = 0; k < messages.incoming.size(); ++k) {
    const std::byte* const message = channel.incoming(k).data();
    for (const comm::RangeSegment& segment : messages.incoming[k].segments) {
      const std::size_t bytes = segment.dat->size;
      const core::BlockRange block(segment.count, thread, threads);
      std::memcpy(rows_of(*segment.dat, segment.begin + block.begin),
                  message + segment.offset + block.begin * bytes, (block.size()) * bytes);
    }
  }
}

class ThreadPacker final : public comm::Packer {
 public:
  explicit ThreadPacker(core::ThreadPool& pool) : pool_(pool) {}

  core::HostBytes allocate(std::size_t bytes) override { return core::zeroed_bytes(bytes); }

  void pack(const comm::HaloMessages& messages, comm::Channel& channel) override {
    for (const auto& message : messages.outgoing)
      for (const comm::ListSegment& segment : message.segments) segment.dat->rows.host_read();
    const int threads = threads_for(messages);
    Packing packing{messages, channel, threads};
    run(threads, pack_blocks, &packing);
  }

  void unpack(const comm::HaloMessages& messages, const comm::Channel& channel) override {
    for (const auto& message : messages.incoming)
      for (const comm::RangeSegment& segment : message.segments)
        static_cast<void>(segment.dat->rows.host_write());
    const int threads = threads_for(messages);
    Unpacking unpacking{messages, channel, threads};
    run(threads, unpack_blocks, &unpacking);
  }

 private:
  int threads_for(const comm::HaloMessages& messages) const {
    return messages.rows >= min_rows_for_threads ? pool_.size() : 1;
  }
  void run(int threads, core::ThreadPool::Task task, void* context) {
    if (threads > 1)
      pool_.run(task, context);
    else
      task(context, 0);
  }

  core::ThreadPool& pool_;
};

}  // namespace

std::vector<std::unique_ptr<comm::HaloExchange>> make_exchanges(const Plan& plan,
                                                                comm::DistributedMesh& rows,
                                                                core::Grouping grouping,
                                                                core::ThreadPool& pool) {
  std::vector<std::unique_ptr<comm::HaloExchange>> exchanges(plan.chains().size());
  for (std::size_t chain = 0; chain < exchanges.size(); ++chain)
    if (const auto& layers = plan.chains()[chain].exchanged; !layers.empty())
      exchanges[chain] = std::make_unique<comm::HaloExchange>(
          rows.communicator(), comm::halo_messages(rows.halo_plan(), layers, grouping),
          std::make_unique<ThreadPacker>(pool));
  return exchanges;
}

ExchangeSize size_of(const comm::HaloExchange* exchange) {
  if (exchange == nullptr) return {};
  return {static_cast<std::int64_t>(exchange->messages()),
          static_cast<std::int64_t>(exchange->bytes()), exchange->packed_rows(),
          static_cast<std::int64_t>(exchange->bytes_received()), exchange->unpacking_seconds()};
}

}  // namespace op2::sched
