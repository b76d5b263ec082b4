// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a dat, a map or a global: a copy on the host and, if the mesh has a device, one
// there. Callers state how they access the bytes, and get a copy that has been made current.
// Without a device this costs a comparison.
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

class DeviceCopies;

/// The owner of memory on a device that is no array's copy, but in the same list.
struct ReleaseListed {
  using pointer = DeviceAddress;
  DeviceCopies* copies = nullptr;
  inline void operator()(DeviceAddress address) const noexcept;
};
using ListedBuffer = std::unique_ptr<std::byte[], ReleaseListed>;

/// What one mesh has on a device, for the message when its memory is full: copies of arrays, and
/// what loops need there beside them. Outlives all of it.
class DeviceCopies {
 public:
  explicit DeviceCopies(MemorySpace& space) : space_(space) {}
  DeviceCopies(const DeviceCopies&) = delete;

  MemorySpace& space() const { return space_; }
  /// Allocates uninitialised bytes for `array` and adds it to the list.
  /// @throws Error out_of_memory: the array, its bytes, the free bytes, the largest arrays there
  DeviceBuffer allocate(const Array& array);
  /// Waits for the main stream, then releases.
  void release(DeviceBuffer& bytes) noexcept;

  /// Memory beside arrays: `bytes` > 0 of undefined value. Buffers with one label are one line of
  /// the list. Their owner releases them as MemorySpace::release says.
  /// @param remedy  for the message, what to do without the buffer: "set OP2_DEBUG=no_fuse"; may be
  ///                null
  /// @throws Error out_of_memory  as above
  ListedBuffer allocate(const std::string& label, std::size_t bytes, const char* remedy = nullptr);
  /// Pinned memory of the host, which is not in the list.
  /// @throws Error out_of_memory: the label, its bytes
  PinnedBuffer allocate_pinned(const std::string& label, std::size_t bytes);

  /// "dat 'q' on set 'cells' 800 bytes, globals of plans (3 times) 400 bytes", largest first, at
  /// most `most`.
  std::string list(std::size_t most) const;

 private:
  friend struct ReleaseListed;
  struct Listed {
    DeviceAddress address;
    std::string label;
    std::size_t bytes;
  };
  void forget(DeviceAddress address) noexcept;

  MemorySpace& space_;
  std::vector<Listed> listed_;
};

void ReleaseListed::operator()(DeviceAddress address) const noexcept {
  copies->forget(address);
  copies->space().release(address);
}

/// Exclusive access for writing one copy of an array. While it lives, the other copy is locked.
/// @tparam Address  std::byte* of the host, or DeviceAddress
template <class Address>
class ArrayWriter {
 public:
  ArrayWriter(ArrayWriter&& other) noexcept
      : array_(std::exchange(other.array_, nullptr)), address_(other.address_) {}
  ArrayWriter& operator=(ArrayWriter&&) = delete;
  inline ~ArrayWriter();

  /// The first byte; the array's owner knows shape and layout. Null if the array has no bytes.
  Address get() const { return address_; }

 private:
  friend class Array;
  ArrayWriter(Array& array, Address address) : array_(&array), address_(address) {}
  Array* array_;
  Address address_;
};
using HostWriter = ArrayWriter<std::byte*>;
using DeviceWriter = ArrayWriter<DeviceAddress>;

/// Each copy has an epoch, the state of the array that it holds; the newer copy, or both, is
/// current. A call that throws does not change the epochs.
///
/// Host functions return when the bytes are there. Device functions queue transfers on the main
/// stream of the space; the bytes are current for work after these (memory_space.hpp).
///
/// All functions throw what the space throws, and Error internal if the other copy is being
/// written; writers also if the same copy is.
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

  /// The state of the contents: increases with every write through this class.
  std::uint64_t epoch() const { return std::max(host_epoch_, device_epoch_); }

  /// Whether reading the host's copy would download it.
  bool newer_on_device() const { return device_epoch_ > host_epoch_; }

  /// Whether the device has the bytes of the host's copy.
  bool same_on_device() const { return device_epoch_ == host_epoch_; }

  /// Replaces the bytes; the host's copy is current. Invalidates all addresses.
  void replace(HostBytes fresh);
  /// Changes the number of bytes; new ones are zero. Invalidates all addresses.
  /// @throws std::bad_alloc
  void resize(std::size_t bytes);
  /// Frees all bytes.
  void reset() { replace({}); }

  /// From now on the array may have a copy on a device. Null ends that; the host becomes current.
  /// If the space throws, that holds all the same, but the host has the values of its last read.
  void use(DeviceCopies* copies);

  /// Valid until the array is written on the device or replaced.
  const std::byte* host_read() const {
    if (copies_ != nullptr) update_host();
    return host_.memory.get();
  }
  /// To read and modify bytes.
  HostWriter host_write() {
    refuse_writer(Side::host);
    if (copies_ != nullptr) update_host();
    return start_host_write();
  }
  /// To overwrite all bytes that matter: nothing is downloaded.
  HostWriter host_overwrite() {
    refuse_writer(Side::host);
    return start_host_write();
  }

  /// Null if there are no bytes.
  DeviceAddress device_read() const;
  DeviceWriter device_write();
  DeviceWriter device_overwrite();

  /// For a program that has written the host's copy through its handle: makes that copy the current
  /// one, whatever the device has written before.
  void take_host_copy() { static_cast<void>(host_overwrite()); }

  /// The address of the host's copy, current or not, for code that is bound once and run many
  /// times. With a device, whoever runs it calls the functions above to state its accesses.
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
  mutable DeviceBuffer device_;  ///< null until it is needed
  mutable std::uint64_t host_epoch_ = 1, device_epoch_ = 0;
  Side writer_ = Side::none;
};

template <class Address>
ArrayWriter<Address>::~ArrayWriter() {
  if (array_ != nullptr) array_->writer_ = Array::Side::none;
}

}  // namespace op2::core
