// SPDX-License-Identifier: BSD-3-Clause
// The functions of NVRTC, on the compiler of the host.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compile_kernels.hpp"
#include "machine.hpp"
#include "module_text.hpp"
#include "settings.hpp"

#include <fmt/format.h>

using namespace op2::test::gpu::cuda;

/// Opaque to programs.
struct NvrtcState {
  Program program;
  Compiled compiled;
  std::string text;  ///< stands for PTX
};

namespace {

struct NvrtcCode {
  static constexpr int success = 0, out_of_memory = 1, invalid_input = 3, invalid_program = 4,
                       invalid_option = 5, compilation = 6, internal_error = 11;
};

constexpr std::array architectures{80, 90};
/// NVIDIA has none of that number, so that a cache does not take one's code for the other's; that
/// of another build of the emulator has another key, too.
constexpr int major_version = 13, minor_version = 90;

struct Options {
  int architecture = 80;
  bool describes_kernels = false;  ///< as `ptxas -v` does
  bool contracts = true;
  std::vector<std::string> definitions;
  std::string refused;  ///< the first that is not known
};

/// What follows the first of `names` that `option` begins with.
const char* value_of(const std::string& option, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (option.starts_with(name)) return option.c_str() + name.size();
  return nullptr;
}

bool is_known(const std::string& option) {
  constexpr std::array<std::string_view, 17> ignored{"--std=",
                                                     "-std=",
                                                     "-default-device",
                                                     "--device-as-default-execution-space",
                                                     "--ftz=false",
                                                     "--prec-div=true",
                                                     "--prec-sqrt=true",
                                                     "-lineinfo",
                                                     "--generate-line-info",
                                                     "--no-cache",
                                                     "-no-cache",
                                                     "--minimal",
                                                     "-minimal",
                                                     "-w",
                                                     "--disable-w",
                                                     "--diag-suppress=",
                                                     "--restrict"};
  return std::ranges::any_of(ignored,
                             [&](std::string_view name) { return option.starts_with(name); });
}

void take(Options& options, const std::string& option) {
  if (const char* name = value_of(option, {"--gpu-architecture=", "-arch="})) {
    const std::string_view text = name;
    const std::size_t digits = text.find_first_of("0123456789");
    options.architecture = digits == text.npos ? 0 : std::stoi(std::string(text.substr(digits)));
    const bool known =
        std::ranges::find(architectures, options.architecture) != architectures.end();
    if (!known) options.refused = option;
  } else if (const char* definition = value_of(option, {"--define-macro=", "-D"})) {
    options.definitions.emplace_back(definition);
  } else if (value_of(option, {"--ptxas-options=", "-Xptxas="}) != nullptr) {
    options.describes_kernels = option.find("-v") != std::string::npos || options.describes_kernels;
  } else if (const char* fmad = value_of(option, {"--fmad=", "-fmad="})) {
    options.contracts = std::string_view(fmad) == "true";
  } else if (!is_known(option) && options.refused.empty()) {
    options.refused = option;
  }
}

std::string descriptions(const Program& program, int architecture) {
  std::string text;
  for (const std::string& kernel : kernels_of(program.source))
    text += fmt::format(
        "ptxas info    : Compiling entry function '{0}' for 'sm_{1}'\n"
        "ptxas info    : Function properties for {0}\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 32 registers, used 0 barriers\n",
        kernel, architecture);
  return text;
}

int compile(NvrtcState& state, const Options& options) {
  if (!options.refused.empty()) {
    state.compiled.log =
        fmt::format("nvrtc: error: unrecognized option {} found\n", options.refused);
    return NvrtcCode::invalid_option;
  }
  state.compiled = compile_kernels(state.program, options.architecture, options.definitions,
                                   options.contracts && read_settings().contracts);
  if (!state.compiled.ok) return NvrtcCode::compilation;
  state.text = module_text(state.program.source, state.compiled.image);
  if (options.describes_kernels)
    state.compiled.log += descriptions(state.program, options.architecture);
  return NvrtcCode::success;
}

/// Planned failures count with those of the driver, but have NVRTC's numbers.
template <class Action>
int call(const char* function, Action action) noexcept {
  try {
    machine().count(function);
    return action();
  } catch (const DriverError& planned) {
    return planned.code == Code::out_of_memory ? NvrtcCode::out_of_memory
                                               : NvrtcCode::internal_error;
  } catch (const std::exception& error) {
    machine().report(error.what());
    return NvrtcCode::internal_error;
  }
}

template <class Bytes>
int copy_result(const NvrtcState* state, const Bytes& bytes, std::size_t count, char* to) {
  if (state == nullptr || !state->compiled.ok) return NvrtcCode::invalid_program;
  std::memcpy(to, bytes.data(), count);
  return NvrtcCode::success;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  return call("nvrtcVersion", [&] {
    *major = major_version;
    *minor = minor_version;
    return NvrtcCode::success;
  });
}

const char* nvrtcGetErrorString(int code) {
  constexpr std::array names{"NVRTC_SUCCESS",
                             "NVRTC_ERROR_OUT_OF_MEMORY",
                             "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                             "NVRTC_ERROR_INVALID_INPUT",
                             "NVRTC_ERROR_INVALID_PROGRAM",
                             "NVRTC_ERROR_INVALID_OPTION",
                             "NVRTC_ERROR_COMPILATION"};
  const auto k = static_cast<std::size_t>(code);
  return k < names.size() ? names[k] : "NVRTC_ERROR_INTERNAL_ERROR";
}

int nvrtcGetNumSupportedArchs(int* count) {
  return call("nvrtcGetNumSupportedArchs", [&] {
    *count = static_cast<int>(architectures.size());
    return NvrtcCode::success;
  });
}

int nvrtcGetSupportedArchs(int* to) {
  return call("nvrtcGetSupportedArchs", [&] {
    std::ranges::copy(architectures, to);
    return NvrtcCode::success;
  });
}

int nvrtcCreateProgram(NvrtcState** handle, const char* source, const char* name, int headers,
                       const char* const* texts, const char* const* names) {
  return call("nvrtcCreateProgram", [&] {
    if (source == nullptr || handle == nullptr || headers < 0) return NvrtcCode::invalid_input;
    auto state = std::make_unique<NvrtcState>();
    state->program = {source, name == nullptr ? "default_program" : name, {}};
    for (int k = 0; k < headers; ++k) state->program.headers.push_back({names[k], texts[k]});
    *handle = state.release();
    return NvrtcCode::success;
  });
}

int nvrtcDestroyProgram(NvrtcState** handle) {
  return call("nvrtcDestroyProgram", [&] {
    if (handle == nullptr || *handle == nullptr) return NvrtcCode::invalid_program;
    const std::unique_ptr<NvrtcState> ended(*handle);
    *handle = nullptr;
    return NvrtcCode::success;
  });
}

int nvrtcCompileProgram(NvrtcState* state, int count, const char* const* options) {
  return call("nvrtcCompileProgram", [&] {
    if (state == nullptr) return NvrtcCode::invalid_program;
    Options taken;
    for (int k = 0; k < count; ++k) take(taken, options[k]);
    return compile(*state, taken);
  });
}

int nvrtcGetProgramLogSize(NvrtcState* state, std::size_t* bytes) {
  return call("nvrtcGetProgramLogSize", [&] {
    if (state == nullptr) return NvrtcCode::invalid_program;
    *bytes = state->compiled.log.size() + 1;
    return NvrtcCode::success;
  });
}

int nvrtcGetProgramLog(NvrtcState* state, char* to) {
  return call("nvrtcGetProgramLog", [&] {
    if (state == nullptr) return NvrtcCode::invalid_program;
    std::memcpy(to, state->compiled.log.c_str(), state->compiled.log.size() + 1);
    return NvrtcCode::success;
  });
}

int nvrtcGetPTXSize(NvrtcState* state, std::size_t* bytes) {
  return call("nvrtcGetPTXSize", [&] {
    if (state == nullptr || !state->compiled.ok) return NvrtcCode::invalid_program;
    *bytes = state->text.size() + 1;
    return NvrtcCode::success;
  });
}

int nvrtcGetPTX(NvrtcState* state, char* to) {
  return call("nvrtcGetPTX",
              [&] { return copy_result(state, state->text, state->text.size() + 1, to); });
}

int nvrtcGetCUBINSize(NvrtcState* state, std::size_t* bytes) {
  return call("nvrtcGetCUBINSize", [&] {
    if (state == nullptr || !state->compiled.ok) return NvrtcCode::invalid_program;
    *bytes = state->compiled.image.size();
    return NvrtcCode::success;
  });
}

int nvrtcGetCUBIN(NvrtcState* state, char* to) {
  return call("nvrtcGetCUBIN", [&] {
    return copy_result(state, state->compiled.image, state->compiled.image.size(), to);
  });
}
}
