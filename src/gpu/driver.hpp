// SPDX-License-Identifier: BSD-3-Clause
// Calls of the driver that are checked: a failure becomes an Error that names the call, its result
// and the device.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <gpu/driver_api.hpp>

namespace op2::gpu {

class Driver;

/// Makes the device's context the current one of the calling thread for its life; then the program
/// has its own again.
class CurrentContext {
 public:
  /// What fails is thrown by the next call. @param driver  null: nothing happens
  explicit CurrentContext(const Driver* driver) noexcept;
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const Driver* driver_;  ///< null: it was the current one
  ContextHandle of_program_ = nullptr;
};

/// Thread safe. The device's context is current on the calling thread.
class Driver {
 public:
  /// @param device  for messages, for example "device 0 (NVIDIA H200)"
  Driver(std::shared_ptr<const DriverApi> api, std::string device)
      : api_(std::move(api)), device_(std::move(device)) {}

  /// The context of the device, which others share.
  void use(ContextHandle context) { context_ = context; }
  ContextHandle context() const { return context_; }

  const DriverApi& api() const { return *api_; }
  const std::string& device() const { return device_; }

  /// Calls a function of the table, for example `call(&DriverApi::stream_wait, stream)`.
  /// @throws Error  device_failure or out_of_memory, also for what `call_later` has kept
  template <class Function, class... Arguments>
  void call(Function DriverApi::* function, Arguments... arguments) const {
    throw_kept();
    const int result = ((*api_).*function)(arguments...);
    if (result != DriverResult::success) fail(((*api_).*function).name(), result);
  }

  /// The same for a caller that knows what some results mean; it hands the others to `fail`.
  template <class Function, class... Arguments>
  int result_of(Function DriverApi::* function, Arguments... arguments) const {
    throw_kept();
    return ((*api_).*function)(arguments...);
  }

  /// The same for destructors, which cannot throw and may run while the program uses another
  /// context: the next call throws what went wrong.
  template <class Function, class... Arguments>
  void call_later(Function DriverApi::* function, Arguments... arguments) const noexcept {
    const CurrentContext current(this);
    const int result = ((*api_).*function)(arguments...);
    if (result != DriverResult::success) keep(((*api_).*function).name(), result);
  }

  /// The same where nobody is left to be informed.
  template <class Function, class... Arguments>
  void call_and_ignore(Function DriverApi::* function, Arguments... arguments) const noexcept {
    static_cast<void>(((*api_).*function)(arguments...));
  }

  /// @param details  of the failure, or empty
  [[noreturn]] void fail(const char* call, int result, const std::string& details = "") const;

  /// The next call throws this failure, unless there is an earlier one.
  void keep(const char* call, int result) const noexcept;

 private:
  void throw_kept() const;

  std::shared_ptr<const DriverApi> api_;
  std::string device_;
  ContextHandle context_ = nullptr;
  mutable std::mutex kept_mutex_;  ///< of what follows; whether there is a failure is read without
  mutable const char* kept_call_ = nullptr;
  mutable std::atomic<int> kept_result_ = DriverResult::success;
};

/// "cuInit returned 100 (CUDA_ERROR_NO_DEVICE)".
std::string describe_failure(const DriverApi& api, const char* call, int result);

}  // namespace op2::gpu
