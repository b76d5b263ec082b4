// SPDX-License-Identifier: BSD-3-Clause
#include "kernel_run.hpp"

#include <execinfo.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include "thread_index.hpp"

#include <fmt/format.h>

namespace op2::test::gpu::cuda {
namespace {

std::vector<void*> addresses(const std::vector<std::vector<std::byte>>& values) {
  std::vector<void*> all;
  for (const auto& value : values) all.push_back(const_cast<std::byte*>(value.data()));
  return all;
}

}  // namespace

thread_local KernelRun* KernelRun::current_ = nullptr;

KernelRun::KernelRun(const Launch& launch, Arena& arena, RunState& state)
    : launch_(launch),
      state_(state),
      moment_(state.order.moment()),
      memory_(arena, *launch.image, *launch.variables),
      threads_(launch.shape.threads,
               {[this](unsigned thread) { begin_thread(thread); },
                [this] { launch_.entry.call(parameters_.data()); }},
               &KernelRun::run_fiber, state.fibers, state.order.moment(), state.dice),
      parameters_(addresses(launch.parameters)),
      slots_(std::size_t{2} * (launch.shape.threads + warp_size)) {}

void KernelRun::run_fiber() {
  current_->threads_.run_threads();
}

std::string KernelRun::run() {
  current_ = this;
  block_shape() = {launch_.shape.threads};
  grid_shape() = {launch_.shape.blocks};
  std::vector<unsigned> order(launch_.shape.blocks);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), state_.dice);
  for (const unsigned block : order) {
    block_ = block;
    block_index() = {block, 0, 0};
    memory_.start_block();
    if (std::string stuck = threads_.run(); !stuck.empty()) finding_ = std::move(stuck);
    if (!finding_.empty()) break;
  }
  current_ = nullptr;
  return finding_.empty() ? std::string() : described();
}

void KernelRun::begin_thread(unsigned thread) {
  thread_index() = {thread, 0, 0};
  stack_begin_ = threads_.fiber().stack().data();
  stack_end_ = stack_begin_ + threads_.fiber().stack().size();
}

void KernelRun::fail(std::string finding) {
  finding_ = std::move(finding);
  std::string().swap(finding);  // what is on the stack is never destroyed
  std::array<void*, 32> frames{};
  const auto code = launch_.image->all();
  for (const void* frame : std::span(frames).first(::backtrace(frames.data(), frames.size())))
    if (frame >= code.data() && frame < code.data() + code.size())
      places_.push_back(static_cast<const std::byte*>(frame) - 1);  // in the call
  threads_.abandon();
}

std::string KernelRun::described() const {
  if (places_.empty()) return fmt::format("block {}: {}", block_, finding_);
  std::string line;
  for (const void* place : places_) {
    line = launch_.image->line_of(place);
    if (!line.starts_with(device_header)) break;
  }
  return fmt::format("block {} of {}, thread {} of {}, {}: {}", block_, launch_.shape.blocks,
                     moment_.thread, launch_.shape.threads, line, finding_);
}

void KernelRun::fail_assertion(const char* condition, unsigned line) {
  fail(fmt::format("assertion '{}' of line {} does not hold", condition, line));
}

void KernelRun::wait_for_block(int line) {
  std::string wrong = threads_.wait_for_block(line);
  if (!wrong.empty()) fail(std::move(wrong));
}

void KernelRun::wait_for_warp(std::uint32_t mask, int line) {
  std::string wrong = threads_.wait_for_warp(mask, line, true);
  if (!wrong.empty()) fail(std::move(wrong));
}

KernelRun::Slot* KernelRun::slots() {
  const std::size_t warps = slots_.size() / 2 / warp_size;
  const std::size_t warp = moment_.thread / warp_size;
  return &slots_[(threads_.meetings() % 2 * warps + warp) * warp_size];
}

void KernelRun::exchange(void* value, std::size_t bytes, unsigned from_lane, std::uint32_t mask,
                         int line) {
  Slot* mine = slots();
  std::memcpy(&mine[threads_.lane()], value, bytes);
  const bool takes_part = (mask >> from_lane & threads_.alive_lanes() >> from_lane & 1U) != 0;
  if (!takes_part) fail(fmt::format("a shuffle from lane {}, which does not take part", from_lane));
  std::string wrong = threads_.wait_for_warp(mask, line, false);
  if (!wrong.empty()) fail(std::move(wrong));
  std::memcpy(value, &mine[from_lane], bytes);
}

std::uint32_t KernelRun::ballot(bool vote, std::uint32_t mask, int line) {
  Slot* mine = slots();
  const std::uint32_t lanes = mask & threads_.alive_lanes();
  mine[threads_.lane()][0] = std::byte{vote};
  std::string wrong = threads_.wait_for_warp(mask, line, false);
  if (!wrong.empty()) fail(std::move(wrong));
  std::uint32_t all = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane)
    if ((lanes >> lane & 1U) != 0 && mine[lane][0] != std::byte{0}) all |= 1U << lane;
  return all;
}

}  // namespace op2::test::gpu::cuda
