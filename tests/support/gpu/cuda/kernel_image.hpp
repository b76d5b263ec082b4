// SPDX-License-Identifier: BSD-3-Clause
// A compiled module in the memory of the process: a shared object of the host's compiler.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace op2::test::gpu::cuda {

/// The file with what sources need not include.
inline constexpr std::string_view device_header = "device.cuh";

/// A kernel that can be called for one thread after the other.
struct Entry {
  std::string name;
  void (*call)(void** parameters) = nullptr;  ///< for the thread that `threadIdx` has
  std::vector<int> sizes;                     ///< of the parameters, bytes
  int max_threads = 0;                        ///< of a block
};

/// A variable of the module.
struct Variable {
  std::byte* data;
  std::size_t bytes;
};

class KernelImage {
 public:
  /// @param elf  its size is in its headers; copied. @throws std::runtime_error
  explicit KernelImage(const void* elf);
  ~KernelImage();
  KernelImage(const KernelImage&) = delete;
  KernelImage& operator=(const KernelImage&) = delete;

  std::optional<Entry> entry(const std::string& name) const;
  std::optional<Variable> variable(const std::string& name) const;

  /// "file:line" of the source for an address in its code, if possible not in `device_header`; "?"
  /// if that is not known. Slow.
  std::string line_of(const void* code) const;

  std::span<std::byte> constants() const { return constants_; }
  /// Variables that kernels may write; constants may be among them.
  std::span<std::byte> writable() const { return writable_; }
  std::span<std::byte> all() const { return all_; }
  /// The __shared__ variables of a block that runs in the calling thread of the host.
  std::span<std::byte> shared() const;

 private:
  void find_segments();

  std::vector<std::byte> file_;
  void* handle_ = nullptr;
  std::span<std::byte> constants_, writable_, all_;
  std::size_t shared_bytes_ = 0;
};

}  // namespace op2::test::gpu::cuda
