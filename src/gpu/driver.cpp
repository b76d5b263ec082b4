// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/driver.hpp>

#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include <core/error.hpp>

namespace op2::gpu {
namespace {

constexpr const char* driver_name = "libcuda.so.1";

/// The loader's path, where Windows puts the driver of its Linux machines, and containers theirs.
std::vector<std::string> candidates(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return {(std::filesystem::path(path) / driver_name).string()};
  if (!path.empty()) return {path};
  std::vector<std::string> files{driver_name};
  for (const char* folder :
       {"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib"})
    files.push_back(fmt::format("{}/{}", folder, driver_name));
  return files;
}

SharedLibrary open_first(const std::vector<std::string>& files) {
  std::string tried, why;
  for (const std::string& file : files) {
    if (auto library = SharedLibrary::open(file, why)) return *std::move(library);
    tried.append("\n  ").append(why);
  }
  core::fail(
      ErrorCode::no_device,
      "cannot load the NVIDIA driver: library {}; install the driver, set OP2_CUDA_DRIVER to "
      "that file or its folder, or use OP2_TARGET=cpu. Tried:{}",
      driver_name, tried);
}

/// What to do about a failure of the device or the driver.
const char* advice(int result) {
  switch (result) {
    case DriverResult::illegal_address:
    case DriverResult::illegal_instruction:
    case DriverResult::misaligned_address:
    case DriverResult::illegal_address_space:
    case DriverResult::illegal_counter:
    case DriverResult::launch_failed:
      return "find the kernel that accesses memory wrongly: OP2_CHECK=pointers runs each loop at "
             "its call, OP2_TARGET=cpu OP2_CHECK=access checks its source";
    case DriverResult::assert_failed:
      return "an assert of a kernel has failed: see what it printed; OP2_CHECK=pointers runs each "
             "loop at its call";
    case DriverResult::out_of_memory:
      return "use more devices, or a smaller mesh";
    case DriverResult::invalid_image:
    case DriverResult::no_binary:
    case DriverResult::invalid_ptx:
    case DriverResult::no_ptx_compiler:
    case DriverResult::ptx_compiler_off:
    case DriverResult::unsupported_ptx:
      return "use an NVRTC and a driver of the same CUDA version; OP2_NVRTC and OP2_CUDA_DRIVER "
             "name them";
    case DriverResult::devices_unavailable:
    case DriverResult::uncorrectable_memory:
    case DriverResult::system_not_ready:
    case DriverResult::driver_mismatch:
    case DriverResult::unknown:
      return "look at nvidia-smi and the log of the system, then restart the program";
    default:
      return "restart the program";
  }
}

/// Calls a function for the current context; a failure is kept.
template <class Function, class Argument>
void call_for_context(const Driver& driver, Function DriverApi::* function, Argument argument) {
  const auto& called = driver.api().*function;
  if (const int result = called(argument); result != DriverResult::success)
    driver.keep(called.name(), result);
}

}  // namespace

std::shared_ptr<const DriverApi> load_driver(const std::string& path) {
  auto api = std::make_shared<const DriverApi>(open_first(candidates(path)));
  if (const std::string& missing = api->library.missing(); !missing.empty())
    core::fail(
        ErrorCode::no_device,
        "the NVIDIA driver lacks functions: library {},{}; install a driver for CUDA 12.0 or "
        "newer, or use OP2_TARGET=cpu",
        api->library.path(), missing);
  return api;
}

std::string cuda_version(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

CurrentContext::CurrentContext(const Driver* driver) noexcept : driver_(driver) {
  if (driver == nullptr) return;
  call_for_context(*driver, &DriverApi::context_get_current, &of_program_);
  if (of_program_ == driver->context())
    driver_ = nullptr;
  else
    call_for_context(*driver, &DriverApi::context_set_current, driver->context());
}

CurrentContext::~CurrentContext() {
  if (driver_ != nullptr) call_for_context(*driver_, &DriverApi::context_set_current, of_program_);
}

std::string describe_failure(const DriverApi& api, const char* call, int result) {
  const char* name = nullptr;
  if (api.error_name(result, &name) != DriverResult::success || name == nullptr) name = "unknown";
  return std::string(call) + " returned " + std::to_string(result) + " (" + name + ")";
}

void Driver::fail(const char* call, int result, const std::string& details) const {
  if (result == DriverResult::out_of_memory)
    core::fail(ErrorCode::out_of_memory, "out of device memory: {}, {}; {}{}", device_,
               describe_failure(*api_, call, result), advice(result), details);
  core::fail(ErrorCode::device_failure, "device fault: {}, {}; {}{}", device_,
             describe_failure(*api_, call, result), advice(result), details);
}

void Driver::keep(const char* call, int result) const noexcept {
  const std::lock_guard lock(kept_mutex_);
  if (kept_result_ != DriverResult::success) return;
  kept_call_ = call;
  kept_result_ = result;
}

void Driver::throw_kept() const {
  if (kept_result_.load(std::memory_order_relaxed) == DriverResult::success) return;
  std::unique_lock lock(kept_mutex_);
  const char* const call = kept_call_;
  const int result = kept_result_.exchange(DriverResult::success);
  lock.unlock();
  if (result != DriverResult::success) fail(call, result);
}

}  // namespace op2::gpu
