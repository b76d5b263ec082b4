// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/driver_memory.hpp>

#include <new>

namespace op2::gpu {
namespace {

void expect_memory(const Driver& driver, const char* call, int result) {
  if (result == DriverResult::out_of_memory) throw std::bad_alloc();
  if (result != DriverResult::success) driver.fail(call, result);
}

}  // namespace

DevicePointer allocate_device(const Driver& driver, std::size_t bytes) {
  DevicePointer memory = 0;
  expect_memory(driver, driver.api().memory_allocate.name(),
                driver.result_of(&DriverApi::memory_allocate, &memory, bytes));
  return memory;
}

void* allocate_pinned(const Driver& driver, std::size_t bytes) {
  void* memory = nullptr;
  expect_memory(driver, driver.api().pinned_allocate.name(),
                driver.result_of(&DriverApi::pinned_allocate, &memory, bytes, 0U));
  return memory;
}

}  // namespace op2::gpu
