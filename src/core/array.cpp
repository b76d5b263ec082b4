// SPDX-License-Identifier: BSD-3-Clause
#include <core/array.hpp>

#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include <core/error.hpp>
#include <core/round_up.hpp>

namespace op2::core {

namespace {

/// Devices change bytes atomically in words of this size: the last one must be whole.
constexpr std::size_t word_bytes = 4;

/// Undefined bytes, with zeros behind them to the end of the last word.
DeviceBuffer whole_words(MemorySpace& space, std::size_t bytes) {
  const std::size_t whole = round_up(bytes, word_bytes);
  DeviceBuffer memory = allocate_on(space, whole);
  if (whole > bytes) space.main_stream().fill(memory.get() + bytes, std::byte{0}, whole - bytes);
  return memory;
}

}  // namespace

DeviceBuffer DeviceCopies::allocate(const Array& array) {
  arrays_.reserve(arrays_.size() + 1);
  try {
    DeviceBuffer bytes = whole_words(space_, array.bytes());
    arrays_.push_back(&array);
    return bytes;
  } catch (const std::bad_alloc&) {
    const DeviceRoom room = space_.room();
    fail(ErrorCode::out_of_memory,
         "out of device memory: {}, {} bytes, but {} of {} are free on {}; the largest arrays "
         "there: {}; use more devices or a smaller mesh",
         array.label(), array.bytes(), room.free, room.total, space_.name(), list(8));
  }
}

void DeviceCopies::release(const Array& array, DeviceBuffer& bytes) noexcept {
  if (!bytes) return;
  space_.main_stream().settle();
  bytes.reset();
  std::erase(arrays_, &array);
}

std::string DeviceCopies::list(std::size_t most) const {
  std::vector<const Array*> sorted = arrays_;
  std::ranges::stable_sort(sorted, std::greater(), &Array::bytes);
  std::string text;
  for (std::size_t k = 0; k < std::min(most, sorted.size()); ++k)
    text += fmt::format("{}{} {} bytes", k > 0 ? ", " : "", sorted[k]->label(), sorted[k]->bytes());
  return text.empty() ? "none" : text;
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
  if (copies_ != nullptr) copies_->release(*this, device_);
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
