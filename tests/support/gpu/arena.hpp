// SPDX-License-Identifier: BSD-3-Clause
// The memory of an emulated device: which bytes exist, who may access them now, which have a value.
//
// One range of addresses is reserved for the life of the device and closed to the process; a kernel
// opens what it accesses while it runs (or open all the time, if a test says so). The arena
// itself, and so every copy, works through a second mapping of the same memory. Addresses are never
// used twice.
//
//     closed page | front slack, data (its end is the end of a page) | closed page | ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "access_history.hpp"
#include "findings.hpp"

namespace op2::test::gpu {

/// What does not fit any more.
struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Allocation {
  std::string name;
  std::byte* data;
  std::size_t bytes;
  std::span<std::byte> pages;           ///< whole pages, with the slack around the data
  std::vector<std::uint8_t> has_value;  ///< by byte, 0 or 1: was it copied or filled?
  AccessHistory history;
  bool freed = false;
  bool open = false;  ///< for the kernel that runs now

  std::size_t offset_of(const void* byte) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(byte) - data);
  }
};

/// Whether the host may access memory of the device, as an MPI for GPUs does.
enum class HostAccess { forbidden, allowed };

class Arena {
 public:
  static constexpr std::size_t page_size = 4096;

  /// @param capacity  bytes that may be allocated at the same time
  Arena(std::size_t capacity, HostAccess host, Findings& findings);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Bytes without a value, aligned to 256. @throws OutOfMemory
  std::byte* allocate(std::size_t bytes, std::string name);
  void free(void* data);

  /// The live allocation that holds the bytes. @throws Misuse if there is none
  Allocation& find(const void* data, std::size_t bytes, std::string_view user);
  void require_values(const void* data, std::size_t bytes, std::string_view user);
  void give_values(void* data, std::size_t bytes);

  /// Copies. The caller has found the bytes of the device with `find`.
  void copy_in(void* device, const void* host, std::size_t bytes);
  void copy_out(void* host, const void* device, std::size_t bytes) const;
  void copy_inside(void* to, const void* from, std::size_t bytes);

  /// Runs a kernel, which opens what it accesses.
  void run(const std::string& kernel, const std::function<void()>& function);

  /// For the kernel that runs now: the allocation around a byte, also the freed one or the slack
  /// beside it; null if there is none. Constant cost.
  Allocation* around(const void* byte) const {
    const auto page =
        static_cast<std::size_t>(static_cast<const std::byte*>(byte) - range_.data()) / page_size;
    return page < by_page_.size() ? by_page_[page] : nullptr;
  }
  /// Opens it until that kernel ends.
  void open(Allocation& allocation);
  bool contains(const void* address) const {
    return address >= range_.data() && address < range_.data() + range_.size();
  }
  /// The name, size and offset for messages; `address` is memory of this device.
  std::string describe(const void* address) const;

  std::size_t live_bytes() const { return live_bytes_; }
  const std::string& device() const { return findings_.device(); }

  /// Why an access to `address` has faulted; empty if it is not memory of this device. For the
  /// handler of the signal.
  std::string explain_fault(const void* address) const;

 private:
  class Opening;
  void check_slack(const Allocation& allocation);
  const Allocation* nearest(const void* address) const;
  std::byte* inside(const void* device) const;

  Findings& findings_;
  std::size_t capacity_, live_bytes_ = 0;
  const int closed_;            ///< the protection of memory that no kernel has opened
  std::span<std::byte> range_;  ///< what the program sees
  std::byte* own_view_;         ///< the same memory, always open
  std::byte* next_;             ///< first page that was never used
  std::map<const std::byte*, Allocation> allocations_;  ///< by first page; freed ones stay
  std::vector<Allocation*> by_page_;                    ///< null: a closed page between two
  const std::string* kernel_ = nullptr;                 ///< that runs now
  Opening* opening_ = nullptr;                          ///< for it
  int file_;
};

}  // namespace op2::test::gpu
