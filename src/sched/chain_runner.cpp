// SPDX-License-Identifier: BSD-3-Clause
#include <sched/chain_runner.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <core/clock.hpp>
#include <sched/executor/bindings.hpp>
#include <sched/passes.hpp>
#include <sched/reductions.hpp>

namespace op2::sched {
namespace {

/// Steps of a chain.
std::span<const Step> steps_of(const Plan& plan, std::size_t chain) {
  const std::size_t begin = plan.steps.begin[chain], end = plan.steps.begin[chain + 1];
  return std::span(plan.steps.all).subspan(begin, end - begin);
}

}  // namespace

double ChainRunner::run(const Plan& plan, PreparedPlan& prepared, core::Queue& queue,
                        std::uint64_t fingerprint) {
  for (std::size_t chain = 0; chain < plan.chains().size(); ++chain)
    run_chain({plan, prepared, queue, chain}, fingerprint);
  return credit_regions(plan, queue);
}

/// The time of a step goes to the regions in which its loops were called, in equal shares.
/// @return seconds of all steps
double ChainRunner::credit_regions(const Plan& plan, const core::Queue& queue) {
  core::Profile& profile = measurements_.profile;
  const bool any = profile.has_regions();
  double all = 0;
  for (std::size_t s = 0; s < plan.steps.all.size(); ++s) {
    const Step& step = plan.steps.all[s];
    const double seconds = std::exchange(*plan.rows[s].spent, 0.0);
    all += seconds;
    if (!any || !step.runs()) continue;
    const int calls = step.begins_call() ? 1 : 0;
    const auto region_of = [&](std::size_t record) { return queue.records()[record].region; };
    if (step.kernels.empty()) profile.credit(region_of(step.record), calls, seconds);
    for (const KernelUse& use : step.kernels)
      profile.credit(region_of(use.record), calls,
                     seconds / static_cast<double>(step.kernels.size()));
  }
  return all;
}

template <class Work>
double ChainRunner::in_part(core::Part part, const char* lane, const char* what, const Work& work) {
  const auto begin = core::Clock::now();
  core::InPart scope(&measurements_.profile, part, begin);
  work();
  const auto end = core::Clock::now();
  scope.leave(end);
  for (const auto& listener : measurements_.listeners) listener->span(lane, what, begin, end);
  return core::seconds_between(begin, end);
}

void ChainRunner::run_chain(const Running& r, std::uint64_t fingerprint) {
  const auto run_phase = [&](Phase phase) {
    r.prepared.run(r.chain, phase, r.queue, [&](std::size_t step) { finish(r, step); });
  };
  combine_globals(r);
  ++statistics_.chains;
  if (!r.plan.chains()[r.chain].exchanged.empty()) {
    send(r, fingerprint);
    run_phase(Phase::interior);
    receive(r);
  }
  run_phase(Phase::boundary);
}

void ChainRunner::send(const Running& r, std::uint64_t fingerprint) {
  in_part(core::Part::packing, "halo", "pack and send", [&] {
    const double start = communicator_.seconds();
    count_exchange(r);
    r.prepared.pack_and_start(r.chain, fingerprint);
    packing_seconds_ += communicator_.seconds() - start;
  });
}

void ChainRunner::receive(const Running& r) {
  statistics_.wait_seconds += in_part(core::Part::messages, "halo", "wait and unpack", [&] {
    const comm::Waiting waiting(communicator_, [&r] {
      return comm::WaitPurpose{
          "the halo exchange of " + describe_calls(r.queue, steps_of(r.plan, r.chain)), ""};
    });
    r.prepared.finish_and_unpack(r.chain);
  });
  const comm::HaloExchange& exchange = *r.prepared.exchange(r.chain);
  unpacking_seconds_ += exchange.unpacking_seconds();
  bytes_received_ += static_cast<double>(exchange.bytes_received());
}

void ChainRunner::combine_globals(const Running& r) {
  std::vector<core::Global*> wanted;
  const auto want = [&](core::Global* global) {
    if (global->has_partial && std::ranges::find(wanted, global) == wanted.end())
      wanted.push_back(global);
  };
  for (const Step& step : steps_of(r.plan, r.chain)) {
    for (const GlobalArg& read : step.reads)
      if (read.shape.global != nullptr && read.assignment < 0) want(read.shape.global);
    for (const GlobalArg& reduction : step.reductions)
      if (reduction.shape.global != nullptr &&
          reduction.shape.global->partial_access != reduction.shape.access)
        want(reduction.shape.global);
  }
  if (wanted.empty()) return;
  if (!sends_messages(communicator_)) return combine(wanted, communicator_);
  in_part(core::Part::reductions, "reduction", "combine", [&] { combine(wanted, communicator_); });
}

void ChainRunner::count_exchange(const Running& r) {
  const comm::HaloExchange& exchange = *r.prepared.exchange(r.chain);
  ++statistics_.exchanges;
  statistics_.messages += std::ssize(exchange.messages().outgoing);
  statistics_.bytes += static_cast<std::int64_t>(exchange.messages().bytes);
  statistics_.packed_rows += exchange.messages().rows;
  statistics_.layers = std::max(statistics_.layers, r.plan.chains()[r.chain].layers);
  for (const comm::DatLayers& layers : r.plan.chains()[r.chain].exchanged) {
    const auto k = static_cast<std::size_t>(layers.dat->index);
    if (k >= exchanged_.size()) exchanged_.resize(k + 1);
    ++exchanged_[k].exchanges;
    exchanged_[k].layers += (layers.to + 1) / 2 - (layers.from + 1) / 2;
  }
}

op_halo_statistics ChainRunner::statistics_of(const core::Dat& dat) const {
  const auto k = static_cast<std::size_t>(dat.index);
  return k < exchanged_.size() ? exchanged_[k] : op_halo_statistics{};
}

void ChainRunner::reduce(const Running& r, std::size_t s) {
  const Step& step = r.plan.steps.all[s];
  const bool sends = sends_messages(communicator_) &&
                     std::ranges::any_of(step.reductions, [](const GlobalArg& global) {
                       return global.shape.global == nullptr;
                     });
  const auto work = [&] {
    const comm::Waiting waiting(communicator_, [&] {
      return comm::WaitPurpose{"the reduction of " + describe_calls(r.queue, {&step, 1}), ""};
    });
    finish_reductions(step, r.queue, communicator_,
                      [&](const GlobalArg& global) { return r.prepared.collect(s, global); });
  };
  const auto begin = core::Clock::now();
  if (sends)
    in_part(core::Part::reductions, "reduction", "reduce", work);
  else
    work();
  r.plan.rows[s].spend(core::seconds_since(begin));
}

/// Called when the last iterations of a step have run.
void ChainRunner::finish(const Running& r, std::size_t s) {
  const Step& step = r.plan.steps.all[s];
  const StepRows& rows = r.plan.rows[s];
  if (step.kind == Step::Kind::assignment)
    return run_assignment(r.queue.records()[step.record], r.queue);
  if (step.kind == Step::Kind::dead) {
    rows.row->skipped += r.queue.records()[step.record].colour == 0 ? 1 : 0;
    return;
  }
  if (!step.reductions.empty()) reduce(r, s);
  if (!step.begins_call()) return;  // counted with the first colour
  ++rows.row->calls;
  rows.row->bytes += rows.useful_bytes;
  for (std::int64_t* calls : rows.fused_calls) ++*calls;
  statistics_.interior_iterations += rows.interior * step.loops();
  statistics_.boundary_iterations += rows.boundary * step.loops();
  statistics_.redundant_iterations += rows.redundant * step.loops();
}

}  // namespace op2::sched
