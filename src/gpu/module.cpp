// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/module.hpp>

#include <array>

#include <gpu/cuda_stream.hpp>

namespace op2::gpu {
namespace {

/// Whether a name was found; other failures are thrown.
template <class Api>
bool found(const Driver& driver, const Api& function, int result) {
  if (result != DriverResult::success && result != DriverResult::not_found)
    driver.fail(function.name(), result);
  return result == DriverResult::success;
}

/// Receives what the driver says about PTX that it cannot compile.
class LoadLog {
 public:
  std::array<int, 2> options{LoadOption::error_log, LoadOption::error_log_bytes};
  std::array<void*, 2> values() {
    return {text_.data(), reinterpret_cast<void*>(text_.size() - 1)};
  }
  std::string text() const {
    const std::string text = text_.data();
    return text.empty() ? text : ". The driver reports:\n" + text;
  }

 private:
  std::array<char, 4096> text_{};
};

bool is_about_image(int result) {
  return result == DriverResult::invalid_image || result == DriverResult::no_binary ||
         result == DriverResult::invalid_ptx || result == DriverResult::no_ptx_compiler ||
         result == DriverResult::unsupported_ptx || result == DriverResult::ptx_compiler_off;
}

[[noreturn]] void fail_to_load(const Driver& driver, int result, const std::string& details) {
  const char* const call = driver.api().module_load.name();
  try {
    driver.fail(call, result, details);
  } catch (const Error& error) {
    if (is_about_image(result)) throw ImageRefused(error, result == DriverResult::invalid_image);
    throw;
  }
}

}  // namespace

Module::Module(const Device& device, std::span<const std::byte> image) : device_(device) {
  device_.make_current();
  LoadLog log;
  auto values = log.values();
  const int result = device_.driver().result_of(&DriverApi::module_load, &handle_, image.data(),
                                                static_cast<unsigned>(values.size()),
                                                log.options.data(), values.data());
  if (result != DriverResult::success) fail_to_load(device_.driver(), result, log.text());
}

Module::~Module() {
  device_.driver().call_later(&DriverApi::module_unload, handle_);
}

Function Module::function(const std::string& name) const {
  const Driver& driver = device_.driver();
  FunctionHandle handle = nullptr;
  const int result = driver.result_of(&DriverApi::module_function, &handle, handle_, name.c_str());
  if (!found(driver, driver.api().module_function, result)) return {};
  return Function(handle);
}

std::optional<Symbol> Module::symbol(const std::string& name) const {
  const Driver& driver = device_.driver();
  DevicePointer start = 0;
  std::size_t bytes = 0;
  const int result =
      driver.result_of(&DriverApi::module_symbol, &start, &bytes, handle_, name.c_str());
  if (!found(driver, driver.api().module_symbol, result)) return std::nullopt;
  return Symbol{address(start), bytes};
}

}  // namespace op2::gpu
