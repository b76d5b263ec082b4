// SPDX-License-Identifier: BSD-3-Clause
// The data of one loop, and the loop on the host and on the emulated device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <gpu/device.hpp>
#include <jit/loop_nest.hpp>
#include <jit/target/cuda/cuda_target.hpp>

namespace op2::test {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes;
  for (const T value : values) {
    const auto one = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

template <class T>
std::vector<T> values_of(const Bytes& bytes) {
  const T* begin = reinterpret_cast<const T*>(bytes.data());
  return std::vector<T>(begin, begin + bytes.size() / sizeof(T));
}

struct LoopData {
  struct Map {
    int arity = 0;
    std::vector<int> entries;  ///< shape [elements x arity]
    bool operator==(const Map&) const = default;
  };
  std::int64_t begin = 0, end = 0, counted = 0;
  std::map<int, Bytes> dats{};                        ///< by their numbers
  std::map<int, Map> maps{};                          ///< by their numbers
  std::map<std::size_t, Bytes> globals{};             ///< by argument; also of reductions
  std::map<std::size_t, std::vector<int>> numbers{};  ///< by argument; none: the rows themselves
  bool operator==(const LoopData&) const = default;
};

/// One kernel as a function of the host, called with a pointer for each parameter.
using HostKernel = std::function<void(char* const* arguments)>;

/// Runs the elements one after the other, with the contract of kernels on a device: increments
/// through maps begin with zero, elements that do not count do not change reductions.
void run_on_host(const jit::LoopNest& nest, const std::vector<HostKernel>& kernels, LoopData& data);

/// Launches the kernels of a loop and waits. All data are copied to the device and back.
void run_on_device(gpu::Device& device, const jit::CudaLoop& loop, const jit::LoopNest& nest,
                   LoopData& data);

}  // namespace op2::test
