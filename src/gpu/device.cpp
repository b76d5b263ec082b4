// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/device.hpp>

#include <array>
#include <new>

#include <core/error.hpp>
#include <gpu/space.hpp>

namespace op2::gpu {
namespace {

constexpr int oldest_driver = 12000, oldest_architecture = 60;  // atomic additions of double

/// The calls before a device is known.
template <class Function, class... Arguments>
void begin(const DriverApi& api, Function DriverApi::* function, Arguments... arguments) {
  const int result = (api.*function)(arguments...);
  if (result == DriverResult::success) return;
  if (result == DriverResult::stub_library)
    core::fail(ErrorCode::no_device,
               "this is not the driver, but CUDA's stub for the linker: library {}, {}; take its "
               "folder out of LD_LIBRARY_PATH, set OP2_CUDA_DRIVER to the driver's libcuda.so.1, "
               "or use OP2_TARGET=cpu",
               api.library.path(), describe_failure(api, (api.*function).name(), result));
  core::fail(ErrorCode::no_device,
             "cannot use a device: driver {}, {}; look at nvidia-smi and CUDA_VISIBLE_DEVICES, or "
             "use OP2_TARGET=cpu",
             api.library.path(), describe_failure(api, (api.*function).name(), result));
}

int version_of(const DriverApi& api) {
  int version = 0;
  begin(api, &DriverApi::driver_version, &version);
  if (version < oldest_driver)
    core::fail(ErrorCode::no_device,
               "the NVIDIA driver is too old: driver {}, {}; install a driver for CUDA 12.0 "
               "or newer, or use OP2_TARGET=cpu",
               api.library.path(), cuda_version(version));
  return version;
}

int count_devices(const DriverApi& api) {
  int count = 0;
  begin(api, &DriverApi::device_count, &count);
  if (count == 0)
    core::fail(ErrorCode::no_device,
               "there is no device: driver {}, 0 devices; look at nvidia-smi and "
               "CUDA_VISIBLE_DEVICES, or use OP2_TARGET=cpu",
               api.library.path());
  return count;
}

std::string name_of(const DriverApi& api, DeviceNumber number) {
  std::array<char, 256> name{};
  begin(api, &DriverApi::device_name, name.data(), static_cast<int>(name.size() - 1), number);
  return name.data();
}

int architecture_of(const DriverApi& api, DeviceNumber number) {
  int major = 0, minor = 0;
  begin(api, &DriverApi::device_attribute, &major, DeviceAttribute::architecture_major, number);
  begin(api, &DriverApi::device_attribute, &minor, DeviceAttribute::architecture_minor, number);
  if (10 * major + minor < oldest_architecture)
    core::fail(ErrorCode::no_device,
               "the device is too old: sm_{}{}, {}; use one of sm_{} or newer, or OP2_TARGET=cpu",
               major, minor, name_of(api, number), oldest_architecture);
  return 10 * major + minor;
}

}  // namespace

std::unique_ptr<Device> Device::open(const LibraryPaths& paths, int local_rank) {
  const auto api = load_driver(paths.driver);
  begin(*api, &DriverApi::init, 0);
  std::unique_ptr<Device> device(new Device());
  device->driver_version_ = version_of(*api);
  device->ordinal_ = local_rank % count_devices(*api);
  begin(*api, &DriverApi::device_get, &device->number_, device->ordinal_);
  begin(*api, &DriverApi::device_id, &device->id_, device->number_);
  device->name_ = name_of(*api, device->number_);
  device->architecture_ = architecture_of(*api, device->number_);
  device->driver_ = std::make_unique<Driver>(
      api, "device " + std::to_string(device->ordinal_) + " (" + device->name_ + ")");
  device->enter();
  return device;
}

void Device::enter() {
  ContextHandle context = nullptr;
  driver_->call(&DriverApi::context_retain, &context, number_);
  driver_->use(context);
  hold();
  try {
    space_ = make_space(*driver_);
  } catch (const std::bad_alloc&) {
    driver_->fail("cuMemHostAlloc", DriverResult::out_of_memory);
  }
}

void Device::make_current() const {
  driver_->call(&DriverApi::context_set_current, context());
}

void Device::hold() {
  driver_->call(&DriverApi::context_get_current, &of_program_);
  make_current();
}

void Device::leave() const {
  driver_->call(&DriverApi::context_set_current, of_program_);
}

Device::~Device() {
  if (driver_ == nullptr || context() == nullptr) return;
  driver_->call_and_ignore(&DriverApi::context_set_current, context());
  space_.reset();
  driver_->call_and_ignore(&DriverApi::context_set_current, of_program_);
  if (!keeps_context_) driver_->call_and_ignore(&DriverApi::context_release, number_);
}

}  // namespace op2::gpu
