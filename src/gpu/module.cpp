// SPDX-License-Identifier: BSD-3-Clause
#include <gpu/module.hpp>

#include <array>

#include <gpu/space.hpp>

namespace op2::gpu {
namespace {

/// Whether a name was found; other failures are thrown.
template <class Api>
bool found(const Driver& driver, const Api& function, int result) {
  if (result != DriverResult::success && result != DriverResult::not_found)
    driver.fail(function.name(), result);
  return result == DriverResult::success;
}

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
  std::array<char, 4096> log{};  // what the driver says about PTX that it cannot compile
  std::array options{LoadOption::error_log, LoadOption::error_log_bytes};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const int result = device_.driver().result_of(&DriverApi::module_load, &handle_, image.data(),
                                                static_cast<unsigned>(values.size()),
                                                options.data(), values.data());
  if (result == DriverResult::success) return;
  const std::string report = log.data();
  fail_to_load(device_.driver(), result,
               report.empty() ? report : ". The driver reports:\n" + report);
}

Module::~Module() {
  device_.driver().call_later(&DriverApi::module_unload, handle_);
}

Function Module::function(const std::string& name) const {
  const Driver& driver = device_.driver();
  Function function = nullptr;
  const int result =
      driver.result_of(&DriverApi::module_function, &function, handle_, name.c_str());
  return found(driver, driver.api().module_function, result) ? function : nullptr;
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

void launch(const core::Stream& stream, Function function, const LaunchShape& shape,
            std::span<void* const> parameters) {
  if (shape.blocks == 0) return;
  const auto [driver, queue] = driver_stream(stream);
  driver.call(&DriverApi::launch, function, shape.blocks, 1U, 1U, shape.threads, 1U, 1U, 0U, queue,
              const_cast<void**>(parameters.data()), static_cast<void**>(nullptr));
}

Graph::Graph(const Device& device) : driver_(device.driver()) {
  driver_.call(&DriverApi::graph_create, &graph_, 0U);
}

Graph::~Graph() {
  if (executable_ != nullptr) driver_.call_later(&DriverApi::executable_destroy, executable_);
  driver_.call_later(&DriverApi::graph_destroy, graph_);
}

Graph::Node Graph::add(Function function, const LaunchShape& shape,
                       std::span<void* const> parameters, std::span<const Node> after) {
  const KernelNode node{.function = function,
                        .blocks_x = shape.blocks,
                        .threads_x = shape.threads,
                        .parameters = const_cast<void**>(parameters.data())};
  std::vector<NodeHandle> earlier;
  for (const Node other : after) earlier.push_back(nodes_.at(other));
  NodeHandle handle = nullptr;
  driver_.call(&DriverApi::graph_add_kernel, &handle, graph_, earlier.data(), earlier.size(),
               &node);
  nodes_.push_back(handle);
  return nodes_.size() - 1;
}

void Graph::finish() {
  driver_.call(&DriverApi::graph_instantiate, &executable_, graph_, 0ULL);
}

void Graph::launch(const core::Stream& stream) const {
  if (nodes_.empty()) return;
  driver_.call(&DriverApi::graph_launch, executable_, driver_stream(stream).handle);
}

}  // namespace op2::gpu
