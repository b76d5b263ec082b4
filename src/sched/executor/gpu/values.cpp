// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/gpu/values.hpp>

#include <algorithm>
#include <cstring>
#include <span>

#include <core/arithmetic.hpp>
#include <core/exact_sum.hpp>
#include <core/value_type.hpp>
#include <jit/target/cuda/cuda_target.hpp>
#include <jit/target/cuda/kernel_parameters.hpp>
#include <sched/reductions.hpp>

namespace op2::sched {
namespace {

constexpr std::size_t alignment = 64;

std::size_t room_for(const jit::CudaConstant& constant) {
  return core::round_up(constant.bytes, alignment);
}

}  // namespace

/// The turn's memory is free for the host when this returns.
CurrentConstants::Turn& CurrentConstants::next_turn(std::size_t bytes) {
  Turn& turn = turns_[turn_++ % turns_.size()];
  if (turn.copied == nullptr)
    turn.copied = space_.make_event();
  else
    turn.copied->wait();
  if (turn.bytes >= bytes) return turn;
  turn.bytes = 0;
  turn.memory = copies_.allocate_pinned("constants", bytes);
  turn.bytes = bytes;
  return turn;
}

bool CurrentConstants::is_uploaded(const jit::CudaConstant& constant) const {
  const auto found = uploaded_.find(constant.on_device);
  return found != uploaded_.end() && found->second.size() == constant.bytes &&
         std::memcmp(found->second.data(), constant.on_host, constant.bytes) == 0;
}

void CurrentConstants::update(const Modules& modules) {
  std::vector<const jit::CudaConstant*> changed;
  std::size_t bytes = 0;
  for (const jit::CudaLoop* code : modules)
    for (const jit::CudaConstant& constant : code->constants) {
      if (is_uploaded(constant)) continue;
      changed.push_back(&constant);
      bytes += room_for(constant);
    }
  if (changed.empty()) return;
  Turn& turn = next_turn(bytes);
  std::byte* staged = turn.memory.get();
  for (const jit::CudaConstant* constant : changed) {
    std::memcpy(staged, constant->on_host, constant->bytes);
    std::vector<std::byte>& uploaded = uploaded_[constant->on_device];
    uploaded.clear();
    space_.main_stream().upload(constant->on_device, staged, constant->bytes);
    uploaded.assign(staged, staged + constant->bytes);
    staged += room_for(*constant);
  }
  space_.main_stream().record(*turn.copied);
}

namespace {

std::size_t bytes_of(const GlobalArg& global) {
  return core::size_of(global.shape.type, global.shape.dim);
}

/// Makes of the integers of a sum, in their place, the block of terms that a thread of the CPU
/// would have made, for which there is room.
void make_terms(std::byte* found, const GlobalArg& sum) {
  core::with_rounded(sum.shape.type, [&]<class T>() {
    constexpr std::size_t words = core::ExactSum<T>::words;
    std::vector<std::int64_t> all(words * static_cast<std::size_t>(sum.shape.dim));
    std::memcpy(all.data(), found, bytes_of_words(sum));
    core::start_terms(found, sum.shape.type, sum.shape.dim);
    std::span<const std::int64_t> rest(all);
    for (core::ExactSum<T>& one : core::sums_of<T>(found)) {
      one = core::ExactSum<T>::from_words(rest.template first<words>());
      rest = rest.subspan(words);
    }
  });
}

}  // namespace

std::size_t bytes_of_words(const GlobalArg& sum) {
  return jit::words_of_sum(sum.shape.type) * sizeof(std::int64_t) *
         static_cast<std::size_t>(sum.shape.dim);
}

bool runs_on_device(const Plan& plan, std::size_t step) {
  const jit::CompiledLoop* const code = plan.code[step].compiled;
  return plan.steps.all[step].runs() && code != nullptr && code->target == jit::cuda_target_name;
}

PlanValues::PlanValues(core::DeviceCopies& copies, const Plan& plan)
    : space_(copies.space()),
      plan_(plan),
      blocks_(plan.chains().size()),
      places_(plan.steps.all.size()) {
  for (std::size_t chain = 0; chain < blocks_.size(); ++chain) {
    place(chain);
    for (auto& event : blocks_[chain].uploaded) event = space_.make_event();
    blocks_[chain].downloaded = space_.make_event();
  }
  if (bytes_ == 0) return;
  const char* const label = "globals of plans";
  device_ = copies.allocate(label, bytes_);
  going_ = copies.allocate_pinned(label, ahead * bytes_);
  coming_ = copies.allocate_pinned(label, bytes_);
  std::memset(going_.get(), 0, ahead * bytes_);
}

void PlanValues::place(std::size_t chain) {
  Block& block = blocks_[chain];
  block.begin = bytes_;
  for (const std::size_t s : plan_.steps.of(chain)) {
    if (!runs_on_device(plan_, s)) continue;
    place_results(chain, s);
    for (const Result& result : places_[s].results) {
      block.has_results = block.has_results || result.address.value == nullptr;
      block.downloads = block.downloads || !result.kept;
    }
  }
  block.results_end = bytes_;
  for (const std::size_t s : plan_.steps.of(chain)) {
    if (!places_[s].on_device) continue;
    for (const GlobalArg& read : plan_.steps.all[s].reads) {
      places_[s].reads.push_back(bytes_);
      bytes_ = core::round_up(bytes_ + bytes_of(read), alignment);
    }
  }
  block.end = bytes_;
}

void PlanValues::place_results(std::size_t chain, std::size_t s) {
  const Step& step = plan_.steps.all[s];
  places_[s].on_device = true;
  places_[s].chain = chain;
  for (const GlobalArg& reduction : step.reductions) {
    Result result{.place = bytes_ + reduction.offset, .kept = is_kept(chain, step, reduction)};
    if (result.kept) share(result, chain, s, reduction);
    places_[s].results.push_back(result);
  }
  bytes_ = core::round_up(bytes_ + step.block_bytes, alignment);
}

/// Of a kept result: the place of an earlier step's, or of the global itself.
void PlanValues::share(Result& result, std::size_t chain, std::size_t s,
                       const GlobalArg& reduction) {
  result.leaves_value = !is_set_afterwards(chain, reduction);
  if (Result* const earlier = shared_result(chain, s, reduction)) {
    result.place = earlier->place;
    result.address = earlier->address;
    result.is_first = false;
    earlier->leaves_value = false;
  } else if (result.leaves_value && plan_.steps.all[s].set->is_single_rank) {
    result.address = reduction.shape.global->value.device_read();
  }
}

/// Whether later loops of the chain reduce a value that the program sets in between.
bool PlanValues::is_set_afterwards(std::size_t chain, const GlobalArg& reduction) const {
  for (const std::size_t s : plan_.steps.of(chain))
    for (const GlobalArg& other : plan_.steps.all[s].reductions)
      if (other.shape.global == reduction.shape.global && other.assignment > reduction.assignment)
        return true;
  return false;
}

/// The last one before this step for the same value of the global; null: there is none.
PlanValues::Result* PlanValues::shared_result(std::size_t chain, std::size_t step,
                                              const GlobalArg& reduction) {
  for (std::size_t s = step; s-- > plan_.steps.begin[chain];) {
    const std::vector<GlobalArg>& others = plan_.steps.all[s].reductions;
    for (std::size_t k = 0; k < others.size(); ++k)
      if (others[k].shape.global == reduction.shape.global &&
          others[k].assignment == reduction.assignment)
        return &places_[s].results.at(k);
  }
  return nullptr;
}

/// The host rounds exact sums, and ranks agree there on whose element sets a global. Loops that
/// reduce the same global share a result, if the device runs them all.
bool PlanValues::is_kept(std::size_t chain, const Step& step, const GlobalArg& reduction) const {
  const core::Global* const global = reduction.shape.global;
  if (global == nullptr || reduction.exact) return false;
  if (!step.set->is_single_rank && reduction.shape.access == OP_WRITE) return false;
  const bool may_share = reduction.shape.access != OP_WRITE && !reduction.shape.any_order;
  for (const std::size_t s : plan_.steps.of(chain))
    for (const GlobalArg& other : plan_.steps.all[s].reductions)
      if (&other != &reduction && other.shape.global == global &&
          !(may_share && other.shape.access == reduction.shape.access && runs_on_device(plan_, s)))
        return false;
  return true;
}

const PlanValues::Result& PlanValues::result_of(std::size_t step,
                                                const GlobalArg& reduction) const {
  return places_[step].results.at(
      static_cast<std::size_t>(&reduction - plan_.steps.all[step].reductions.data()));
}

core::DeviceAddress PlanValues::result(std::size_t step, const GlobalArg& reduction) const {
  const Result& result = result_of(step, reduction);
  return result.address.value != nullptr ? result.address : device_.get() + result.place;
}

core::DeviceAddress PlanValues::read(std::size_t step, std::size_t k) const {
  return device_.get() + places_[step].reads[k];
}

/// Puts the value that a loop sees at its place, or notes from where on the device it comes.
void PlanValues::fill_value(const GlobalArg& global, core::Queue& queue, std::size_t place,
                            Values& values) {
  core::Global* const lazy = global.shape.global;
  if (lazy != nullptr && global.assignment < 0 && !lazy->partial_is_exact &&
      lazy->value.newer_on_device()) {
    values.copies.push_back({device_.get() + place, lazy->value.device_read(), bytes_of(global)});
    return;
  }
  std::memcpy(values.staging + place, value_seen(global, queue), bytes_of(global));
  values.any = true;
}

/// The device has the value, or gets it at its place there.
void PlanValues::fill_in_place(const Result& result, const GlobalArg& reduction, core::Queue& queue,
                               Values& values) {
  core::Global& lazy = *reduction.shape.global;
  if (reduction.assignment < 0 && !lazy.partial_is_exact) {
    static_cast<void>(lazy.value.device_read());
    return;
  }
  std::memcpy(values.staging + result.place, value_seen(reduction, queue), bytes_of(reduction));
  values.starts.push_back({result.address, result.place, bytes_of(reduction)});
}

/// The same for the start of a lazy reduction in the block: on one rank the value, otherwise what
/// this rank has added to it, or nothing. A partial result of another operation has been combined
/// before.
void PlanValues::fill_start(const GlobalArg& reduction, bool whole, core::Queue& queue,
                            std::size_t place, Values& values) {
  if (whole) return fill_value(reduction, queue, place, values);
  const core::Global& lazy = *reduction.shape.global;
  const bool goes_on = reduction.assignment < 0 && lazy.has_partial;
  if (goes_on && lazy.partial.newer_on_device()) {
    values.copies.push_back(
        {device_.get() + place, lazy.partial.device_read(), bytes_of(reduction)});
    return;
  }
  if (goes_on)
    std::memcpy(values.staging + place, lazy.partial.host_read(), bytes_of(reduction));
  else
    start_partial(reduction.shape, value_seen(reduction, queue), values.staging + place);
  values.any = true;
}

void PlanValues::fill(std::size_t s, core::Queue& queue, Values& values) {
  const Step& step = plan_.steps.all[s];
  for (const GlobalArg& reduction : step.reductions) {
    const Result& result = result_of(s, reduction);
    if (!result.is_first) continue;
    const std::size_t place = result.place;
    if (result.address.value != nullptr) {
      fill_in_place(result, reduction, queue, values);
    } else if (result.kept) {
      fill_start(reduction, step.set->is_single_rank, queue, place, values);
    } else {
      if (reduction.exact)
        std::memset(values.staging + place, 0, bytes_of_words(reduction));
      else
        start_partial(reduction.shape, value_seen(reduction, queue), values.staging + place);
      values.any = true;
    }
    if (!reduction.shape.any_order) continue;
    std::memcpy(values.staging + place + reduction.element, &no_element, sizeof no_element);
    values.any = true;
  }
  for (std::size_t k = 0; k < step.reads.size(); ++k)
    fill_value(step.reads[k], queue, places_[s].reads[k], values);
}

void PlanValues::upload(std::size_t chain, core::Queue& queue) {
  Block& block = blocks_[chain];
  if (block.begin == block.end) return;
  const std::size_t turn = block.turn % ahead;
  if (turn % half == 0) block.uploaded[turn / half]->wait();
  Values values{going_.get() + turn * bytes_};
  for (const std::size_t s : plan_.steps.of(chain))
    if (places_[s].on_device) fill(s, queue, values);
  const bool to_block = values.any && !is_uploaded(block, values);
  core::Stream& stream = space_.main_stream();
  if (to_block)
    stream.upload(device_.get() + block.begin, values.staging + block.begin,
                  block.end - block.begin);
  for (const Copy& copy : values.copies) stream.copy(copy.to, copy.from, copy.bytes);
  for (const Start& start : values.starts)  // over values that have been copied
    stream.upload(start.to, values.staging + start.place, start.bytes);
  if (to_block) block.keeps_upload = !block.has_results;
  if (!values.copies.empty()) block.keeps_upload = false;
  if (to_block || !values.starts.empty()) end_turn(block);
}

void PlanValues::end_turn(Block& block) {
  const std::size_t next = ++block.turn % ahead;
  if (next % half == 0) space_.main_stream().record(*block.uploaded[next == 0 ? 1 : 0]);
}

/// Whether the device holds these values since the last upload.
bool PlanValues::is_uploaded(const Block& block, const Values& values) const {
  if (!block.keeps_upload) return false;
  const std::byte* const last = going_.get() + (block.turn - 1) % ahead * bytes_;
  return std::equal(values.staging + block.begin, values.staging + block.end, last + block.begin);
}

void PlanValues::download(std::size_t chain) {
  Block& block = blocks_[chain];
  if (!block.downloads) return;
  core::Stream& stream = space_.main_stream();
  stream.download(coming_.get() + block.begin, device_.get() + block.begin,
                  block.results_end - block.begin);
  stream.record(*block.downloaded);
}

std::byte* PlanValues::collect(std::size_t s, const GlobalArg& reduction) {
  const Result& result = result_of(s, reduction);
  if (result.kept) {
    if (!result.leaves_value) return nullptr;
    core::Global& lazy = *reduction.shape.global;
    core::Array& kept = plan_.steps.all[s].set->is_single_rank
                            ? lazy.value
                            : start_lazy_partial(reduction.shape, lazy, reduction.nan);
    const auto value = kept.device_overwrite();
    if (result.address.value != nullptr) return nullptr;
    space_.main_stream().copy(value.get(), device_.get() + result.place, bytes_of(reduction));
    return nullptr;
  }
  blocks_[places_[s].chain].downloaded->wait();
  std::byte* const found = coming_.get() + result.place;
  if (reduction.exact) make_terms(found, reduction);
  return found;
}

}  // namespace op2::sched
