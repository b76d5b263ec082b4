// SPDX-License-Identifier: BSD-3-Clause
#include <sched/executor/cuda/messages_on_device.hpp>

#include <jit/target/cuda/kernel_parameters.hpp>
#include <sched/executor/cuda/kernel_launch.hpp>

namespace op2::sched {
namespace {

/// The widest words that a row consists of, and that it is aligned to.
std::int64_t word_bytes_of(std::int64_t row_bytes) {
  std::int64_t bytes = 16;
  while (row_bytes % bytes != 0) bytes /= 2;
  return bytes;
}

constexpr const char* label = "halo messages of plans";

core::ListedBuffer on_device(const PackerParts& parts, const void* bytes, std::size_t size) {
  if (size == 0) return {};
  core::ListedBuffer memory = parts.copies.allocate(label, size);
  parts.halo.upload_and_wait(memory.get(), static_cast<const std::byte*>(bytes), size);
  return memory;
}

}  // namespace

core::ListedBuffer zeros_on_device(const PackerParts& parts, std::size_t bytes) {
  core::ListedBuffer memory = parts.copies.allocate(label, bytes);
  parts.halo.fill(memory.get(), std::byte{0}, bytes);
  return memory;
}

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

}  // namespace op2::sched
