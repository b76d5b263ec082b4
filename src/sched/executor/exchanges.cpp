// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/exchanges.hpp>

#include <cstring>

#include <comm/halo/row_copy.hpp>
#include <core/arithmetic.hpp>
#include <sched/passes.hpp>

namespace op2::sched {
namespace {

/// Below this number, the calling thread packs alone.
constexpr std::int64_t min_rows_for_threads = 4096;

/// The rows of a dat. The caller has stated the accesses of the threads.
std::byte* rows_of(const core::Dat& dat, std::size_t row) {
  return dat.rows.host_address() + row * dat.size;
}

class ThreadPacker final : public comm::Packer {
 public:
  explicit ThreadPacker(core::ThreadPool& pool) : pool_(pool) {}

  core::HostBytes allocate(std::size_t bytes) override { return core::zeroed_bytes(bytes); }

  void pack(const comm::HaloMessages& messages, comm::Channel& channel) override {
    for (const auto& message : messages.outgoing)
      for (const comm::ListSegment& segment : message.segments) segment.dat->rows.host_read();
    run(messages, [&](int thread, int threads) {
      for (std::size_t k = 0; k < messages.outgoing.size(); ++k)
        for (const comm::ListSegment& segment : messages.outgoing[k].segments) {
          const std::size_t bytes = segment.dat->size;
          const core::BlockRange block(segment.rows.size(), thread, threads);
          comm::gather_rows(channel.outgoing(k).data() + segment.offset + block.begin * bytes,
                            rows_of(*segment.dat, 0),
                            segment.rows.subspan(block.begin, block.size()), bytes);
        }
    });
  }

  void unpack(const comm::HaloMessages& messages, const comm::Channel& channel) override {
    for (const auto& message : messages.incoming)
      for (const comm::RangeSegment& segment : message.segments)
        static_cast<void>(segment.dat->rows.host_write());
    run(messages, [&](int thread, int threads) {
      for (std::size_t k = 0; k < messages.incoming.size(); ++k)
        for (const comm::RangeSegment& segment : messages.incoming[k].segments) {
          const std::size_t bytes = segment.dat->size;
          const core::BlockRange block(segment.count, thread, threads);
          std::memcpy(rows_of(*segment.dat, segment.begin + block.begin),
                      channel.incoming(k).data() + segment.offset + block.begin * bytes,
                      block.size() * bytes);
        }
    });
  }

 private:
  /// On each thread, with its number and that of the threads.
  template <class Copy>
  void run(const comm::HaloMessages& messages, const Copy& copy) {
    if (messages.rows < min_rows_for_threads) return copy(0, 1);
    const auto on_thread = [&](int thread) { copy(thread, pool_.size()); };
    pool_.run([](void* context,
                 int thread) noexcept { (*static_cast<decltype(on_thread)*>(context))(thread); },
              const_cast<void*>(static_cast<const void*>(&on_thread)));
  }

  core::ThreadPool& pool_;
};

}  // namespace

PreparedPlan::Exchanges make_exchanges(const Plan& plan, comm::DistributedMesh& rows,
                                       core::Grouping grouping, const MakePacker& make_packer) {
  PreparedPlan::Exchanges exchanges(plan.chains().size());
  for (std::size_t chain = 0; chain < exchanges.size(); ++chain)
    if (const auto& layers = plan.chains()[chain].exchanged; !layers.empty())
      exchanges[chain] = std::make_unique<comm::HaloExchange>(
          rows.communicator(), comm::halo_messages(rows.halo_plan(), layers, grouping),
          make_packer(chain));
  return exchanges;
}

PreparedPlan::Exchanges make_exchanges(const Plan& plan, comm::DistributedMesh& rows,
                                       core::Grouping grouping, core::ThreadPool& pool) {
  return make_exchanges(plan, rows, grouping,
                        [&](std::size_t) { return std::make_unique<ThreadPacker>(pool); });
}

std::string PreparedPlan::describe(const core::Queue& queue) const {
  std::string text;
  for (std::size_t s = 0; s < plan_.steps.all.size(); ++s)
    text += describe_step(queue, plan_, s) + how_step_runs(s) + "\n";
  return text;
}

}  // namespace op2::sched
