// SPDX-License-Identifier: BSD-3-Clause
// The driver's functions for modules, kernels and launches.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "calls.hpp"
#include "elf_file.hpp"
#include "launches.hpp"
#include "module_text.hpp"
#include "stream_order.hpp"

#include <fmt/format.h>

using namespace op2::test::gpu::cuda;
using op2::test::gpu::Ticket;

namespace {

using DevicePointer = unsigned long long;

/// Code for it, which is all that there is, runs on devices of its generation alone.
constexpr int newest_architecture = 90;

std::shared_ptr<const KernelImage> load(const void* data) {
  if (data == nullptr) throw DriverError{Code::invalid_value};
  std::vector<std::byte> image;
  if (is_module_text(static_cast<const char*>(data))) {
    image = image_of(static_cast<const char*>(data));
    data = image.data();
  } else if (machine().settings().capability / 10 != newest_architecture / 10) {
    throw DriverError{Code::no_binary};
  }
  try {
    return std::make_shared<KernelImage>(data);
  } catch (const std::runtime_error& error) {
    machine().report(error.what());
    throw DriverError{Code::invalid_image};
  }
}

/// NVIDIA's compute-sanitizer shows the call as an error of the program.
[[noreturn]] void fail_absent(Context& context, const char* kind, const std::string& name) {
  if (!machine().settings().absent_allowed)
    context.device.report(
        fmt::format("a module is asked for a {} that it lacks: '{}'", kind, name));
  throw DriverError{Code::not_found};
}

/// Gives a variable an address that the host cannot access. Its first value is the module's, unless
/// that is all zeros: what nobody has set has none.
const KnownVariable& know_variable(Context& context, Module& module, const std::string& name) {
  for (const KnownVariable& known : *module.variables)
    if (known.name == name) return known;
  const auto variable = module.image->variable(name);
  if (!variable || variable->bytes == 0) fail_absent(context, "variable", name);
  const std::span in_image{variable->data, variable->bytes};
  std::byte* on_device = context.device.allocate(variable->bytes, "variable " + name);
  if (std::ranges::any_of(in_image, [](std::byte byte) { return byte != std::byte{0}; }))
    context.device.arena().copy_in(on_device, in_image.data(), in_image.size());
  const auto constants = module.image->constants();
  const bool constant =
      in_image.data() >= constants.data() && in_image.data() < constants.data() + constants.size();
  return module.variables->emplace_back(KnownVariable{name, in_image, on_device, constant});
}

}  // namespace

extern "C" {

int cuModuleLoadDataEx(Module** handle, const void* image, unsigned, int*, void**) {
  return call_in_context("cuModuleLoadDataEx",
                         [&](Context& context) { *handle = context.modules.add(load(image)); });
}

int cuModuleUnload(Module* handle) {
  return call_in_context("cuModuleUnload", [&](Context& context) {
    Module& module = context.modules.at(handle);
    context.device.wait_for_all();
    for (const KnownVariable& variable : *module.variables) context.device.free(variable.on_device);
    module.variables->clear();
    context.modules.remove(handle);
  });
}

int cuModuleGetFunction(Function** function, Module* handle, const char* name) {
  return call_in_context("cuModuleGetFunction", [&](Context& context) {
    Module& module = context.modules.at(handle);
    auto entry = module.image->entry(name);
    if (!entry) fail_absent(context, "kernel", name);
    auto& known = module.functions[name];
    if (known == nullptr) known = std::make_unique<Function>(Function{&module, std::move(*entry)});
    *function = known.get();
  });
}

int cuModuleGetGlobal_v2(DevicePointer* pointer, std::size_t* bytes, Module* handle,
                         const char* name) {
  return call_in_context("cuModuleGetGlobal_v2", [&](Context& context) {
    const KnownVariable& variable = know_variable(context, context.modules.at(handle), name);
    if (pointer != nullptr) *pointer = reinterpret_cast<DevicePointer>(variable.on_device);
    if (bytes != nullptr) *bytes = variable.in_image.size();
  });
}

int cuLaunchKernel(Function* function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                   unsigned threads_x, unsigned threads_y, unsigned threads_z,
                   unsigned shared_bytes, Stream* handle, void** parameters, void**) {
  const auto launch_it = [&](Context& context) {
    if (blocks_y != 1 || blocks_z != 1 || threads_y != 1 || threads_z != 1 || shared_bytes != 0)
      throw DriverError{Code::invalid_value};
    const auto launch = make_launch(*function, {blocks_x, threads_x}, parameters);
    context.device.launch(
        stream_number(context, handle), launch->entry.name,
        [&context, launch](const Ticket& ticket) { run_kernel(context, *launch, ticket); });
  };
  return call_in_context("cuLaunchKernel", launch_it,
                         [&](Context&) { return function->entry.name; });
}
}
