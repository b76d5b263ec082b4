// SPDX-License-Identifier: BSD-3-Clause
#include <core/array.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include <core/arithmetic.hpp>
#include <core/error.hpp>
#include <core/text.hpp>

namespace op2::core {

namespace {

/// Devices change bytes atomically in words of this size: the last one must be whole.
constexpr std::size_t device_word_bytes = 4;

}  // namespace

ListedBuffer DeviceCopies::allocate(const std::string& label, std::size_t bytes,
                                    const char* remedy) {
  Listed listed{{}, label, bytes};
  listed_.reserve(listed_.size() + 1);
  try {
    DeviceBuffer memory = allocate_on(space_, round_up(bytes, device_word_bytes));
    listed.address = memory.get();
    listed_.push_back(std::move(listed));
    return {memory.release(), ReleaseListed{this}};
  } catch (const std::bad_alloc&) {
    const DeviceRoom room = space_.room();
    fail(ErrorCode::out_of_memory,
         "out of device memory: {}, {} bytes, but {} of {} are free on {}; the largest arrays "
         "there: {}; {}use more devices or a smaller mesh",
         label, bytes, room.free, room.total, space_.name(), list(8),
         remedy != nullptr ? fmt::format("{}, or ", remedy) : "");
  }
}

DeviceBuffer DeviceCopies::allocate(const Array& array) {
  const std::size_t bytes = array.bytes(), whole = round_up(bytes, device_word_bytes);
  ListedBuffer memory = allocate(array.label(), bytes);
  if (whole > bytes) space_.main_stream().fill(memory.get() + bytes, std::byte{0}, whole - bytes);
  return {memory.release(), ReleaseOnDevice{&space_}};
}

PinnedBuffer DeviceCopies::allocate_pinned(const std::string& label, std::size_t bytes) {
  try {
    return allocate_pinned_for(space_, bytes);
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::out_of_memory,
         "out of pinned memory of the host: {}, {} bytes for copies from and to {}; use more "
         "machines or a smaller mesh",
         label, bytes, space_.name());
  }
}

void DeviceCopies::release(DeviceBuffer& bytes) noexcept {
  if (!bytes) return;
  space_.main_stream().settle();
  forget(bytes.get());
  bytes.reset();
}

void DeviceCopies::forget(DeviceAddress address) noexcept {
  std::erase_if(listed_, [&](const Listed& listed) { return listed.address == address; });
}

std::string DeviceCopies::list(std::size_t most) const {
  struct Line {
    std::string_view label;
    std::size_t bytes, times;
  };
  std::vector<Line> lines;
  for (const Listed& listed : listed_) {
    const auto same = std::ranges::find(lines, listed.label, &Line::label);
    const auto line = same == lines.end() ? lines.insert(same, {listed.label, 0, 0}) : same;
    line->bytes += listed.bytes;
    ++line->times;
  }
  std::ranges::stable_sort(lines, std::greater(), &Line::bytes);
  const auto text_of = [](const Line& line) {
    return fmt::format("{}{} {} bytes", line.label,
                       line.times > 1 ? fmt::format(" ({} times)", line.times) : "", line.bytes);
  };
  lines.resize(std::min(most, lines.size()));
  return lines.empty() ? "none" : joined(lines, text_of, ", ");
}

void Array::refuse(Side wanted) const {
  const auto name_of = [](Side side) { return side == Side::host ? "host" : "device"; };
  fail(ErrorCode::internal,
       "conflicting accesses to an array: {}, {} bytes, requested on the {} while it is being "
       "written on the {}; please report it",
       label_, bytes(), name_of(wanted), name_of(writer_));
}

void Array::replace(HostBytes fresh) {
  refuse_writer(Side::host);
  host_epoch_ = epoch() + 1;
  drop_device_copy();
  host_ = std::move(fresh);
}

void Array::resize(std::size_t bytes) {
  HostBytes fresh = zeroed_bytes(bytes);
  const std::byte* now = host_read();
  if (const std::size_t kept = std::min(bytes, host_.size); kept > 0)
    std::memcpy(fresh.memory.get(), now, kept);
  replace(std::move(fresh));
}

void Array::use(DeviceCopies* copies) {
  refuse_writer(Side::device);
  const auto change = [&] {
    drop_device_copy();
    copies_ = copies;
  };
  try {
    host_read();
  } catch (...) {
    change();
    throw;
  }
  change();
}

void Array::update_host() const {
  refuse_other_writer(Side::host);
  if (host_epoch_ >= device_epoch_) return;
  if (bytes() > 0)
    copies_->space().main_stream().download_and_wait(host_.memory.get(), device_.get(), bytes());
  host_epoch_ = device_epoch_;
}

void Array::allocate_device_copy() const {
  ensure(copies_ != nullptr, "an array is requested on a device, but there is no device");
  if (!device_ && bytes() > 0) device_ = copies_->allocate(*this);
}

void Array::drop_device_copy() const noexcept {
  if (copies_ != nullptr) copies_->release(device_);
  device_epoch_ = 0;
}

DeviceAddress Array::device_read() const {
  refuse_other_writer(Side::device);
  allocate_device_copy();
  if (device_epoch_ < host_epoch_ && bytes() > 0)
    copies_->space().main_stream().upload_and_wait(device_.get(), host_.memory.get(), bytes());
  device_epoch_ = std::max(device_epoch_, host_epoch_);
  return device_.get();
}

DeviceWriter Array::device_write() {
  refuse_writer(Side::device);
  device_read();
  return start_device_write();
}

DeviceWriter Array::device_overwrite() {
  refuse_writer(Side::device);
  allocate_device_copy();
  return start_device_write();
}

DeviceWriter Array::start_device_write() {
  device_epoch_ = epoch() + 1;
  writer_ = Side::device;
  return {*this, device_.get()};
}

}  // namespace op2::core
