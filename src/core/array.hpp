// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a dat, a map or a global: a copy on the host and, where the mesh has a device, one
// there. Whoever needs the bytes says how, and the copy that it gets is made current first. Without
// a device this costs a comparison.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <core/memory.hpp>
#include <core/memory_space.hpp>

namespace op2::core {

class Array;

/// The arrays of one mesh that have a copy on a device, for the message when its memory is full.
/// Outlives them.
class DeviceCopies {
 public:
  explicit DeviceCopies(MemorySpace& space) : space_(space) {}
  DeviceCopies(const DeviceCopies&) = delete;

  MemorySpace& space() const { return space_; }
  /// Undefined bytes for `array`, which is listed from now on.
  /// @throws Error out_of_memory: the array, the bytes, what is free, the largest arrays there
  DeviceBuffer allocate(const Array& array);
  /// Waits for the main stream, then releases.
  void release(const Array& array, DeviceBuffer& bytes) noexcept;
  /// "dat 'q' on set 'cells' 800 bytes, map 'pecell' 400 bytes", largest first, at most `most`.
  std::string list(std::size_t most) const;

 private:
  MemorySpace& space_;
  std::vector<const Array*> arrays_;
};

/// The right to write one copy of an array. While it lives, the other copy cannot be had.
/// @tparam Address  std::byte* of the host, or DeviceAddress
template <class Address>
class ArrayWriter {
 public:
  ArrayWriter(ArrayWriter&& other) noexcept
      : array_(std::exchange(other.array_, nullptr)), address_(other.address_) {}
  ArrayWriter& operator=(ArrayWriter&&) = delete;
  inline ~ArrayWriter();

  /// Shape and layout are the owner's affair. Null if the array has no bytes.
  Address get() const { return address_; }

 private:
  friend class Array;
  ArrayWriter(Array& array, Address address) : array_(&array), address_(address) {}
  Array* array_;
  Address address_;
};
using HostWriter = ArrayWriter<std::byte*>;
using DeviceWriter = ArrayWriter<DeviceAddress>;

/// Each copy has an epoch, which says of which state of the array it is; the newer one, or both, is
/// fresh. A call that throws leaves the epochs as they were.
///
/// Host functions return when the bytes are there. On the device, bytes move by the main stream of
/// the space, behind whose work they are current (memory_space.hpp).
///
/// All functions throw Error internal if the array is being written on the other side, writers also
/// if it is being written on theirs; and what the space throws.
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { drop_device_copy(); }

  std::size_t bytes() const { return host_.size; }
  /// For messages, for example "dat 'q' on set 'cells'".
  const std::string& label() const { return label_; }
  void set_label(std::string label) { label_ = std::move(label); }

  /// The state of the contents: grows with every write that is announced here.
  std::uint64_t epoch() const { return std::max(host_epoch_, device_epoch_); }

  /// Gives the array other bytes: the host's, fresh. Addresses from before are void.
  void replace(HostBytes fresh);
  /// Changes the number of bytes; those that are new are zero. Addresses from before are void.
  /// @throws std::bad_alloc
  void resize(std::size_t bytes);
  /// Gives up all bytes.
  void reset() { replace({}); }

  /// From now on the array may have a copy on a device; null: no more, and the host is current.
  void use(DeviceCopies* copies);

  /// Valid until the array is written on the device or replaced.
  const std::byte* host_read() const {
    if (copies_ != nullptr) update_host();
    return host_.memory.get();
  }
  /// To read and modify, all bytes or some.
  HostWriter host_write() {
    refuse_writer(Side::host);
    if (copies_ != nullptr) update_host();
    return start_host_write();
  }
  /// To write all bytes, or all that matter: nothing is downloaded.
  HostWriter host_overwrite() {
    refuse_writer(Side::host);
    return start_host_write();
  }

  /// Null if there are no bytes.
  DeviceAddress device_read() const;
  DeviceWriter device_write();
  DeviceWriter device_overwrite();

  /// For a program that has written the host's copy through its handle, as it says: that one is
  /// fresh, whatever the device has written before.
  void take_host_copy() { static_cast<void>(host_overwrite()); }

  /// Where the host's copy is, current or not: for code that is bound once and run again and again.
  /// Whoever runs it announces what it does by the functions above, unless there is no device.
  std::byte* host_address() const { return host_.memory.get(); }

 private:
  enum class Side : char { none, host, device };
  template <class Address>
  friend class ArrayWriter;

  void refuse_writer(Side wanted) const {
    if (writer_ != Side::none) refuse(wanted);
  }
  void refuse_other_writer(Side wanted) const {
    if (writer_ != Side::none && writer_ != wanted) refuse(wanted);
  }
  [[noreturn]] void refuse(Side wanted) const;
  HostWriter start_host_write() {
    host_epoch_ = epoch() + 1;
    writer_ = Side::host;
    return {*this, host_.memory.get()};
  }
  DeviceWriter start_device_write();
  void update_host() const;
  void allocate_device_copy() const;
  void drop_device_copy() const noexcept;

  std::string label_;
  HostBytes host_;
  DeviceCopies* copies_ = nullptr;
  mutable DeviceBuffer device_;  ///< null until it is asked for
  mutable std::uint64_t host_epoch_ = 1, device_epoch_ = 0;
  Side writer_ = Side::none;
};

template <class Address>
ArrayWriter<Address>::~ArrayWriter() {
  if (array_ != nullptr) array_->writer_ = Array::Side::none;
}

}  // namespace op2::core
